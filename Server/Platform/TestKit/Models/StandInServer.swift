internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// An HTTP/1.1 server on loopback, for stand-ins of outside services.
enum StandInServer {
    /// Runs the server as long as `body`.
    /// - Parameters:
    ///   - handler: makes the handler of one connection. It gets whole requests (`NIOHTTPServerRequestFull`).
    ///   - body: gets the port.
    static func run<Handler: ChannelHandler, T: Sendable>(
        _ handler: @escaping @Sendable () -> Handler, _ body: (_ port: Int) async throws -> T
    ) async throws -> T {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(NIOHTTPServerRequestAggregator(maxContentLength: 64 << 20))
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<T, any Error>
        do { result = .success(try await body(channel.localAddress?.port ?? 0)) } catch { result = .failure(error) }
        try? await channel.close().get()
        return try result.get()
    }
}

extension NIOHTTPServerRequestFull {
    /// Names in lower case. Of several headers of one name, the first.
    var firstHeaders: [String: String] {
        Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    var data: Data { Data(body?.readableBytesView ?? ByteBuffer().readableBytesView) }
}

extension ChannelHandlerContext {
    /// Writes a whole JSON response.
    func respond(_ status: Int, _ text: String, _ headers: [String: String] = [:]) {
        var fields: HTTPHeaders = ["Content-Type": "application/json; charset=UTF-8", "Content-Length": "\(text.utf8.count)"]
        for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields)
        write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
    }
}
