import Core
import HTTPServer
import HTTPTypes
import Hummingbird
package import KeepsakeWire
import Logging
import NIOCore

extension Routes {
    /// Serves an endpoint over WebSocket. The server checks the credential, the origin and the input before the upgrade, and refuses in the
    /// endpoint's dialect: 401, 403, 400, 426, 429.
    ///
    /// The socket stays open as long as the session, even after the access token that opened it has expired. The server closes it with 1008
    /// within 5 s of the session's end, and with 1012 when the server stops.
    /// - Parameters:
    ///   - admit: throws to refuse the request before the upgrade.
    ///   - talk: runs as long as the socket is open; `WebSocketConnection.run` documents what happens when it returns or throws.
    package func serve<Input: Codable & Sendable>(
        webSocket endpoint: SocketEndpoint<Input>, limits: WebSocketLimits = WebSocketLimits(),
        admit: @escaping @Sendable (Input, WebContext) async throws -> Void = { _, _ in },
        _ talk: @escaping @Sendable (Input, WebSocketConnection, WebContext) async throws -> Void
    ) {
        let (sockets, origins) = (sockets, origins)
        add(endpoint.request, options: RouteOptions(isSocket: true)) { input, request, context in
            if let origin = request.headers[.origin], !AllowedOrigins.isOfSocket(origin),
                !origins.allows(origin, sentTo: context.isByCookie ? request.head.authority : nil, isSecure: context.isSecure)
            {
                throw Problem(.forbidden, "Pages of this origin may not open sockets here.", field: "Origin")
            }
            let accept = try WebSocketHandshake.check(request.headers, canUpgrade: context.upgrade != nil)
            let viewer = try context.requireViewer()
            try await admit(input, context)
            let registration = try sockets.enter(viewer)
            let (logger, requester) = (context.logger, context.requester)
            let conversation: @Sendable (WebSocketConnection) async throws -> Void = { try await talk(input, $0, context) }
            context.upgrade?.takeOver(
                configure: { channel in
                    let connection = try WebSocketConnection(
                        on: channel, limits: limits, share: sockets.memory(of: requester), unsent: sockets.unsentMemory(of: requester))
                    sockets.open(registration, connection)
                    return connection
                },
                serve: { connection in
                    // The socket acts on behalf of the account, like a request: what it sends waits for the turns of its account and
                    // network.
                    try await Requester.$source.withValue(context.record) {
                        try await context.onThreads { sockets.count(await connection.run(logger, conversation)) }
                    }
                })
            // The registration ends in every case, even if the upgrade fails.
            context.channel.closeFuture.whenComplete { _ in sockets.leave(registration) }
            return WebSocketHandshake.response(accept: accept)
        }
    }
}

extension SocketEndpoint {
    /// The request that opens the socket.
    fileprivate var request: Endpoint<Input, Never> { Endpoint(.get, path, surface: surface) }
}
