import Blobs
import Core
import Foundation
import Logging
import Synchronization
import TestKit

@testable import S3Blobs

/// Stores on the shared radosgw for one test, which may be reached through a proxy.
final class S3Fixture: Sendable {
    let address: S3Address
    private let folder: Folder
    private let seen = Mutex<[S3Observation]>([])

    private struct Folder: ~Copyable, Sendable { let folder: TemporaryFolder }

    init(_ address: S3Address? = nil) throws {
        self.address = try address ?? CephService.everybodys()
        folder = Folder(folder: try TemporaryFolder())
    }

    /// Opens a store, as another node would.
    /// - Parameter port: the port of a proxy to the store's address.
    func open(
        port: Int? = nil, clock: WallClock = .system, credentials: S3Credentials = CephService.credentials,
        _ change: (inout S3BlobStore.Options) -> Void = { _ in }
    ) async throws -> S3BlobStore {
        var address = address
        if let port { address.authority = "127.0.0.1:\(port)" }
        var options = S3BlobStore.Options()
        options.firstPause = .milliseconds(2)
        options.observe = { [self] observation in seen.withLock { $0.append(observation) } }
        change(&options)
        return try await S3BlobStore.open(
            address, credentials, scratchFolder: folder.folder.path + "/scratch", clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, options: options)
    }

    /// The requests since the last call, without retries. On a busy machine, the store may be too slow for a first attempt.
    func takeRequests() -> [S3Operation] {
        seen.withLock { seen in
            defer { seen = [] }
            return seen.filter { !$0.isBody && !$0.isRetry }.map(\.operation)
        }
    }

    /// How often a request was sent, with all attempts.
    func attempts(_ operation: S3Operation) -> Int {
        seen.withLock { seen in seen.filter { !$0.isBody && $0.operation == operation }.count }
    }

    /// How many bytes of responses' bodies have arrived.
    func received(_ operation: S3Operation) -> Int {
        seen.withLock { seen in seen.filter { $0.isBody && $0.operation == operation }.reduce(0) { $0 + $1.receivedByteCount } }
    }

    /// Waits until `condition` holds, because the store does some work in the background.
    func wait(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<2_400 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw TimedOut()
    }

    struct TimedOut: Error {}

    /// The names of all objects of the test, and of the objects of all unfinished uploads.
    static func everything(_ store: S3BlobStore) async throws -> (objects: [String], uploads: [String]) {
        (
            try await store.client.list("", after: nil).objects.map(\.name).sorted(),
            try await store.client.listUploads("").map(\.name).sorted()
        )
    }
}
