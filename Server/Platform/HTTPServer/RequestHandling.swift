package import Core
package import HummingbirdCore

/// What answers requests. This module knows neither the routes nor how the API words its errors.
struct RequestHandling: Sendable {
    /// Answers a request whose head is well-formed.
    let respond: HTTPChannelHandler.Responder
    /// Renders the answer to a request that the connection refuses itself, for example one whose framing is ambiguous.
    let refusal: @Sendable (Problem) -> Response
}

extension HTTPServerBuilder {
    /// Serves HTTP/1.1 and HTTP/2, with `tls` over TLS only.
    /// - Parameters:
    ///   - tls: `nil` speaks without TLS; otherwise nothing is spoken without it.
    ///   - threads: where requests are handled; `nil` is Swift's own pool.
    ///   - refusal: renders the answer to a request that the connection refuses itself.
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
