import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the lines of the log to a descriptor, in order, on its own thread. A caller only appends to a buffer. It never waits for the
/// descriptor, which may be a slow terminal, a pipe that nobody reads or a file on a full disk.
///
/// Lines are dropped and counted if the buffer has no room for them, or the descriptor does not accept them.
final class LogWriter: Sendable {
    /// The most bytes that wait or are being written at a time.
    static let byteCount = 1_048_576
    /// The longest time that a line waits before it is written. A crash can lose the lines of this time.
    static let delay = Duration.milliseconds(100)

    private let queue: LogQueue
    /// Tells how the operator wrote each setting, so that lines name settings in the same way. It is stored here, because a
    /// `LineLogHandler` has no room for it.
    let names: Settings.Source.Origins?

    /// - Parameters:
    ///   - descriptor: must stay open as long as the writer exists.
    ///   - byteCount: the most bytes that wait or are being written at a time.
    init(
        _ descriptor: Int32 = STDERR_FILENO, byteCount: Int = LogWriter.byteCount, delay: Duration = LogWriter.delay,
        names: Settings.Source.Origins? = nil
    ) {
        self.names = names
        queue = LogQueue(byteCount: byteCount)
        // The thread must not retain `self`, because `deinit` must run: it closes the queue, and that ends the thread.
        let thread = Thread { [queue] in
            Self.ignoreClosedPipes()
            var output = LogOutput(descriptor)
            while let batch = queue.take(delay) {
                queue.wrote(batch, lost: output.write(batch.bytes))
            }
        }
        thread.name = "log"
        thread.start()
    }

    deinit { queue.close() }

    /// How many lines were dropped since the start.
    var droppedLineCount: Int { queue.droppedLineCount }

    /// Appends a line, which must end with a line feed. Does not block.
    /// - Parameter isUrgent: whether to write it at once instead of with the next batch.
    func write(_ line: [UInt8], isUrgent: Bool) { queue.append(line, isUrgent: isUrgent) }

    /// Waits until every line appended before has been written or dropped. Blocks the thread.
    /// - Parameter patience: the longest time to wait, because a pipe that nobody reads may accept nothing.
    func drain(_ patience: Duration = .seconds(2)) { queue.drain(patience) }

    /// Blocks SIGPIPE on this thread. Writing to a closed pipe then returns an error; otherwise the signal would end the process.
    private static func ignoreClosedPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// The lines that wait for the thread of a `LogWriter`.
private final class LogQueue: Sendable {
    struct Batch {
        let bytes: [UInt8]
        /// The callers of `drain` that wait for these bytes.
        fileprivate let waiters: [DispatchSemaphore]
    }

    private struct State {
        var bytes: [UInt8] = []
        /// How many bytes of the current batch the thread is writing.
        var writing = 0
        var dropped = 0
        /// Whether the thread has been woken for the waiting bytes.
        var isAwake = false
        /// Whether the thread should write without waiting for more lines.
        var isUrgent = false
        var isClosed = false
        var waiters: [DispatchSemaphore] = []
    }

    private let limit: Int
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(byteCount: Int) { limit = byteCount }

    var droppedLineCount: Int { state.withLock { $0.dropped } }

    func append(_ line: [UInt8], isUrgent: Bool) {
        let mustSignal = state.withLock { state in
            guard state.bytes.count + state.writing + line.count <= limit else {
                state.dropped += 1
                return false
            }
            state.bytes.append(contentsOf: line)
            return wake(&state, isUrgent: isUrgent || state.bytes.count > limit / 2)
        }
        if mustSignal { wakeUp.signal() }
    }

    /// - Returns: whether to signal the thread. The first waiting line signals it once, and the first urgent line once more.
    private func wake(_ state: inout State, isUrgent: Bool) -> Bool {
        let mustSignal = !state.isAwake || isUrgent && !state.isUrgent
        state.isAwake = true
        if isUrgent { state.isUrgent = true }
        return mustSignal
    }

