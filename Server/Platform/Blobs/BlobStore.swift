package import Core
package import NIOCore

/// A store of immutable bytes under random keys. It knows no owner and no row: `BlobLedger` does.
///
/// A blob is staged, finished, published, and only then given a row, in this order:
///
///     let writer = try await store.stage()
///     try await writer.append(bytes)
///     let staged = try await writer.finish()         // on the disk, under its temporary name
///     try await store.publish([staged])              // under its key, for ever
///     try await database.write { tx in try ledger.adopt(staged, owner: owner, tx) }
///
/// After a crash in between, `BlobGarbageCollector` finds the bytes without a row and removes them.
package protocol BlobStore: Sendable {
    /// A new blob under a new key.
    /// - Parameter isResumable: what was checkpointed outlives the process, for `resume`. Otherwise nothing staged does.
    func stage(isResumable: Bool) async throws -> any BlobWriter

    /// Goes on with a resumable blob from its checkpoint; bytes after it are dropped. Whoever wrote it before, on this node, is
    /// ended first and writes no more. The bytes up to the checkpoint are read once, for their hash.
    /// - Throws: `BlobError.missing` when they are not there any more, `.stale` when it was staged more than 24 hours ago.
    func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter

    /// Gives finished blobs their keys, durably. Publishing twice is no error.
    /// - Throws: `BlobError.stale` when one was staged more than `BlobLimits.publishing` ago; then none was published.
    func publish(_ staged: [StagedBlob]) async throws

    /// - Throws: `BlobError.missing`.
    func open(_ key: BlobKey) async throws -> any BlobReader

    /// Opens what was finished and is not published yet.
    /// - Throws: `BlobError.missing`, also for what is published already.
    func openStaged(_ key: BlobKey) async throws -> any BlobReader

    /// Removes the bytes, published or only staged. No error when they are gone already.
    func delete(_ key: BlobKey) async throws

    /// Published blobs staged before `limit`, or all; in no order. A blob published or deleted meanwhile may be listed or not.
    func list(olderThan limit: Timestamp?) -> BlobListing

    /// Removes what was staged and never published, resumable or not, last written to before `limit`.
    /// - Returns: how many.
    func removeLeftovers(olderThan limit: Timestamp) async throws -> Int

    /// Room left for blobs; `Int64.max` where the engine knows no bound.
    func freeByteCount() async throws -> Int64
}

extension BlobStore {
    /// A new blob that only this process will write.
    package func stage() async throws -> any BlobWriter { try await stage(isResumable: false) }
}

/// How long bytes live without a row. The first must be well below the second: a blob whose publishing was allowed gets its row
/// long before the sweep looks at it.
package enum BlobLimits {
    /// A blob staged longer ago is not published any more.
    package static let publishing = Duration.hours(24)
    /// Bytes without a row are removed when they are older.
    package static let sweeping = Duration.hours(48)
    /// A blob nobody refers to keeps its bytes this long, for whoever has just opened it.
    package static let reaping = Duration.minutes(10)
}

/// Takes one blob's bytes, in order, from one task at a time. Dropped before `finish`, it leaves nothing behind, or, if it is resumable,
/// what it had checkpointed.
package protocol BlobWriter: AnyObject, Sendable {
    var key: BlobKey { get }

    /// Answers at once, or, when the disk is behind, as soon as it has caught up: at most about 1 MiB waits to be written.
    /// - Throws: what an earlier write failed with, `BlobError.full` for one; then nothing is left on the disk.
    func append(_ bytes: ByteBuffer) async throws

    /// Answers once all that was appended is on the disk for good, so that `BlobStore.resume` can go on from there whatever happens.
    /// Writing goes on, too.
    /// - Throws: `BlobError.notResumable`; whatever was not written or synced. After that the writer is of no use, and the checkpoint
    ///   before is as good as it was.
    func checkpoint() async throws -> BlobCheckpoint

    /// Answers once all bytes are on the disk for good, under their temporary name.
    /// - Throws: whatever was not written or synced; then nothing is left on the disk.
    func finish() async throws -> StagedBlob

    /// Removes what was written; also after `finish`, as long as it was not published. Safe to call at any time, and twice.
    func abort() async
}

/// How far a resumable blob has come, durably.
package struct BlobCheckpoint: Sendable, Hashable, Codable {
    package let key: BlobKey
    package let byteCount: Int64
    /// When the blob was staged first.
    package let stagedAt: Timestamp

    package init(key: BlobKey, byteCount: Int64, stagedAt: Timestamp) {
        self.key = key
        self.byteCount = byteCount
        self.stagedAt = stagedAt
    }
}

/// A whole blob, durable but not published.
package struct StagedBlob: Sendable, Hashable, Codable {
    package let key: BlobKey
    package let byteCount: Int64
    /// 64 lower-case hexadecimal digits.
    package let sha256: String
    /// When its writer was made.
    package let stagedAt: Timestamp

    package init(key: BlobKey, byteCount: Int64, sha256: String, stagedAt: Timestamp) {
        self.key = key
        self.byteCount = byteCount
        self.sha256 = sha256
        self.stagedAt = stagedAt
    }
}

/// A published blob, opened. Deleted meanwhile, it stays readable from the file engine; others may throw `BlobError.missing`.
package protocol BlobReader: Sendable {
    var key: BlobKey { get }
    var byteCount: Int64 { get }

    /// The bytes of `range` (clamped to what there is) in pieces of `chunkSize`, the last one shorter. While one piece is used, the
    /// next is read, and no more: two pieces are in memory at most.
    /// - Throws while iterating: `BlobError.truncated` when the bytes end too early.
    func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks

    /// Appends bytes of `range`, from its start on, if they are in memory already. Never waits for a disk, so it may be called on an
    /// event loop.
    /// - Returns: whether there are any; fewer than `range` has is no error. `false` where that cannot be told.
    func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool

    /// All bytes of `range`, which must lie within the blob.
    /// - Returns: fails with `BlobError.truncated` when the bytes end too early.
    func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer>

    /// A descriptor of the caller's own, to close when done: for sendfile and for other processes. It shares its file offset with
    /// other duplicates, so read with explicit offsets. `nil` where the bytes are in no file of this machine.
    func duplicateDescriptor() throws -> CInt?
}

extension BlobReader {
    /// In pieces of 256 KiB.
    package func chunks(in range: Range<Int64>) -> BlobChunks { chunks(in: range, chunkSize: 262_144) }
}
