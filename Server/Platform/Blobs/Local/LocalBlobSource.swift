import Core
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lists all folders of a store in turn, in batches, so that listing millions of files never blocks a thread for long.
final class LocalBlobSource: BlobSource, Sendable {
    private static let turnCount = 512

    private let store: LocalBlobStore
    private let limit: Timestamp?
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var nextFolder = 0
        var listing: FolderListing?
    }

    init(_ store: LocalBlobStore, olderThan limit: Timestamp?) {
        self.store = store
        self.limit = limit
    }

    func next() async throws -> [BlobListing.Entry]? {
        let entries = try await store.reads.perform { try self.nextBlocking() }
        return entries.isEmpty ? nil : entries
    }

    private func nextBlocking() throws -> [BlobListing.Entry] {
        try state.withLock { state in
            while true {
                if let entries = try state.listing?.next(Self.turnCount), !entries.isEmpty { return entries }
                state.listing = nil
                guard state.nextFolder < BlobFolders.names.count else { return [] }
                state.listing = try listing(store.folders.root + "/" + BlobFolders.names[state.nextFolder])
                state.nextFolder += 1
            }
        }
    }

    /// - Returns: `nil` for a folder that does not exist, because no blob was published into it.
    private func listing(_ path: String) throws -> FolderListing? {
        do {
            return try FolderListing(path, olderThan: limit)
        } catch BlobError.system(_, code: ENOENT) where Disk.exists(store.folders.root) {
            // Without `root`, the disk is not mounted, and an empty list would be wrong.
            return nil
        }
    }
}
