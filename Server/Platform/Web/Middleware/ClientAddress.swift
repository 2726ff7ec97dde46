import HTTPServer
import HTTPTypes
import Hummingbird
import Logging

/// Determines the client's address, even if a trusted proxy forwards the request.
struct ClientAddress {
    let proxies: TrustedProxies
    let metrics: Metrics
    private let untrusted = UntrustedProxies()

    init(proxies: TrustedProxies, metrics: Metrics) {
        self.proxies = proxies
        self.metrics = metrics
    }

    func locate(_ request: Request, _ context: inout WebContext) {
        guard let peer = context.connection?.peer else { return }
        context.setClient(proxies.client(peer: peer, fields: request.headers))
        if !proxies.contains(peer) { warn(peer, request.headers, context) }
    }

    private func warn(_ peer: IPAddress, _ fields: HTTPFields, _ context: WebContext) {
        let (isProxy, count) = untrusted.note(peer, fields)
        guard isProxy else { return }
        metrics.count("keepsake_forwarded_by_untrusted_total", help: "Requests forwarded by a proxy that is not trusted.")
        guard let count else { return }
        context.logger.warning(
            "A proxy that is not trusted forwards requests: all its clients count as one network. Add its address to KEEPSAKE_TRUSTED_PROXIES.",
            metadata: ["proxy": "\(peer)", "requests": .stringConvertible(count)])
    }
}
