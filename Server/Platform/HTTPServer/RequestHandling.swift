package import Core
package import HummingbirdCore
package import NIOCore

/// The functions that produce responses. This module knows neither the routes nor how the API renders its errors.
struct RequestHandling: Sendable {
    /// Makes the response to a request whose head is well-formed.
    let respond: @Sendable (Request, any Channel) async -> Response
    /// Renders the response to a request that the connection refuses itself, for example because its framing is ambiguous.
    let refusal: @Sendable (Problem) -> Response
    /// Runs the protocols, such as WebSocket, that replace HTTP on a connection.
    let threads: any TaskExecutor
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1 and HTTP/2.
    /// - Parameters:
    ///   - tls: the certificate and key; all connections must then use TLS. `nil`: connections without TLS only.
    ///   - threads: the executor that runs the protocols, such as WebSocket, that replace HTTP on a connection.
    ///   - respond: makes the response to a request. It runs on the event loop of its connection: it must not block, and moves work that
    ///     might block to other threads. It replaces Hummingbird's own responder, which gives each request a logger with an id of its own.
    ///   - refusal: renders the response to a request that the connection refuses itself.
    package static func connections(
        limits: ChannelLimits, tls: TLSIdentity?, ledger: ConnectionLedger, readAhead: ReadAhead, threads: any TaskExecutor,
        respond: @escaping @Sendable (Request, any Channel) async -> Response, refusal: @escaping @Sendable (Problem) -> Response
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { _ in
            HTTPChannel(
                handling: RequestHandling(respond: respond, refusal: refusal, threads: threads), limits: limits, tls: tls,
                ledger: ledger, readAhead: readAhead)
        }
    }
}
