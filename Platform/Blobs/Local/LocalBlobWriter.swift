import Core
import NIOCore
import NIOPosix
import Synchronization

/// Hands batches to the disk's threads: one is hashed and written while the next fills, and whoever fills waits rather than let a third begin.
final class LocalBlobWriter: BlobWriter {
    /// Long enough that the hop to another thread does not show, short enough that two of them are little memory.
    static let batchByteCount = 524_288

    let key: BlobKey
    private let stagedAt: Timestamp
    private let file: StagingFile
    private let store: LocalBlobStore
    private let state = Mutex(State())

    fileprivate struct State: Sendable {
        var filling = BlobBatch()
        /// Full, and waiting for the one that is being written. Whoever filled it is held until it is taken.
        var next: BlobBatch?
        var isWorking = false
        var failure: (any Error)?
        var isEnded = false
        var waitingForRoom: [CheckedContinuation<Void, any Error>] = []
        var waitingForRest: [CheckedContinuation<Void, Never>] = []
    }

    init(key: BlobKey, stagedAt: Timestamp, path: String, store: LocalBlobStore) {
        self.key = key
        self.stagedAt = stagedAt
        self.store = store
        file = StagingFile(path: path)
    }

    deinit {
        // Removing a large file takes a while, and this may be an event loop's thread.
        store.writing.submit { [file] _ in file.discard(evenFinished: false) }
    }

    func append(_ bytes: ByteBuffer) async throws {
        var isFull = try state.withLock { state in
            try state.checkUsable()
            state.filling.append(bytes)
            return state.filling.byteCount >= Self.batchByteCount
        }
        while isFull {
            let step = try state.withLock { try $0.handOver() }
            switch step {
            case .start:
                work()
                return
            case .waitAfterwards:
                try await roomForMore()
                return
            case .waitFirst:
                // Threads are busy with other writers, and have not come to this one's last batch yet.
                try await roomForMore()
            }
            isFull = state.withLock { $0.filling.byteCount >= Self.batchByteCount }
        }
    }

    func finish() async throws -> StagedBlob {
        try state.withLock { state in
            try state.checkUsable()
            state.isEnded = true
        }
        await rest()
        let last = try state.withLock { state throws -> BlobBatch in
            if let failure = state.failure { throw failure }
            return state.filling.take()
        }
        let (byteCount, sha256) = try await store.writing.perform { [file, stagedAt] in try file.finish(last, dated: stagedAt) }
        return StagedBlob(key: key, byteCount: byteCount, sha256: sha256, stagedAt: stagedAt)
    }

    func abort() async {
        state.withLock { state in
            state.isEnded = true
            state.drop(BlobError.ended)
        }
        await rest()
        try? await store.writing.perform { [file] in file.discard(evenFinished: true) }
    }

    // MARK: Waiting

    private func roomForMore() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            state.withLock { state in
                if let failure = state.failure {
                    continuation.resume(throwing: failure)
                } else if state.next == nil {
                    continuation.resume()
                } else {
                    state.waitingForRoom.append(continuation)
                }
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
            do {
                guard pool == .active else { throw BlobError.closed }
                let batch = state.withLock { state in
                    for continuation in state.waitingForRoom { continuation.resume() }
                    state.waitingForRoom = []
                    return state.next.take()
                }
                if let batch { try file.write(batch) }
            } catch {
                state.withLock { $0.fail(error) }
            }
            let hasMore = state.withLock { state in
                state.isWorking = state.next != nil
                guard !state.isWorking else { return true }
                for continuation in state.waitingForRest { continuation.resume() }
                state.waitingForRest = []
                return false
            }
            if hasMore { work() }
        }
    }
}

extension LocalBlobWriter.State {
    fileprivate enum Step {
        case start
        case waitAfterwards
        case waitFirst
    }

    /// Makes the full batch the next one, as soon as there is none.
    fileprivate mutating func handOver() throws -> Step {
        try checkUsable()
        guard next == nil else { return .waitFirst }
        next = filling.take()
        if isWorking { return .waitAfterwards }
        isWorking = true
        return .start
    }

    fileprivate func checkUsable() throws {
        if let failure { throw failure }
        if isEnded { throw BlobError.ended }
    }

    fileprivate mutating func fail(_ error: any Error) {
        failure = error
        drop(error)
    }

    fileprivate mutating func drop(_ error: any Error) {
        filling = BlobBatch()
        next = nil
        for continuation in waitingForRoom { continuation.resume(throwing: error) }
        waitingForRoom = []
    }
}
