import Console
import Core
import Database
import FeatureKit
import Foundation
import HTTPServer
import Hummingbird
import Live
import Logging
import Media
import Web

extension Backend {
    /// The routes of all features.
    func makeRoutes(on server: WebServer) -> Routes {
        let routes = makeEmptyRoutes(on: server)
        for feature in features.all { feature.addRoutes(to: routes) }
        PollEvents(hub: hub).addRoutes(to: routes)
        StreamEvents(hub: hub).addRoutes(to: routes)
        Operations(
            checks: checks, metrics: metrics, authenticator: features.authenticator, metricsToken: settings.metricsToken
        ).addRoutes(to: routes)
        Self.openAPI.addRoutes(to: routes)
        ServeConsole(
            fileOrigin: settings.redirectOrigin, fileByteCount: settings.uploads.fileByteCount,
            timeZone: ZoneName.name(of: settings.timeZone)
        ).addRoutes(to: routes)
        routes.finish()
        return routes
    }

    /// Makes the routes object, to which features then add their routes.
    func makeEmptyRoutes(on server: WebServer) -> Routes {
        Routes(
            router: server.makeRouter(origins: origins, surfaces: Self.surfaces), methods: server.methods,
            authenticator: features.authenticator,
            links: features.links, idempotency: Idempotency(store: idempotency), limiter: limiter, sockets: sockets, origins: origins,
            allowsAnonymous: settings.allowsAnonymous)
    }

    static var surfaces: PathSurfaces { PathSurfaces(Features.types.flatMap { $0.surfaces }) }

    static var openAPI: ServeOpenAPI { ServeOpenAPI(Features.types.map { $0.openAPI }, version: Keepsake.version) }

    /// - Parameter onListening: receives the port as soon as the server accepts requests.
    func makeServer(_ onListening: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
        let server = WebServer(
            metrics: metrics, limits: settings.channelLimits, tls: settings.tls, proxies: settings.trustedProxies,
            threads: database.threads, memory: memory, folder: settings.copiesFolder,
            explainFull: { [settings] in settings.explainFull($0) })
        requests.count(on: server)
        let routes = makeRoutes(on: server)
        return server.makeApplication(router: routes.router, host: settings.host, port: settings.port, logger: logger) { [address] port in
            address.set(port: port)
            onListening(port)
        }
    }
}
