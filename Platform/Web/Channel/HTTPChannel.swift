import Core
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Wire

/// One connection speaking HTTP/1.1: its handlers, and the loop that takes one request after another.
struct HTTPChannel: ServerChildChannel {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    struct Limits: Sendable {
        /// All fields of a head together, in bytes.
        var headerListByteCount = 32 * 1024
        /// One field, in bytes.
        var headerFieldByteCount = 16 * 1024
        var headerFieldCount = 100
        /// A connection without traffic closes after this long.
        var idle: Duration = .seconds(60)
        /// Bytes read from the socket at a time, at most. Larger reads help one stream; each connection may hold a few of them.
        var readByteCount = 256 * 1024
    }

    let responder: HTTPChannelHandler.Responder
    let limits: Limits

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 2_048, initial: 16_384, maximum: limits.readByteCount))
            try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1)
            var decoder = NIOHTTPDecoderLimitConfiguration()
            decoder.maxHeaderFieldSize = limits.headerFieldByteCount
            decoder.maxHeaderListSize = limits.headerListByteCount
            decoder.maxHeaderFieldCount = limits.headerFieldCount
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: limits.idle, logger: logger))
            try pipeline.addHandler(EarlyAnswerHandler())
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(
                    // A slow disk must push back on the socket, not fill the memory: at most four reads wait.
                    backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4), isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            try await withTaskCancellationHandler {
                try await value.executeThenClose { inbound, outbound in
                    do {
                        try await serve(inbound, outbound, value.channel)
                    } catch let error as HTTPParserError {
                        try await refuse(error, outbound)
                    }
                    outbound.finish()
                }
            } onCancel: {
                value.channel.close(mode: .input, promise: nil)
            }
        } catch {
            logger.trace("connection ended", metadata: ["error": "\(error)"])
        }
    }

    private func serve(
        _ inbound: NIOAsyncChannelInboundStream<HTTPRequestPart>, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>,
        _ channel: any Channel
    ) async throws {
        let parts = RequestParts(inbound.makeAsyncIterator())
        while case .head(let head)? = try await parts.nextPart() {
            parts.begin()
            let request = Request(head: head, body: RequestBody(asyncSequence: parts))
            try await responder(request, ResponseWriter(outbound: outbound), channel)
            guard try await readPast(parts, channel, closing: head.headerFields[.connection]?.lowercased() == "close") else { return }
        }
    }

    /// After an answer that came before the request's end: reads and drops at most 256 KB or 2 s of what is still arriving, so
    /// that the client sees the answer and not a reset.
    /// - Returns: whether the connection can take another request.
    private func readPast(_ parts: RequestParts, _ channel: any Channel, closing: Bool) async throws -> Bool {
        if parts.hasEnded { return !closing }
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        defer { deadline.cancel() }
        var dropped = 0
        while dropped <= EarlyAnswerHandler.dropByteCount {
            switch try await parts.nextPart() {
            case .body(let bytes): dropped += bytes.readableBytes
            case .end: return !closing
            case .head, nil: return false
            }
        }
        return false
    }

    /// The head was not HTTP, or too much of it. Without a head there is no route, so surface 4's words serve.
    private func refuse(_ error: HTTPParserError, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>) async throws {
        let problem =
            error == .headerOverflow
            ? Problem(.headersTooLarge, "The head of the request is larger than \(limits.headerListByteCount) bytes.")
            : Problem(.invalid, "This is not HTTP/1.1.")
        var response = Dialect.of(.capsules).response(problem)
        response.headers[.connection] = "close"
        try await ResponseWriter(outbound: outbound).write(response: response.head, body: response.body)
    }
}

/// The parts of a connection's requests, and the body of the current one as a sequence.
///
/// `@unchecked Sendable`: one task at a time reads. The connection's loop reads heads; between a head and its answer the handler
/// reads the body; after the answer the loop reads what the handler left.
final class RequestParts: @unchecked Sendable, AsyncSequence {
    typealias Element = ByteBuffer
    private var iterator: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator
    private(set) var hasEnded = true

    init(_ iterator: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator) { self.iterator = iterator }

    func begin() { hasEnded = false }

    func nextPart() async throws -> HTTPRequestPart? {
        let part = try await iterator.next()
        if case .end? = part { hasEnded = true }
        return part
    }

    func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

    struct Iterator: AsyncIteratorProtocol {
        let parts: RequestParts

        func next() async throws -> ByteBuffer? {
            guard !parts.hasEnded else { return nil }
            switch try await parts.nextPart() {
            case .body(let bytes): return bytes
            case .end: return nil
            case .head, nil: throw RequestInterrupted()
            }
        }
    }
}
