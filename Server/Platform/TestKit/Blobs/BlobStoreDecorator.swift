package import Blobs
package import Core

/// A store that passes calls on to another one. A test implements only the calls that it observes or breaks.
package protocol BlobStoreDecorator: BlobStore {
    var base: any BlobStore { get }
}

extension BlobStoreDecorator {
    package func stage(isResumable: Bool) async throws -> any BlobWriter { try await base.stage(isResumable: isResumable) }
    package func stage(as key: BlobKey) async throws -> any BlobWriter { try await base.stage(as: key) }
    package func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter { try await base.resume(checkpoint) }
    package func publish(_ staged: [StagedBlob]) async throws { try await base.publish(staged) }
    package func open(_ key: BlobKey) async throws -> any BlobReader { try await base.open(key) }
    package func openStaged(_ key: BlobKey) async throws -> any BlobReader { try await base.openStaged(key) }
    package func delete(_ key: BlobKey) async throws { try await base.delete(key) }
    package func list(olderThan limit: Timestamp?) -> BlobListing { base.list(olderThan: limit) }
    package func removeLeftovers(olderThan limit: Timestamp) async throws -> Int { try await base.removeLeftovers(olderThan: limit) }
    package func freeByteCount() async throws -> Int64 { try await base.freeByteCount() }
}
