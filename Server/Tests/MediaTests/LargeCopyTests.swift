import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import Logging
import MediaTools
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Copies that are larger than 2 MB", .blocksThreads)
struct LargeCopyTests {
    /// A small picture with a position, and `byteCount` zeros at the end of its pixels.
    private static func picture(_ byteCount: Int) throws -> Data {
        let folder = MediaFixture.folder.appending(path: "../PlatformTests/Media/Fixtures")
        let photo = try Data(contentsOf: folder.appending(path: "position-exif.jpg"))
        try #require(photo.suffix(2) == Data([0xFF, 0xD9]))
        return photo.dropLast(2) + Data(count: byteCount) + Data([0xFF, 0xD9])
    }

    private static func upload(_ count: Int, to server: TestServer, as person: TestServer.Person) async throws -> [FileData] {
        var files: [FileData] = []
        for number in 0..<count {
            let answer = try await server.upload(.file("a.jpg", picture(3_000_000 + number)), as: person)
            try #require(answer.status == 200, "\(answer.text)")
            files.append(try answer.decode(UploadResponse.self).files[0].data)
        }
        return files
    }

    @Test("an account's large copies without metadata are stored and sent whole, and none counts afterwards")
    func stripped() async throws {
        try await TestServer.run(.embedded) { server in
            let ada = try await server.person()
            let files = try await Self.upload(5, to: server, as: ada)
            let requests = files.map { file in
                Task { try await server.send("GET", "/api/users/user/\(ada.id)/multimedia/shared/\(file.fileId)", as: ada) }
            }
            for (number, request) in requests.enumerated() {
                let answer = try await request.value
                #expect(answer.status == 200 && answer.body.count > MediaResult.copiedByteCount)
                #expect(answer.body.suffix(3_000_002 + number) == Data(count: 3_000_000 + number) + Data([0xFF, 0xD9]))
                #expect(answer.body.range(of: Data("GPS".utf8)) == nil)
            }
            #expect(try await server.storedCopyCount() == 5)
            try await eventually { server.backend.workers.largeResults == 0 }
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("while the store hangs, an account gets three large copies and others a fourth, and thumbnails are still made")
    func hung() async throws {
        try await TestServer.run(.embedded, { $0.mediaWorker.workers = 2 }) { server in
            let ada = try await server.person()
            let files = try await Self.upload(5, to: server, as: ada)
            let (store, workers) = (server.backend.media.store, server.backend.workers)
            var assets: [Asset] = []
            for file in files { assets.append(try #require(try await store.asset(file.fileId, owner: ada.id))) }
            let small = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            let smallFile = try small.decode(UploadResponse.self).files[0].data
            let photo = try #require(try await store.asset(smallFile.fileId, owner: ada.id))
            let blobs = HungStore(server.backend.blobs)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let copies = VariantMaker(
                store: store, blobs: blobs, files: BlobFiles(folder: server.folder + "/copies"), workers: workers,
                storage: CopyStorage(store: store, blobs: blobs, logger: logger))
            let owner = Requester(account: ada.id, network: Network(ipv4: 1))
            let other = Requester(account: "bob", network: Network(ipv4: 2))
            let before = workers.taken

            var requests = owner.run { assets.map { asset in Task { try await copies.variant(of: asset, .stripped) } } }
            try await eventually { blobs.waiting == 3 && workers.waiting == 2 }
            #expect(workers.largeResults == 3 && workers.taken == before + 3)

            // Both thumbnails are queued behind large copies of the account, but are made before them.
            for width in [64, 128] {
                let spec = try #require(try VariantSpec(FileInput(userId: ada.id, fileId: "a", w: width, format: "jpeg"), accept: nil))
                let thumbnail = try await owner.run { try await copies.variant(of: photo, .smaller(spec)) }
                if case .kept = thumbnail { Issue.record("the thumbnail was stored") }
            }
            #expect(workers.largeResults == 3 && workers.waiting == 2 && workers.taken == before + 5)

            // The other account requests the same copies. One of the two that are not made yet is made for it.
            requests += other.run { assets.map { asset in Task { try await copies.variant(of: asset, .stripped) } } }
            try await eventually { workers.taken == before + 6 && workers.largeResults == 4 && workers.waiting == 2 }

            blobs.resume()
            for request in requests {
                switch try await request.value {
                case .kept(let copy): #expect(copy.byteCount > MediaResult.copiedByteCount)
                case .fresh: Issue.record("a large copy was sent from memory")
                }
            }
            try await eventually { await copies.pendingCount == 0 }
            try await eventually { workers.largeResults == 0 }
            #expect(try await server.storedCopyCount() == 7)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("a copy is cancelled when the last caller leaves, also one who waits for it instead of a copy of their own")
    func followers() async throws {
        let (first, second) = (PendingVariant(), PendingVariant())
        let work = Task<MadeCopy, any Error> {
            _ = try await first.encode {
                try await Task.sleep(for: .seconds(5))
                throw Problem(.unavailable, "Nobody left.")
            }
            throw Problem(.unavailable, "Nobody left.")
        }
        #expect(first.join())
        second.follow(work, joined: first)
        first.leave()
        second.leave()
        await #expect(throws: CancellationError.self) { try await work.value }
        // `second` has already left the work that it followed, so this does nothing.
        second.leaveJoined()
        #expect(!first.join())
    }
}

/// A store in which writing hangs until `resume`.
private final class HungStore: BlobStoreDecorator {
    let base: any BlobStore
    private let state = Mutex((isHung: true, waiting: 0))

    init(_ base: any BlobStore) { self.base = base }

    /// The number of blobs whose writing has begun since the start.
    var waiting: Int { state.withLock { $0.waiting } }

    func resume() { state.withLock { $0.isHung = false } }

    func stage(isResumable: Bool) async throws -> any BlobWriter {
        state.withLock { $0.waiting += 1 }
        while state.withLock({ $0.isHung }) { try await Task.sleep(for: .milliseconds(5)) }
        return try await base.stage(isResumable: isResumable)
    }
}
