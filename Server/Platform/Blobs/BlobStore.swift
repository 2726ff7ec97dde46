package import Core
package import NIOCore

/// A store of immutable bytes under random keys. It knows neither owners nor rows; `BlobLedger` does.
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
    /// Starts a new blob under a new key.
    /// - Parameter isResumable: whether checkpointed bytes outlive the process, for `resume`. Other staged bytes never outlive it.
    func stage(isResumable: Bool) async throws -> any BlobWriter

    /// Starts a blob under a key that another store gave to the same bytes: for copies of an installation. It is not resumable.
    func stage(as key: BlobKey) async throws -> any BlobWriter

    /// Continues a resumable blob from its checkpoint and drops bytes after it. If another writer on this node still writes the blob, that
    /// writer is ended first. The bytes up to the checkpoint are read once, for their hash.
    /// - Throws: `BlobError.missing` when the bytes no longer exist, `.stale` when the blob was staged more than 24 hours ago.
    func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter

    /// Moves finished blobs to their keys, durably. Publishing a blob twice is not an error.
    /// - Throws: `BlobError.stale` when one of them was staged more than `BlobLimits.publishing` ago; then none is published. `.missing`
    ///   when the bytes of one no longer exist.
    func publish(_ staged: [StagedBlob]) async throws

    /// - Throws: `BlobError.missing`.
    func open(_ key: BlobKey) async throws -> any BlobReader

    /// Opens a blob that many requests may read, and may keep it open for the next one. Check first that the blob's row exists: after a
    /// deletion this may return a reader for two more minutes.
    /// - Throws: `BlobError.missing`.
    func openShared(_ key: BlobKey) async throws -> any BlobReader

    /// Like `openShared(_:)`, for a blob whose row states its length. A store on another machine need not ask for the length then, so a
    /// missing blob fails the first read instead of this call.
    /// - Throws: `BlobError.missing`, or nothing when the store sends no request.
    func openShared(_ key: BlobKey, byteCount: Int64) async throws -> any BlobReader

    /// Opens a blob that is finished but not published yet.
    /// - Throws: `BlobError.missing`, also when it is already published.
    func openStaged(_ key: BlobKey) async throws -> any BlobReader

    /// Deletes the bytes, published or staged. No error when they do not exist.
    func delete(_ key: BlobKey) async throws

    /// Published blobs staged before `limit`, or all of them for `nil`; in no order. It may or may not list a blob that is published or
    /// deleted meanwhile.
    func list(olderThan limit: Timestamp?) -> BlobListing

    /// Deletes staged blobs, resumable or not, that were never published and last written before `limit`.
    /// - Returns: the number of blobs deleted.
    func removeLeftovers(olderThan limit: Timestamp) async throws -> Int

    /// Free bytes for blobs; `Int64.max` where the store knows no limit.
    func freeByteCount() async throws -> Int64

    /// Whether the bytes are on another machine; default `false`.
    var isRemote: Bool { get }

    /// A URL at which anybody can read the blob, without this server, until it expires.
    /// - Parameters:
    ///   - contentType: the media type that the response must state.
    ///   - disposition: the value that the response's `Content-Disposition` must have.
    ///   - duration: whole seconds, at least one.
    /// - Returns: `nil` where the store serves no requests of its own; that is the default.
    func presignedLink(to key: BlobKey, contentType: String, disposition: String, for duration: Duration) throws -> String?

    /// Waits for the running calls. Later calls fail with `BlobError.closed`.
    func close() async
}

extension BlobStore {
    /// Starts a new blob that is not resumable.
    package func stage() async throws -> any BlobWriter { try await stage(isResumable: false) }

    package func openShared(_ key: BlobKey) async throws -> any BlobReader { try await open(key) }

    package func openShared(_ key: BlobKey, byteCount: Int64) async throws -> any BlobReader { try await openShared(key) }

    package var isRemote: Bool { false }

    package func presignedLink(to key: BlobKey, contentType: String, disposition: String, for duration: Duration) throws -> String? { nil }

    package func close() async {}
}

/// How long bytes are kept without a row. `publishing` must be well below `sweeping`, so that a published blob gets its row long before the
/// sweep checks it.
package enum BlobLimits {
    /// A blob that was staged longer ago is no longer published.
    package static let publishing = Duration.hours(24)
    /// Bytes without a row are deleted after this time.
    package static let sweeping = Duration.hours(48)
    /// A blob without references keeps its bytes for this time, for readers that have just opened it.
    package static let reaping = Duration.minutes(10)
    /// Bytes of the disk that blobs leave free: 32 MiB. On a disk that uploads have filled, the database can still commit sign-ins and
    /// deletions, and a deletion is what frees space.
    package static let keptFree: Int64 = 32 << 20
    /// With less free space than this, the server is not ready: 64 MiB, which is `keptFree` and one ordinary upload.
    package static let ready: Int64 = 64 << 20
}

