import Core
import NIOCore
import Synchronization

/// The send queue of one socket, bounded in bytes and messages, and by the memory that all sockets share. When it is full, further senders
/// wait in order. An empty queue always takes one message, so that a socket whose client reads never stops.
///
/// Tasks send; the socket's event loop writes. The lock is held only briefly, and no continuation is resumed under it.
final class WebSocketOutbox: Sendable {
    private struct Waiter {
        let number: Int
        let message: WebSocketMessage
        let since: NIODeadline
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var queue: CircularBuffer<WebSocketMessage> = []
        /// Bytes of the queued messages and of those that the kernel has not taken yet.
        var byteCount = 0
        var messageCount = 0
        /// Whether the oldest of these messages found no room in the shared memory, so that it does not count there.
        var isOldestUncounted = false
        var line: CircularBuffer<Waiter> = []
        var lastNumber = 0
        /// Whether a timer for the waiting senders is scheduled.
        var isWatched = false
        var isClosed = false

        mutating func accept(_ message: WebSocketMessage) {
            queue.append(message)
            byteCount += message.byteCount
            messageCount += 1
        }
    }

    private let state = Mutex(State())
    private let limits: WebSocketLimits
    private let eventLoop: any EventLoop
    private let signal: Signal
    /// The socket's share of the memory that all sockets use together. `nil` if that memory is not limited.
    private let share: SharedBudget.Share?

    /// How the outbox calls the socket. It calls both closures on the event loop.
    struct Signal: Sendable {
        let drain: @Sendable () -> Void
        let tooSlow: @Sendable () -> Void
    }

    init(limits: WebSocketLimits, eventLoop: any EventLoop, signal: Signal, share: SharedBudget.Share? = nil) {
        self.share = share
        self.limits = limits
        self.eventLoop = eventLoop
        self.signal = signal
    }

    /// Returns once the message is in the queue.
    /// - Throws: `WebSocketEnded`; `CancellationError` when the task is cancelled while it waits, and then the message is not sent.
    func send(_ message: WebSocketMessage) async throws {
        let isIn = try state.withLock { state in
            guard !state.isClosed else { throw WebSocketEnded() }
            guard state.line.isEmpty else { return false }
            return enqueue(message, &state)
        }
        if isIn { eventLoop.execute(signal.drain) } else { try await standInLine(message) }
    }

    private func standInLine(_ message: WebSocketMessage) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (refusal, isUnwatched) = state.withLock { state -> ((any Error)?, Bool) in
                    if state.isClosed { return (WebSocketEnded(), false) }
                    // A cancellation before this lock finds no waiter to resume, so check for it here.
                    if Task.isCancelled { return (CancellationError(), false) }
                    state.line.append(Waiter(number: number, message: message, since: .now(), continuation: continuation))
                    defer { state.isWatched = true }
                    return (nil, !state.isWatched)
                }
                if let refusal { continuation.resume(throwing: refusal) }
                if isUnwatched { watch(in: TimeAmount(limits.sendWait)) }
                // Space may have become free since the first check, and nothing else would notice.
                letIn()
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.line.firstIndex(where: { $0.number == number }) else { return nil }
                return state.line.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Schedules one timer for all waiting senders instead of one for each message: cancelling a timer makes NIO search all timers of the
    /// event loop.
    private func watch(in time: TimeAmount) {
        eventLoop.scheduleTask(in: time) { [weak self] in self?.lookAfterLine() }
    }

    private func lookAfterLine() {
        let limit = TimeAmount(limits.sendWait)
        let left = state.withLock { state -> TimeAmount? in
            let left = state.line.first.map { $0.since + limit - .now() }
            state.isWatched = left.map { $0 > .zero } ?? false
            return left
        }
        guard let left else { return }
        if left > .zero { watch(in: left) } else { signal.tooSlow() }
    }

    /// Removes the next queued message, for the caller to write. The message still counts until `written` is called.
    func next() -> WebSocketMessage? {
        state.withLock { state -> WebSocketMessage? in
            let next = state.queue.popFirst()
            // Release the memory of a queue that was long.
            if state.queue.isEmpty { state.queue = [] }
            return next
        }
    }

    /// Call when the kernel has taken the oldest message, which has `byteCount` bytes.
    func written(_ byteCount: Int) {
        state.withLock { state in
            state.byteCount -= byteCount
            state.messageCount -= 1
            if state.isOldestUncounted {
                state.isOldestUncounted = false
            } else {
                share?.shrink(by: byteCount + WebSocketMessage.overhead)
            }
        }
        letIn()
    }

    /// Accepts no further messages. Queued ones may still be written.
    func close() {
        let line = state.withLock { state in
            state.isClosed = true
            defer { state.line = [] }
            return state.line
        }
        for waiter in line { waiter.continuation.resume(throwing: WebSocketEnded()) }
    }

    /// Call this when the connection has closed: queued messages cannot be written any more.
    func drop() {
        close()
        state.withLock { $0.queue = [] }
        share?.release()
    }

    private func letIn() {
        let waiters = state.withLock { state in
            var waiters: [Waiter] = []
            while let first = state.line.first, enqueue(first.message, &state) {
                state.line.removeFirst()
                waiters.append(first)
            }
            return waiters
        }
        guard !waiters.isEmpty else { return }
        eventLoop.execute(signal.drain)
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Puts the message into the queue if there is room for it.
    private func enqueue(_ message: WebSocketMessage, _ state: inout State) -> Bool {
        // A message that is larger than a limit may be sent when nothing else waits.
        let isAlone = state.messageCount == 0
        guard isAlone || state.messageCount < limits.sendMessageCount && state.byteCount + message.byteCount <= limits.sendByteCount
        else { return false }
        do throws(SharedBudget.Refusal) {
            try share?.grow(by: message.cost)
        } catch {
            guard isAlone else { return false }
            state.isOldestUncounted = true
        }
        state.accept(message)
        return true
    }
}

/// The socket has closed or is closing, so nothing can be sent.
package struct WebSocketEnded: Error {
    package init() {}
}

extension WebSocketMessage {
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.readableBytes
        }
    }

    /// Bytes that a message takes in the queues, in addition to its own bytes.
    fileprivate static let overhead = 512
    /// Bytes of memory that a message takes until the kernel has it.
    var cost: Int { byteCount + Self.overhead }
}
