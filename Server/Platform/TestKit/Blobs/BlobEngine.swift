package import Blobs
package import Core
import Logging
package import S3Blobs

/// Where a test stores its blobs. The engine's name is part of the name of a parameterised test.
package enum BlobEngine: String, CaseIterable, Sendable, CustomStringConvertible {
    case files
    case s3

    package var description: String { self == .files ? "files" : "S3" }
}

/// An empty place for the blobs of one test: a folder, or a prefix in the bucket that `make services` creates.
package final class BlobLocation: Sendable {
    package let address: BlobAddress
    private let folder: String
    private let owned: Owned

    private struct Owned: ~Copyable, Sendable { let folder: TemporaryFolder }

    package init(_ engine: BlobEngine) throws {
        owned = Owned(folder: try TemporaryFolder())
        folder = owned.folder.path
        address = engine == .files ? .file(folder: folder) : .s3(try CephService.everybodys(), CephService.credentials)
    }

    /// Opens the store, as another process would.
    package func open(_ clock: WallClock = .system) async throws -> any BlobStore {
        var options = BlobAddress.Options(scratchFolder: folder + "/scratch")
        options.removingLeftovers = true
        return try await address.open(options, clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}
