import Synchronization

/// The folders of published blobs. The first publication into a folder creates it. All methods block.
final class PublishedFolders: Sendable {
    private let root: String
    /// The folders whose names are durable. A folder can exist before its name is durable: the process that created it may not have synced
    /// `root` yet.
    private let durable = Mutex<Set<String>>([])

    init(in folders: BlobFolders) { root = folders.root }

    /// - Parameter existing: folders that existed before `root` was synced.
    func start(with existing: Set<String>) { durable.withLock { $0.formUnion(existing) } }

    /// Creates the missing ones of `folders`.
    /// - Returns: those for which the caller must call `sync` before it acknowledges a blob in them.
    func make(_ folders: Set<String>) throws -> Set<String> {
        let unsynced = folders.subtracting(durable.withLock { $0 })
        for folder in unsynced where try Disk.makeFolder(folder) {
            // A command that root runs while the server runs must not leave a folder that the server cannot write to.
            try Disk.changeOwner(of: folder, toOwnerOf: root)
        }
        return unsynced
    }

    /// Makes the names of `folders` durable.
    func sync(_ folders: Set<String>) throws {
        guard !folders.isEmpty else { return }
        try Disk.syncFolder(root)
        durable.withLock { $0.formUnion(folders) }
    }
}
