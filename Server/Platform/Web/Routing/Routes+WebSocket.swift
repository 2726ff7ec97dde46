import Core
import HTTPServer
import HTTPTypes
import Hummingbird
package import KeepsakeWire
import Logging
import NIOCore

extension Routes {
    /// Talks over WebSocket with whoever comes to `endpoint`. Who it is, which page it comes from and what it asks for is settled
    /// before the upgrade, and answered in the endpoint's dialect: 401, 403, 400, 426, 429.
    ///
    /// The socket stays as long as the session does, also beyond the expiry of the access token it was opened with; it is closed with
    /// 1008 within 5 s of the session's end and with 1012 when the server stops.
    /// - Parameters:
    ///   - admit: may refuse before the upgrade, by throwing.
    ///   - talk: runs as long as the socket does; see `WebSocketConnection.run` for what its end means.
    package func serve<Input: Codable & Sendable>(
        webSocket endpoint: SocketEndpoint<Input>, limits: WebSocketLimits = WebSocketLimits(),
        admit: @escaping @Sendable (Input, WebContext) async throws -> Void = { _, _ in },
        _ talk: @escaping @Sendable (Input, WebSocketConnection, WebContext) async throws -> Void
    ) {
        let (sockets, origins) = (sockets, origins)
        add(endpoint.request, isSocket: true) { input, request, context in
            if let origin = request.headers[.origin],
                !origins.allows(origin, sentTo: context.isByCookie ? request.head.authority : nil, isSecure: context.isSecure)
            {
                throw Problem(.forbidden, "Pages of this origin may not open sockets here.", field: "Origin")
            }
            let accept = try WebSocketHandshake.check(request.headers, canUpgrade: context.upgrade != nil)
            let viewer = try context.requireViewer()
            try await admit(input, context)
            let registration = try sockets.enter(viewer)
            let logger = context.logger
            let conversation: @Sendable (WebSocketConnection) async throws -> Void = { try await talk(input, $0, context) }
            context.upgrade?.takeOver(
                configure: { channel in
                    let connection = try WebSocketConnection(on: channel, limits: limits)
                    sockets.open(registration, connection)
                    return connection
                },
                serve: { connection in
                    sockets.count(await connection.run(logger, conversation))
                })
            // Come what may, also when the upgrade never gets through.
            context.channel.closeFuture.whenComplete { _ in sockets.leave(registration) }
            return WebSocketHandshake.response(accept: accept)
        }
    }
}

extension SocketEndpoint {
    /// The request that opens it.
    fileprivate var request: Endpoint<Input, Never> { Endpoint(.get, path, surface: surface) }
}
