internal import Foundation
internal import HTTPTypes
internal import KeepsakeKit
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import Synchronization

/// The client's side of a WebSocket's opening handshake (RFC 6455 §4.1).
enum SocketHandshake {
    /// The largest message that the server may send, in bytes. Live events and acknowledgements are far smaller.
    static let maxByteCount = 1_048_576

    private enum Outcome: Sendable {
        case open(Socket)
        case refused(EventLoopFuture<TransportResponse>)
    }

    static func connect(_ request: HTTPRequest, tls: TLSConfiguration, timeout: Duration) async throws -> TransportConnection {
        let isSecure = request.scheme != "http"
        guard let url = URL(string: "\(isSecure ? "https" : "http")://\(request.authority ?? "")"),
            let host = url.host(percentEncoded: false)
        else { throw KeepsakeError(.invalidRequest, "The address is invalid.") }
        let context = isSecure ? try NIOSSLContext(configuration: tls) : nil
        let head = Self.head(request)
        let opening = Opening()
        return try await withTaskCancellationHandler {
            let upgrade = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(TimeAmount(min(timeout, .seconds(15))))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: host, port: url.port ?? (isSecure ? 443 : 80)) { channel in
                    opening.add(channel)
                    return channel.eventLoop.makeCompletedFuture {
                        if let context {
                            // An IP address is not sent as the server's name (RFC 6066 §3).
                            let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
                            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                        }
                        return try Self.upgrading(channel, head)
                    }
                }
            do {
                switch try await upgrade.result.get() {
                case .open(let socket): return .open(socket)
                case .refused(let response):
                    defer { opening.close() }
                    return .refused(try await response.get())
                }
            } catch {
                opening.close()
                throw error
            }
        } onCancel: {
            opening.close()
        }
    }

    private static func head(_ request: HTTPRequest) -> HTTPRequestHead {
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: request.authority ?? "")
        for field in request.headerFields { headers.add(name: field.name.rawName, value: field.value) }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: request.path ?? "/", headers: headers)
    }

    private struct Upgrading: Sendable {
        let result: EventLoopFuture<Outcome>
    }

    /// The channels of a handshake. There are several when the server's name has several addresses. A cancelled task closes all of them,
    /// even those that are still connecting.
    private final class Opening: Sendable {
        private let channels = Mutex<(open: [any Channel], isClosed: Bool)>(([], false))

        func add(_ channel: any Channel) {
            let isClosed = channels.withLock { channels in
                channels.open.append(channel)
                return channels.isClosed
            }
            if isClosed { channel.close(promise: nil) }
        }

        func close() {
            let open = channels.withLock { channels in
                channels.isClosed = true
                return channels.open
            }
            for channel in open { channel.close(promise: nil) }
        }
    }

    private static func upgrading(_ channel: any Channel, _ head: HTTPRequestHead) throws -> Upgrading {
        let upgrader = NIOTypedWebSocketClientUpgrader<Outcome>(maxFrameSize: maxByteCount) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let socket = Socket(channel)
                try channel.pipeline.syncOperations.addHandlers([
                    // The server pings every 25 s.
                    IdleStateHandler(readTimeout: .seconds(60)),
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024, maxAccumulatedFrameSize: maxByteCount),
                    SocketHandler(socket),
                ])
                return .open(socket)
            }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Outcome>(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeCompletedFuture {
                    let response = channel.eventLoop.makePromise(of: TransportResponse.self)
                    try channel.pipeline.syncOperations.addHandler(RefusalReader(response))
                    return .refused(response.futureResult)
                }
            })
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
        // The server's first messages often arrive together with its response. By default they would be dropped.
        pipeline.leftOverBytesStrategy = .forwardBytes
        return Upgrading(result: try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline))
    }
}

/// Reads the response to a handshake that the server refused.
private final class RefusalReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    /// A refusal is short. Bytes of a longer one beyond this limit are dropped.
    private static let maxByteCount = 65_536

    private let promise: EventLoopPromise<TransportResponse>
    private var response: TransportResponse?

    init(_ promise: EventLoopPromise<TransportResponse>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): response = TransportResponse(head: HTTPResponse(head.status, head.headers))
        case .body(let piece):
            guard let count = response?.body.count, count < Self.maxByteCount else { return }
            response?.body.append(contentsOf: piece.readableBytesView.prefix(Self.maxByteCount - count))
        case .end: finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { finish() }

    /// The promise ignores further results, so this may be called more than once.
    private func finish() {
        if let response {
            promise.succeed(response)
        } else {
            promise.fail(KeepsakeError(.network, "The connection closed without a response."))
        }
    }
}
