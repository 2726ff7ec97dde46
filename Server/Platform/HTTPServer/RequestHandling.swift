package import Core
package import HummingbirdCore

/// The functions that produce responses. This module knows neither the routes nor how the API renders its errors.
struct RequestHandling: Sendable {
    /// Responds to a request whose head is well-formed.
    let respond: HTTPChannelHandler.Responder
    /// Renders the response to a request that the connection refuses itself, for example because its framing is ambiguous.
    let refusal: @Sendable (Problem) -> Response
    /// Runs the protocols that take connections over.
    let threads: any TaskExecutor
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1 and HTTP/2.
    /// - Parameters:
    ///   - tls: the certificate and key; all connections must then use TLS. `nil`: connections without TLS only.
    ///   - threads: the executor that runs the protocols that take connections over. `responder` runs on the event loop of its connection:
    ///     it must not block, and moves to other threads for whatever might.
    ///   - refusal: renders the response to a request that the connection refuses itself.
    package static func connections(
        limits: ChannelLimits, tls: TLSIdentity?, ledger: ConnectionLedger, readAhead: ReadAhead, threads: any TaskExecutor,
        refusal: @escaping @Sendable (Problem) -> Response
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HTTPChannel(
                handling: RequestHandling(respond: responder, refusal: refusal, threads: threads), limits: limits, tls: tls,
                ledger: ledger, readAhead: readAhead)
        }
    }
}