    /// Waits for a line, and then up to `delay` for more lines.
    /// - Returns: `nil` once the queue is closed and empty.
    func take(_ delay: Duration) -> Batch? {
        while true {
            wakeUp.wait()
            // A signal can be left over from a batch that has been taken already.
            let (isAwake, isUrgent) = state.withLock { ($0.isAwake, $0.isUrgent) }
            guard isAwake else { continue }
            if !isUrgent { _ = wakeUp.wait(timeout: .now() + .microseconds(Int(delay / .microseconds(1)))) }
            return state.withLock { state in
                guard !state.isClosed || !state.bytes.isEmpty || !state.waiters.isEmpty else { return nil }
                defer {
                    state.writing = state.bytes.count
                    state.bytes = []
                    state.waiters = []
                    // A closed queue counts as awake and urgent, so that the thread takes the remaining batches until the queue is empty.
                    state.isAwake = state.isClosed
                    state.isUrgent = state.isClosed
                    if state.isClosed { wakeUp.signal() }
                }
                return Batch(bytes: state.bytes, waiters: state.waiters)
            }
        }
    }

    func wrote(_ batch: Batch, lost: Int) {
        state.withLock { state in
            state.writing = 0
            state.dropped += lost
        }
        for waiter in batch.waiters { waiter.signal() }
    }

    func drain(_ patience: Duration) {
        let done = DispatchSemaphore(value: 0)
        let mustSignal = state.withLock { state in
            state.waiters.append(done)
            return wake(&state, isUrgent: true)
        }
        if mustSignal { wakeUp.signal() }
        _ = done.wait(timeout: .now() + .milliseconds(Int(patience / .milliseconds(1))))
    }

    func close() {
        let mustSignal = state.withLock { state in
            state.isClosed = true
            return wake(&state, isUrgent: true)
        }
        if mustSignal { wakeUp.signal() }
    }
}

/// Writes whole lines to a descriptor. Only one thread uses it.
private struct LogOutput {
    private let descriptor: Int32
    /// Whether the descriptor accepted only the beginning of the last line.
    private var isInsideLine = false

    /// The most bytes of one write. Other processes may write to the same pipe. A write of this size is atomic (PIPE_BUF), so no line is
    /// torn.
    private static let pieceByteCount = 4_096
    private static let lineFeed = UInt8(ascii: "\n")

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// - Parameter bytes: whole lines.
    /// - Returns: how many of the lines were lost.
    mutating func write(_ bytes: [UInt8]) -> Int {
        guard !bytes.isEmpty else { return 0 }
        return bytes.withUnsafeBytes { bytes in
            // The rest of the last line is lost. End it with a line feed, because otherwise the next line would be unreadable too.
            if isInsideLine, withUnsafeBytes(of: Self.lineFeed, put) == 1 { isInsideLine = false }
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Self.piece(rest)
                let count = put(UnsafeRawBufferPointer(rebasing: piece))
                rest = rest.dropFirst(count)
                if count < piece.count {
                    if count > 0 { isInsideLine = piece[piece.startIndex + count - 1] != Self.lineFeed }
                    return rest.count { $0 == Self.lineFeed }
                }
            }
            return 0
        }
    }

    /// The first whole lines that fit into `pieceByteCount` together. If the first line is longer, the line alone.
    private static func piece(_ rest: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        guard rest.count > pieceByteCount else { return rest }
        if let end = rest.prefix(pieceByteCount).lastIndex(of: lineFeed) { return rest[...end] }
        return rest[...(rest.firstIndex(of: lineFeed) ?? rest.endIndex - 1)]
    }

    /// Writes bytes. While the descriptor accepts none, it waits.
    /// - Returns: how many bytes the descriptor accepted; fewer than all when the pipe is closed or the disk is full.
    private func put(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        while count < bytes.count {
            let written = systemWrite(descriptor, bytes.baseAddress! + count, bytes.count - count)
            if written > 0 {
                count += written
            } else if written < 0, errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if written == 0 || errno != EINTR {
                break
            }
        }
        return count
    }
}

/// Calls `write(2)`. `LogOutput` has its own method `write`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, bytes, count) }
