import Core
import NIOCore
import NIOPosix
import Synchronization

/// Two batches of bytes: one is hashed and written on the disk's threads while the other fills, and whoever fills waits when both are full.
///
/// The bytes are copied. That costs less than keeping the network's buffers would: those are small, and passing them through
/// another thread makes malloc give memory back to the kernel and fetch it again all the time; and a slice of a few bytes
/// would keep a whole buffer alive, so that whoever sends byte by byte fills the memory.
final class LocalBlobWriter: BlobWriter {
    /// Long enough that the hop to another thread does not show, short enough that two of them are little memory.
    static let batchByteCount = 524_288

    let key: BlobKey
    private let stagedAt: Timestamp
    private let file: StagingFile
    private let store: LocalBlobStore
    private let state = Mutex(State())

    fileprivate struct State: Sendable {
        var filling = ByteBuffer()
        /// To be written next, until a thread takes it.
        var handed: ByteBuffer?
        /// From when a batch is handed over until it is written.
        var isWorking = false
        /// The storage of the batch that was written last.
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
        // Removing a large file takes a while, and this may be an event loop's thread.
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

    func checkpoint() async throws -> BlobCheckpoint {
        try state.withLock { try $0.checkUsable() }
        guard file.isResumable else { throw BlobError.notResumable }
        await rest()
        let last = try state.withLock { state throws -> ByteBuffer in
            try state.checkUsable()
            return state.takeFilling()
        }
        do {
            let byteCount = try await store.syncing.perform { [file] in try file.checkpoint(last) }
            return BlobCheckpoint(key: key, byteCount: byteCount, stagedAt: stagedAt)
        } catch {
            state.withLock { $0.fail(error) }
            throw error
        }
    }

    /// Ends this writer, and keeps what it has checkpointed for the next.
    func leave() async {
        state.withLock { state in
            state.isEnded = true
            state.drop()
        }
        await rest()
        try? await store.writing.perform { [file] in file.leave() }
    }

    func finish() async throws -> StagedBlob {
        try state.withLock { state in
            try state.checkUsable()
            state.isEnded = true
        }
        await rest()
        let last = try state.withLock { state throws -> ByteBuffer in
            if let failure = state.failure { throw failure }
            // A finished writer is kept until the whole request is settled; its memory is not.
            state.spare = nil
            return state.takeFilling()
        }
        let (byteCount, sha256) = try await store.syncing.perform { [file, stagedAt] in try file.finish(last, dated: stagedAt) }
        return StagedBlob(key: key, byteCount: byteCount, sha256: sha256, stagedAt: stagedAt)
    }

    func abort() async {
        state.withLock { state in
            state.isEnded = true
            state.drop()
        }
        await rest()
        try? await store.writing.perform { [file] in file.discard() }
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

    /// One batch a turn, so that many writers share few threads fairly.
    private func work() {
        store.writing.submit { [self] pool in
            // Out of the state, so that its storage has one owner and can be used again.
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

extension LocalBlobWriter.State {
    fileprivate enum Step {
        /// All bytes are taken.
        case done
        /// A batch was handed over, and nobody is writing.
        case start
        /// Both batches are full.
        case wait
    }

    fileprivate var isFull: Bool { filling.readableBytes >= LocalBlobWriter.batchByteCount }

    /// Copies what there is room for out of `bytes`.
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

    /// The batch in work is written.
    /// - Returns: whether the other one is full by now, and handed over.
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

    /// Forgets what is not being written yet.
    fileprivate mutating func drop() {
        filling = ByteBuffer()
        handed = nil
        wake(restToo: false)
    }

    fileprivate mutating func takeFilling() -> ByteBuffer {
        defer { filling = ByteBuffer() }
        return filling
    }

    fileprivate func checkUsable() throws {
        if let failure { throw failure }
        if isEnded { throw BlobError.ended }
    }

    private mutating func handOver() {
        isWorking = true
        handed = filling
        // One full batch promises another; a small blob never has two.
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
