package import Core
import Dispatch
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Stores blobs as files: DIR/blobs/{00..ff}/KEY. Each system call that may block runs on the store's own threads.
package final class LocalBlobStore: BlobStore {
    let folders: BlobFolders
    private let published: PublishedFolders
    private let keptFree: Int64
    private let clock: WallClock
    private let entropy: Entropy
    /// Threads that hash, write and delete.
    let writing = NIOThreadPool(numberOfThreads: 4)
    /// The turns of the accounts and networks at these threads. When the disk takes bytes more slowly than they arrive, a batch otherwise
    /// waits for the batches of all other uploads.
    let writes: DiskTurns
    /// Threads that finish and publish, which mostly wait for fsync. There are many of them, because a file system's journal commits all
    /// pending syncs together; with four threads, many small concurrent uploads would queue.
    private let syncing = NIOThreadPool(numberOfThreads: SyncTurns.threadCount)
    let syncTurns = SyncTurns()
    /// Separate threads for reads, so that a download does not wait behind uploads.
    private let reading = NIOThreadPool(numberOfThreads: 2)
    let reads: DiskTurns

    /// The current writer of each resumable blob. `resume` ends it first: two writers of one file would mix their bytes.
    private let resumables = Mutex<[BlobKey: WeakWriter]>([:])

    private struct WeakWriter {
        weak var writer: LocalBlobWriter?
    }

    private let opened: OpenBlobs

    private init(folders: BlobFolders, keptOpen: Int, keptFree: Int64, clock: WallClock, entropy: Entropy) {
        opened = OpenBlobs(most: keptOpen)
        reads = DiskTurns(reading)
        writes = DiskTurns(writing)
        self.folders = folders
        published = PublishedFolders(in: folders)
        self.keptFree = keptFree
        self.clock = clock
        self.entropy = entropy
        writing._start(threadNamePrefix: "blob-write-")
        syncing._start(threadNamePrefix: "blob-sync-")
        reading._start(threadNamePrefix: "blob-read-")
    }

    deinit {
        // If the owner did not call `close`, the threads must still not outlive the store.
        for pool in [writing, syncing, reading] { pool.shutdownGracefully(queue: .global()) { _ in } }
    }

    /// Opens the store in `folder`. Creates the folder and its parents if they do not exist.
    /// - Parameters:
    ///   - removingLeftovers: whether to delete staged blobs that are not resumable. Only the process that holds the folder's `StoreLock`
    ///     may pass `true`; any other would delete uploads of the running server.
    ///   - keptOpen: the most descriptors that `openShared` keeps for the next request; default 0.
    ///   - keptFree: bytes of the disk that blobs leave free; a write that would use them fails with `BlobError.full`. Default 0.
    package static func open(
        folder: String, removingLeftovers: Bool, keptOpen: Int = 0, keptFree: Int64 = 0, clock: WallClock = .system,
        entropy: Entropy = .system
    ) async throws -> LocalBlobStore {
        let store = LocalBlobStore(
            folders: BlobFolders(in: folder), keptOpen: keptOpen, keptFree: keptFree, clock: clock, entropy: entropy)
        try await store.writing.perform {
            store.published.start(with: try store.folders.make())
            if removingLeftovers { try FolderListing.removeAll(in: store.folders.staging, olderThan: nil) }
        }
        return store
    }

    /// The folders below `folder` that every upload uses, the outermost first.
    package static func uploadFolders(in folder: String) -> [String] {
        let folders = BlobFolders(in: folder)
        return [folders.root, folders.staging, folders.held]
    }

    /// The folders below `folder` that hold the files, one for each first byte of a key. Some may not exist yet.
    package static func fileFolders(in folder: String) -> [String] { BlobFolders.names.map { "\(BlobFolders(in: folder).root)/\($0)" } }

    /// The file below `folder` that holds the blob.
    package static func file(of key: BlobKey, in folder: String) -> String { BlobFolders(in: folder).published(key) }

    /// Waits for the running calls. Queued and later calls fail with `BlobError.closed`.
    package func close() async {
        opened.close()
        for pool in [writing, syncing, reading] {
            await withCheckedContinuation { continuation in
                pool.shutdownGracefully(queue: .global()) { _ in continuation.resume() }
            }
        }
    }

    package func stage(isResumable: Bool) async throws -> any BlobWriter {
        let key = BlobKey(entropy: entropy)
        guard isResumable else { return newWriter(key) }
        let writer = LocalBlobWriter(
            key: key, stagedAt: clock.now, file: StagingFile(path: folders.held(key), folder: folders.held, keptFree: keptFree),
            store: self)
        register(writer)
        return writer
    }

    package func stage(as key: BlobKey) async throws -> any BlobWriter {
        // A copy that was killed may have left a file under this name.
        try await writes.perform { [folders] in _ = try Disk.remove(folders.staged(key)) }
        return newWriter(key)
    }

    private func newWriter(_ key: BlobKey) -> LocalBlobWriter {
        LocalBlobWriter(key: key, stagedAt: clock.now, file: StagingFile(path: folders.staged(key), keptFree: keptFree), store: self)
    }

    package func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter {
        let key = checkpoint.key
        guard checkpoint.stagedAt >= clock.now - BlobLimits.publishing else { throw BlobError.stale(key) }
        await resumables.withLock { $0[key]?.writer }?.leave()
        let file = try await writes.perform { [folders, keptFree] in
            try StagingFile(
                resuming: folders.held(key), folder: folders.held, byteCount: checkpoint.byteCount, keptFree: keptFree, key)
        }
        let writer = LocalBlobWriter(key: key, stagedAt: checkpoint.stagedAt, file: file, store: self)
        register(writer)
        return writer
    }

    private func register(_ writer: LocalBlobWriter) {
        resumables.withLock { resumables in
            // Remove entries whose writer no longer exists.
            if resumables.count > 1_000 { resumables = resumables.filter { $1.writer != nil } }
            resumables[writer.key] = WeakWriter(writer: writer)
        }
    }

    package func publish(_ staged: [StagedBlob]) async throws {
        guard !staged.isEmpty else { return }
        let limit = clock.now - BlobLimits.publishing
        for blob in staged where blob.stagedAt < limit { throw BlobError.stale(blob.key) }
        try await sync { [folders, published] in
            let targets = Set(staged.map { folders.folder(of: $0.key) })
            let unsynced = try published.make(targets)
            for blob in staged {
                let target = folders.published(blob.key)
                guard
                    try Disk.move(folders.staged(blob.key), to: target) || Disk.move(folders.held(blob.key), to: target)
                        || Disk.exists(target)
                else { throw BlobError.missing(blob.key) }
            }
            // A rename alone is not durable. Sync the folders in sequence: the journal commit for the first includes the others.
            for folder in targets { try Disk.syncFolder(folder) }
            try published.sync(unsynced)
        }
    }

    /// Runs `body`, which waits for the disk to sync, on one of the threads for that, in the requester's turn. Cancellation of the task does
    /// not cancel it.
    func sync<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let permit = await syncTurns.permit()
        defer { permit?.release() }
        return try await syncing.perform(body)
    }

    package func open(_ key: BlobKey) async throws -> any BlobReader {
        try await reads.perform { try LocalBlobReader(key: key, path: self.folders.published(key), store: self) }
    }

    package func openShared(_ key: BlobKey) async throws -> any BlobReader {
        if let reader = opened.reader(of: key) { return reader }
        return try await reads.perform {
            let reader = try LocalBlobReader(key: key, path: self.folders.published(key), store: self)
            self.opened.keep(reader)
            return reader
        }
    }

    /// The descriptors that `openShared` keeps now.
    package var keptOpenCount: Int { opened.count }

    package func openStaged(_ key: BlobKey) async throws -> any BlobReader {
        try await reads.perform {
            do {
                return try LocalBlobReader(key: key, path: self.folders.staged(key), store: self)
            } catch BlobError.missing {
                return try LocalBlobReader(key: key, path: self.folders.held(key), store: self)
            }
        }
    }

    package func delete(_ key: BlobKey) async throws {
        try await writes.perform { [folders, opened] in
            // The removal is not synced: a file that reappears after a power failure has no row, so the sweep deletes it.
            try Disk.remove(folders.published(key))
            opened.forget(key)
            try Disk.remove(folders.staged(key))
            try Disk.remove(folders.held(key))
        }
    }

    package func list(olderThan limit: Timestamp?) -> BlobListing { BlobListing { LocalBlobSource(self, olderThan: limit) } }

    package func removeLeftovers(olderThan limit: Timestamp) async throws -> Int {
        try await writes.perform { [folders] in
            try FolderListing.removeAll(in: folders.staging, olderThan: limit) + FolderListing.removeAll(in: folders.held, olderThan: limit)
        }
    }

    package func freeByteCount() async throws -> Int64 {
        try await reads.perform { [folders] in try Disk.freeByteCount(folders.root) }
    }
}