/// Writes the bytes of one blob, in order. Only one task at a time may call it. A writer that is released before `finish` leaves no bytes
/// behind, except what a resumable blob has checkpointed.
package protocol BlobWriter: AnyObject, Sendable {
    var key: BlobKey { get }

    /// Appends bytes. Returns at once, or waits while the disk is behind: at most about 1 MiB waits to be written.
    /// - Throws: the error of an earlier write, for example `BlobError.full`; then no bytes are left on the disk.
    func append(_ bytes: ByteBuffer) async throws

    /// Returns when no appended bytes are in memory any more. They are in a file, not durable yet, or on their way to an object store.
    /// `append` throws the error of a failed write.
    func writeOut() async

    /// Returns when all appended bytes are durable, so that `BlobStore.resume` can continue from there after a crash. The writer can append
    /// more.
    /// - Throws: `BlobError.notResumable`, or the error of a write or sync. After an error the writer is unusable; the previous checkpoint
    ///   remains valid.
    func checkpoint() async throws -> BlobCheckpoint

    /// Returns when all bytes are durable under their temporary name.
    /// - Throws: the error of a write or sync; then no bytes are left on the disk.
    func finish() async throws -> StagedBlob

    /// Deletes the bytes, also after `finish` unless they were published. Safe to call at any time and repeatedly.
    func abort() async
}

/// The durable state of a resumable blob.
package struct BlobCheckpoint: Sendable, Hashable, Codable {
    package let key: BlobKey
    package let byteCount: Int64
    /// When the blob was first staged.
    package let stagedAt: Timestamp

    package init(key: BlobKey, byteCount: Int64, stagedAt: Timestamp) {
        self.key = key
        self.byteCount = byteCount
        self.stagedAt = stagedAt
    }
}

/// A complete blob that is durable but not published.
package struct StagedBlob: Sendable, Hashable, Codable {
    package let key: BlobKey
    package let byteCount: Int64
    /// 64 lower-case hexadecimal digits.
    package let sha256: String
    /// When the blob was first staged.
    package let stagedAt: Timestamp

    package init(key: BlobKey, byteCount: Int64, sha256: String, stagedAt: Timestamp) {
        self.key = key
        self.byteCount = byteCount
        self.sha256 = sha256
        self.stagedAt = stagedAt
    }
}

/// An open blob. If it is deleted meanwhile, the local store can still read it; other stores may throw `BlobError.missing`.
package protocol BlobReader: Sendable {
    var key: BlobKey { get }
    var byteCount: Int64 { get }

    /// Whether the bytes are on another machine, so that each `read` and each iteration of `chunks` is a request to it. Read a long range
    /// with one iteration of `chunks`, and not with a `read` for each piece. Releasing the iterator ends the request. Default `false`.
    var isRemote: Bool { get }

    /// The bytes of `range`, clamped to the blob, in pieces of at most `chunkSize` bytes. While the caller uses one piece the reader
    /// reads the next, so at most two pieces are in memory.
    /// - Throws while iterating: `BlobError.truncated` when the bytes end too early.
    func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks

    /// Prepares to read `range` on an event loop of NIO's shared group. `nil` where `isRemote` is false, the default.
    /// - Parameter range: lies within the blob.
    func stream(_ range: Range<Int64>, on eventLoop: any EventLoop) -> (any BlobStream)?

    /// Appends bytes from the start of `range` if they are in the page cache. It never waits for a disk, so it may be called on an event
    /// loop.
    /// - Returns: whether it appended any bytes; it may append fewer than `range` has. Always `false` where the system cannot tell.
    func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool

    /// Reads all bytes of `range`, which must lie within the blob.
    /// - Returns: a future that fails with `BlobError.truncated` when the bytes end too early.
    func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer>

    /// The descriptor of the local file, for sendfile(2). It is valid while the reader is referenced, and belongs to the reader. `nil`
    /// where the bytes are not in a local file.
    var unsafeDescriptor: CInt? { get }

    /// Whether all bytes of `range` are in the page cache. It never waits for a disk. `false` where the system cannot tell, and when the
    /// bytes end too early.
    func isCached(_ range: Range<Int64>) -> Bool

    /// Reads all bytes of `range`, which must lie within the blob, into the page cache.
    /// - Returns: a future that fails with `BlobError.truncated` when the bytes end too early.
    func cache(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<Void>

    /// A file descriptor that the caller must close, for sendfile and other processes. Duplicates share one file offset, so read with
    /// explicit offsets. `nil` where the bytes are not in a local file.
    func duplicateDescriptor() throws -> CInt?
}

extension BlobReader {
    package var isRemote: Bool { false }

    package func stream(_ range: Range<Int64>, on eventLoop: any EventLoop) -> (any BlobStream)? { nil }

    /// The bytes of `range` in pieces of at most 256 KiB.
    package func chunks(in range: Range<Int64>) -> BlobChunks { chunks(in: range, chunkSize: 262_144) }
}
