import Core
import HTTPTypes
import NIOCore

/// The parts of a connection's requests, and the body of the current one as a sequence.
///
/// `@unchecked Sendable`: only one task reads at a time. The connection's loop reads heads; between a head and its response the handler
/// reads the body; after the response the loop reads what the handler left.
final class RequestParts: @unchecked Sendable, AsyncSequence {
    typealias Element = ByteBuffer
    private var iterator: NIOAsyncChannelInboundStream<ArrivedPart>.AsyncIterator
    private(set) var hasEnded = true
    /// Whether the head announced a body, as HTTP/1.1 requires.
    private(set) var hasBody = false

    private let meter: BodyMeter

    init(_ iterator: NIOAsyncChannelInboundStream<ArrivedPart>.AsyncIterator, _ meter: BodyMeter) {
        self.iterator = iterator
        self.meter = meter
    }

    /// - Returns: the head of the next request; `nil` when no request follows.
    /// - Throws: `RefusedMessage`.
    func nextHead() async throws -> (HTTPRequest, mayUpgrade: Bool)? {
        guard case .head(let head, let mayUpgrade, let isWhole)? = try await nextPart() else { return nil }
        hasEnded = isWhole
        hasBody = head.headerFields.contains(.contentLength) || head.headerFields.contains(.transferEncoding)
        return (head, mayUpgrade)
    }

    func nextPart() async throws -> ArrivedPart? {
        let part = try await iterator.next()
        switch part {
        case .body(let bytes): meter.taken(bytes)
        case .end: hasEnded = true
        case .head, nil: break
        }
        return part
    }

    func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    struct Iterator: AsyncIteratorProtocol {
        let parts: RequestParts

        /// - Throws: `Problem` when the channel refuses the body; `RequestInterrupted` when the client disconnected.
        func next() async throws -> ByteBuffer? {
            guard !parts.hasEnded else { return nil }
            let part: ArrivedPart?
            do {
                part = try await parts.nextPart()
            } catch let refused as RefusedMessage {
                throw refused.problem
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw RequestInterrupted()
            }
            switch part {
            case .body(let bytes): return bytes
            case .end: return nil
            case .head, nil: throw RequestInterrupted()
            }
        }
    }
}

/// The client disconnected before it had sent the whole body.
package struct RequestInterrupted: Error {
    package init() {}
}
