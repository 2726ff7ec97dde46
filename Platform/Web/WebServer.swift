package import Hummingbird
import HummingbirdCore
package import Logging

/// The listening side: a port, its channels, and the layers every request passes.
package struct WebServer: Sendable {
    package let metrics: Metrics

    package init(metrics: Metrics) { self.metrics = metrics }

    /// A router with the outer layers on: log, then errors.
    package func makeRouter() -> Router<WebContext> {
        let router = Router(context: WebContext.self)
        router.add(middleware: RequestLog(metrics: metrics))
        router.add(middleware: ErrorBoundary())
        return router
    }

    /// - Parameters:
    ///   - port: 0 picks a free one; `onListening` hears which.
    package func makeApplication(
        router: Router<WebContext>, host: String, port: Int, logger: Logger, onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: router,
            server: HTTPServerBuilder { responder in HTTPChannel(responder: responder, limits: HTTPChannel.Limits()) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil, backlog: 1_024),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) },
            logger: logger)
    }
}
