internal import Foundation
internal import NIOCore
internal import Synchronization

/// The body of one request, which is sent in pieces. Each part is released when its last piece has been taken, so that a request that waits
/// for its response holds no part in memory. The next piece is made when the connection has sent the previous one. A body can be sent only
/// once: a retry makes a new body.
package final class PiecewiseBody: Sendable {
    package enum Part: Sendable {
        case plain([UInt8])
        /// Bytes that are encoded as base64 (RFC 4648 §4) piece by piece, while they are sent.
        case base64([UInt8])

        fileprivate var bytes: [UInt8] {
            switch self {
            case .plain(let bytes), .base64(let bytes): bytes
            }
        }

        fileprivate var isBase64: Bool {
            switch self {
            case .plain: false
            case .base64: true
            }
        }

        fileprivate var sentByteCount: Int { isBase64 ? (bytes.count + 2) / 3 * 4 : bytes.count }
    }

    private enum Step: Sendable {
        case piece(ArraySlice<UInt8>, isBase64: Bool)
        case end
        case dropped
    }

    private struct State {
        /// What is left to send, in reverse order: the last element is sent next.
        var parts: [Part]
        /// How many bytes of the next part were taken.
        var position = 0
        /// When the HTTP client took the last piece; `nil` before the first.
        var takenAt: ContinuousClock.Instant?
        /// Whether the HTTP client knows that no piece follows.
        var isEnded = false
        /// Whether the writes of all pieces have begun.
        var isWritten = false
        /// Whether the kernel has taken all pieces.
        var isSent = false
        var isDropped = false
        var whenSent: (@Sendable () -> Void)?
        /// The event loop of the connection that sends the body; `nil` without a connection.
        var eventLoop: (any EventLoop)?
        /// Writes to the connection that the kernel has not taken yet.
        var writeCount = 0
        /// Waits for `writeCount` to become 0.
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }

        /// The function to call when the kernel has taken all pieces; `nil` before that, and after the first time.
        mutating func takeWhenSent() -> (@Sendable () -> Void)? {
            guard isWritten, writeCount == 0 else { return nil }
            isSent = true
            defer { whenSent = nil }
            return whenSent
        }

        mutating func next() -> Step {
            guard !isDropped else { return .dropped }
            guard let part = parts.last else {
                isEnded = true
                return .end
            }
            let end = min(position + PiecewiseBody.pieceByteCount, part.bytes.count)
            let piece = part.bytes[position..<end]
            position = end
            if end == part.bytes.count {
                parts.removeLast()
                position = 0
            }
            return .piece(piece, isBase64: part.isBase64)
        }
    }

    /// How many bytes of a part one piece contains; as base64 they become 32 KiB. The number is a multiple of three, because only the last
    /// piece may be padded. A piece stays below 64 KiB, because a connection with that many waiting bytes counts as not writable.
    private static let pieceByteCount = 24_576

    /// Length of the whole body as it is sent: base64 parts count with their encoded length.
    package let byteCount: Int
    private let state: Mutex<State>

    package init(_ parts: [Part]) {
        byteCount = parts.reduce(0) { $0 + $1.sentByteCount }
        let left: [Part] = parts.filter { !$0.bytes.isEmpty }.reversed()
        state = Mutex(State(parts: left))
    }

    /// Whether the HTTP client has taken all pieces.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Bytes of the parts that are still held, before their encoding.
    package var heldByteCount: Int { state.withLock { $0.parts.reduce(0) { $0 + $1.bytes.count } } }

    /// Takes all bytes, if the body is one part without base64. The text of a prompt, for example, is small and needs no pieces.
    func takeWhole() -> ByteBuffer? {
        state.withLock { state in
            guard state.parts.count == 1, case .plain(let bytes) = state.parts[0], state.position == 0 else { return nil }
            state.parts = []
            state.isEnded = true
            return ByteBuffer(bytes: bytes)
        }
    }

    /// Calls `act` once, when the kernel has taken the last piece.
    func whenSent(_ act: @escaping @Sendable () -> Void) { state.withLock { $0.whenSent = act } }

    /// - Returns: the next piece, when the connection has sent the previous one; `nil` after the last one.
    /// - Throws: `CancellationError` after `drop`.
    func next() async throws -> ByteBuffer? {
        guard let piece = try encodeNext() else {
            // Do not wait for the write of the last piece: the HTTP client should know the end of the body before the response arrives. The
            // event loop calls `noteWritten` after that write has begun.
            if let eventLoop = state.withLock({ $0.eventLoop }) { eventLoop.execute { self.noteWritten() } } else { noteWritten() }
            return nil
        }
        await waitForWrites()
        let isDropped = state.withLock { state -> Bool in
            state.takenAt = ContinuousClock.now
            return state.isDropped
        }
        guard !isDropped else { throw CancellationError() }
        return piece
    }

    /// This is a separate function, so that nothing holds the part in memory while its last piece waits.
    private func encodeNext() throws -> ByteBuffer? {
        switch state.withLock({ $0.next() }) {
        case .piece(let bytes, let isBase64):
            return isBase64 ? ByteBuffer(string: Data(bytes).base64EncodedString()) : ByteBuffer(bytes: bytes)
        case .end: return nil
        case .dropped: throw CancellationError()
        }
    }

    /// Releases what is left. If the body is still being sent, the request fails.
    func drop() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isDropped = true
            state.parts = []
            state.whenSent = nil
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    // MARK: The connection

    /// Counts the connection's writes, so that the body hands out one piece at a time. Otherwise the HTTP client would take several pieces
    /// and wait until the connection is writable. That wait would never end if a provider refuses the request before it has read all of
    /// it, and the client's task and a piece would stay in memory.
    func attach(to channel: any Channel) -> EventLoopFuture<Void> {
        state.withLock { $0.eventLoop = channel.eventLoop }
        return channel.pipeline.addHandler(WriteCounter(body: self), position: .first)
    }

    private final class WriteCounter: ChannelOutboundHandler, Sendable {
        typealias OutboundIn = NIOAny

        private let body: PiecewiseBody

        init(body: PiecewiseBody) { self.body = body }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
            body.beginWrite()
            promise.futureResult.whenComplete { [body] result in
                // The write fails when the connection is closed.
                if case .failure = result { body.drop() }
                body.endWrite()
            }
            context.write(data, promise: promise)
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            body.drop()
            context.close(mode: mode, promise: promise)
        }
    }

    private func beginWrite() { state.withLock { $0.writeCount += 1 } }

    private func endWrite() {
        let (waiter, whenSent) = state.withLock { state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
            state.writeCount -= 1
            return (state.writeCount == 0 ? state.takeWaiter() : nil, state.takeWhenSent())
        }
        waiter?.resume()
        whenSent?()
    }

    private func noteWritten() {
        let whenSent = state.withLock { state -> (@Sendable () -> Void)? in
            state.isWritten = true
            return state.takeWhenSent()
        }
        whenSent?()
    }

    private func waitForWrites() async {
        guard let eventLoop = state.withLock({ $0.eventLoop }) else { return }
        // The HTTP client passes a piece to the event loop before it asks for the next one. So the write of that piece has begun now.
        try? await eventLoop.submit {}.get()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDone = state.withLock { state -> Bool in
                guard state.writeCount > 0, !state.isDropped else { return true }
                state.waiter = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Returns when the HTTP client has taken no piece for `time` although the kernel has not taken all bytes: the receiver does not read.
    /// Otherwise it runs until it is cancelled.
    /// - Throws: `CancellationError`.
    func waitForStall(_ time: Duration) async throws {
        while true {
            let rest = state.withLock { state -> Duration in
                guard let takenAt = state.takenAt, !state.isSent else { return time }
                return time - (ContinuousClock.now - takenAt)
            }
            guard rest > .zero else { return }
            try await Task.sleep(for: rest)
        }
    }

    var pieces: Pieces { Pieces(body: self) }

    struct Pieces: AsyncSequence, Sendable {
        let body: PiecewiseBody

        func makeAsyncIterator() -> Iterator { Iterator(body: body) }

        struct Iterator: AsyncIteratorProtocol {
            let body: PiecewiseBody

            mutating func next() async throws -> ByteBuffer? { try await body.next() }
        }
    }
}
