import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Writes a response directly to its HTTP/1 channel. NIO's asynchronous writer takes a lock and copies the parts into a queue, which costs
/// as much as encoding a short response. It is needed only where the writer must wait until the channel takes more.
struct ShortResponse {
    /// Responses of at most this size, in bytes, are written directly. Longer responses are written in pieces.
    private static let mostByteCount = 64 * 1_024

    private let status: HTTPResponse.Status
    private let fields: HTTPFields
    private let body: ResponseBody
    private let channel: any Channel

    /// - Returns: `nil` when the response is too long, or when the channel holds so much already that the writer has to wait.
    init?(_ response: Response, _ channel: any Channel) {
        guard let length = response.body.contentLength, length <= Self.mostByteCount, channel.isWritable else { return nil }
        guard WholeResponse.canEncode(response.status, response.headers) else { return nil }
        status = response.status
        fields = response.headers
        body = response.body
        self.channel = channel
    }

    func write() async throws {
        let writer = BodyWriter(status: status, fields: fields, channel: channel)
        if body.contentLength == 0 { return writer.end() }
        try await body.write(writer)
    }

    /// Collects the body. A body that comes from a file writes itself to the channel and calls only `sendHead`.
    private struct BodyWriter: ResponseBodyWriter, DelayedHead {
        private let status: HTTPResponse.Status
        private let fields: HTTPFields
        private let channel: any Channel
        private var body = ByteBuffer()

        init(status: HTTPResponse.Status, fields: HTTPFields, channel: any Channel) {
            self.status = status
            self.fields = fields
            self.channel = channel
        }

        mutating func write(_ buffer: ByteBuffer) async throws {
            if body.readableBytes == 0 { body = buffer } else { body.writeImmutableBuffer(buffer) }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
            guard let trailingHeaders else { return end() }
            sendHead()
            channel.write(HTTPResponsePart.body(body), promise: nil)
            channel.write(HTTPResponsePart.end(trailingHeaders), promise: nil)
            channel.flush()
        }

        func end() {
            channel.triggerUserOutboundEvent(WholeResponse(status: status, fields: fields, body: body), promise: nil)
            channel.flush()
        }

        func sendHead() {
            channel.write(HTTPResponsePart.head(HTTPResponse(status: status, headerFields: fields)), promise: nil)
        }
    }
}
