import Core
import NIOCore
import NIOPosix
import Synchronization

/// Double-buffers the bytes of a blob: one batch is hashed and written on the store's threads while the other fills. `append` waits when
/// both are full.
///
/// The bytes are copied, which costs less than keeping the network's buffers. These buffers are small, and passing them to another thread
/// makes malloc return memory to the kernel and request it again all the time. A slice of a few bytes would also keep a whole buffer alive,
/// so a client that sends single bytes could exhaust the memory.
final class LocalBlobWriter: BlobWriter {
    /// Large enough to make the cost of switching threads negligible, small enough that two batches use little memory.
    static let batchByteCount = 524_288

    let key: BlobKey
    private let stagedAt: Timestamp
    private let file: StagingFile
    private let store: LocalBlobStore
    /// Whose batches these are, and whether they hold a turn for which others wait. A batch that was handed over while the last one was
    /// written starts on a thread that knows neither.
    private let source: (any RequesterSource)? = Requester.source
    private let state = Mutex(State())

    fileprivate struct State: Sendable {
        var filling = ByteBuffer()
        /// The batch to write next, until a thread takes it.
        var handed: ByteBuffer?
        /// True from when a batch is handed over until it is written.
        var isWorking = false
        /// The buffer of the last written batch, for reuse.
        var spare: ByteBuffer?
        var failure: (any Error)?
        var isEnded = false
        var waitingForRoom: [CheckedContinuation<Void, Never>] = []
        var waitingForRest: [CheckedContinuation<Void, Never>] = []
    }

    init(key: BlobKey, stagedAt: Timestamp, file: StagingFile, store: LocalBlobStore) {
        self.key = key
        self.stagedAt = stagedAt
        self.store = store
        self.file = file
    }

    deinit {
        // Deleting a large file takes time, and this may run on an event loop.
        store.writing.submit { [file] _ in file.leave() }
    }

    func append(_ bytes: ByteBuffer) async throws {
        var rest = bytes
        while true {
            let step = try state.withLock { try $0.take(&rest) }
            switch step {
            case .done: return
            case .start: work()
            case .wait: await room()
            }
        }
    }

    func writeOut() async {
        await rest()
        if state.withLock({ $0.handOverRest() }) {
            work()
            await rest()
        }
        state.withLock { state in
            state.spare = nil
            if state.filling.readableBytes == 0 { state.filling = ByteBuffer() }
        }
    }

    func checkpoint() async throws -> BlobCheckpoint {
        try state.withLock { try $0.checkUsable() }
        guard file.isResumable else { throw BlobError.notResumable }
        await rest()
        let last = try state.withLock { state throws -> ByteBuffer in
            try state.checkUsable()
            return state.takeFilling()
        }
        do {
            let byteCount = try await store.sync { [file] in try file.checkpoint(last) }
            return BlobCheckpoint(key: key, byteCount: byteCount, stagedAt: stagedAt)
        } catch {
            state.withLock { $0.fail(error) }
            throw error
        }
    }

    /// Ends this writer and keeps its checkpointed bytes for the next one.
    func leave() async {
        state.withLock { state in
            state.isEnded = true
            state.drop()
        }
        await rest()
        try? await store.writes.perform { [file] in file.leave() }
    }

    func finish() async throws -> StagedBlob {
        try state.withLock { state in
            try state.checkUsable()
            state.isEnded = true
        }
        await rest()
        let last = try state.withLock { state throws -> ByteBuffer in
            if let failure = state.failure { throw failure }
            // A finished writer exists until the whole request is settled; free its memory now.
            state.spare = nil
            return state.takeFilling()
        }
        let (byteCount, sha256) = try await store.sync { [file, stagedAt] in try file.finish(last, dated: stagedAt) }
        return StagedBlob(key: key, byteCount: byteCount, sha256: sha256, stagedAt: stagedAt)
    }

    func abort() async {
        state.withLock { state in
            state.isEnded = true
            state.drop()
        }
        await rest()
        try? await store.writes.perform { [file] in file.discard() }
    }

    // MARK: Waiting

    private func room() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.isFull { state.waitingForRoom.append(continuation) } else { continuation.resume() }
            }
        }
    }

    private func rest() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.isWorking { state.waitingForRest.append(continuation) } else { continuation.resume() }
            }
        }
    }

    // MARK: On the disk's threads

    /// Writes one batch per job, so that many writers share few threads fairly.
    private func work() {
        Requester.$source.withValue(source) {
            store.writes.start { [self] pool in
                // Take the buffer out of the state, so that it is uniquely referenced and can be reused.
                var batch = state.withLock { $0.handed.take() }
                do {
                    guard pool == .active else { throw BlobError.closed }
                    if let batch { try file.write(batch) }
                    batch?.clear()
                    let hasMore = state.withLock { $0.wasWritten(spare: batch) }
                    if hasMore { work() }
                } catch {
                    state.withLock { $0.fail(error) }
                }
            }
        }
    }
}

extension LocalBlobWriter.State {
    fileprivate enum Step {
        /// All bytes were copied.
        case done
        /// A batch was handed over, and no job is writing.
        case start
        /// Both batches are full.
        case wait
    }

    fileprivate var isFull: Bool { filling.readableBytes >= LocalBlobWriter.batchByteCount }

    /// Copies as many of `bytes` as fit into the batch.
    fileprivate mutating func take(_ bytes: inout ByteBuffer) throws -> Step {
        try checkUsable()
        if !isFull, let slice = bytes.readSlice(length: min(bytes.readableBytes, LocalBlobWriter.batchByteCount - filling.readableBytes)) {
            filling.writeImmutableBuffer(slice)
        }
        guard isFull else { return .done }
        if isWorking { return bytes.readableBytes == 0 ? .done : .wait }
        handOver()
        return .start
    }

    /// Call when the current batch has been written.
    /// - Returns: whether the other batch is full and was handed over.
    fileprivate mutating func wasWritten(spare: ByteBuffer?) -> Bool {
        self.spare = spare
        if isFull { handOver() } else { isWorking = false }
        wake(restToo: !isWorking)
        return isWorking
    }

    fileprivate mutating func fail(_ error: any Error) {
        failure = error
        isWorking = false
        drop()
        wake(restToo: true)
    }

    /// Drops the bytes that are not being written yet.
    fileprivate mutating func drop() {
        filling = ByteBuffer()
        handed = nil
        wake(restToo: false)
    }

    fileprivate mutating func takeFilling() -> ByteBuffer {
        defer { filling = ByteBuffer() }
        return filling
    }

    /// Hands over a batch that is not full.
    /// - Returns: whether there was one.
    fileprivate mutating func handOverRest() -> Bool {
        guard failure == nil, !isEnded, !isWorking, filling.readableBytes > 0 else { return false }
        isWorking = true
        handed = takeFilling()
        return true
    }

    fileprivate func checkUsable() throws {
        if let failure { throw failure }
        if isEnded { throw BlobError.ended }
    }

    private mutating func handOver() {
        isWorking = true
        handed = filling
        // A second buffer is made only after a full first one: more bytes are likely then, and a small blob never needs two.
        filling = spare.take() ?? ByteBufferAllocator().buffer(capacity: LocalBlobWriter.batchByteCount)
    }

    private mutating func wake(restToo: Bool) {
        for continuation in waitingForRoom { continuation.resume() }
        waitingForRoom = []
        guard restToo else { return }
        for continuation in waitingForRest { continuation.resume() }
        waitingForRest = []
    }
}
