internal import Foundation
internal import NIOCore
internal import Synchronization

/// The body of one request, which is sent in pieces. Each part is released when its last piece has been taken, so that a request that
/// waits for its response holds none of them. A body can be sent only once: a retry makes a new body.
package final class OutgoingBody: Sendable {
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
        /// What is left to send; the next part is the last one.
        var parts: [Part]
        /// How many bytes of the next part were taken.
        var position = 0
        /// When the last piece was taken; `nil` before the first.
        var takenAt: ContinuousClock.Instant?
        var isSent = false
        var isDropped = false
        var whenSent: (@Sendable () -> Void)?

        mutating func next() -> (Step, whenSent: (@Sendable () -> Void)?) {
            guard !isDropped else { return (.dropped, nil) }
            guard let part = parts.last else {
                defer { whenSent = nil }
                isSent = true
                return (.end, whenSent)
            }
            takenAt = ContinuousClock.now
            let end = min(position + OutgoingBody.pieceByteCount, part.bytes.count)
            let piece = part.bytes[position..<end]
            position = end
            if end == part.bytes.count {
                parts.removeLast()
                position = 0
            }
            return (.piece(piece, isBase64: part.isBase64), nil)
        }
    }

    /// Bytes of a part in one piece; as base64 they become 16 KiB. A multiple of three, because only the last piece may be padded.
    private static let pieceByteCount = 12_288

    /// Bytes that the whole body has when it is sent.
    package let byteCount: Int
    private let state: Mutex<State>

    package init(_ parts: [Part]) {
        byteCount = parts.reduce(0) { $0 + $1.sentByteCount }
        let left: [Part] = parts.filter { !$0.bytes.isEmpty }.reversed()
        state = Mutex(State(parts: left))
    }

    /// Bytes of the parts that are still held, before their encoding.
    package var heldByteCount: Int { state.withLock { $0.parts.reduce(0) { $0 + $1.bytes.count } } }

    /// Calls `act` once, when the last piece was taken.
    func whenSent(_ act: @escaping @Sendable () -> Void) { state.withLock { $0.whenSent = act } }

    /// - Returns: the next piece; `nil` after the last one.
    /// - Throws: `CancellationError` after `drop`.
    func next() throws -> ByteBuffer? {
        let (step, whenSent) = state.withLock { $0.next() }
        whenSent?()
        switch step {
        case .piece(let bytes, let isBase64):
            return isBase64 ? ByteBuffer(string: Data(bytes).base64EncodedString()) : ByteBuffer(bytes: bytes)
        case .end: return nil
        case .dropped: throw CancellationError()
        }
    }

    /// Releases what is left. If the body is still being sent, the request fails.
    func drop() {
        state.withLock {
            $0.isDropped = true
            $0.parts = []
            $0.whenSent = nil
        }
    }

    /// Returns when pieces are left, but none was taken for `time`: the receiver does not read. Otherwise it runs until it is cancelled.
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
        let body: OutgoingBody

        func makeAsyncIterator() -> Iterator { Iterator(body: body) }

        struct Iterator: AsyncIteratorProtocol {
            let body: OutgoingBody

            mutating func next() async throws -> ByteBuffer? { try body.next() }
        }
    }
}
