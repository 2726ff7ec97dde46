package import Core
package import HummingbirdCore

/// The functions that produce responses. This module knows neither the routes nor how the API renders its errors.
struct RequestHandling: Sendable {
    /// Responds to a request whose head is well-formed.
    let respond: HTTPChannelHandler.Responder
    /// Renders the response to a request that the connection refuses itself, for example because its framing is ambiguous.
    let refusal: @Sendable (Problem) -> Response
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1 and HTTP/2.
    /// - Parameters:
    ///   - tls: the certificate and key; all connections must then use TLS. `nil`: connections without TLS only.
    ///   - threads: the executor that runs requests; `nil` is Swift's default pool.
    ///   - refusal: renders the response to a request that the connection refuses itself.
    package static func connections(
        limits: ChannelLimits, tls: TLSIdentity?, ledger: ConnectionLedger, readAhead: ReadAhead, threads: (any TaskExecutor)?,
        refusal: @escaping @Sendable (Problem) -> Response
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HTTPChannel(
                handling: RequestHandling(respond: responder, refusal: refusal), limits: limits, tls: tls, ledger: ledger,
                readAhead: readAhead, threads: threads)
        }
    }
}
