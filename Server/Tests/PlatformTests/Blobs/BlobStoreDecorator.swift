import Blobs
import Core

/// A store that passes calls on to another one. A test implements only the calls that it observes or breaks.
protocol BlobStoreDecorator: BlobStore {
    var base: any BlobStore { get }
}

extension BlobStoreDecorator {
    func stage(isResumable: Bool) async throws -> any BlobWriter { try await base.stage(isResumable: isResumable) }
    func stage(as key: BlobKey) async throws -> any BlobWriter { try await base.stage(as: key) }
    func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter { try await base.resume(checkpoint) }
    func publish(_ staged: [StagedBlob]) async throws { try await base.publish(staged) }
    func open(_ key: BlobKey) async throws -> any BlobReader { try await base.open(key) }
    func openStaged(_ key: BlobKey) async throws -> any BlobReader { try await base.openStaged(key) }
    func delete(_ key: BlobKey) async throws { try await base.delete(key) }
    func list(olderThan limit: Timestamp?) -> BlobListing { base.list(olderThan: limit) }
    func removeLeftovers(olderThan limit: Timestamp) async throws -> Int { try await base.removeLeftovers(olderThan: limit) }
    func freeByteCount() async throws -> Int64 { try await base.freeByteCount() }
}
