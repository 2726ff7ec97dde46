import Core
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import KeepsakeWire
import Logging
import NIOCore

/// The routes for operators: liveness, readiness and metrics.
package struct Operations: Sendable {
    /// A check of something that the server needs to work.
    package struct Check: Sendable {
        package let name: String
        package let run: @Sendable () async throws -> Void

        package init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let readiness: Readiness
    let metrics: Metrics
    let authenticator: any Authenticator
    /// The token for metrics. If it is `nil`, `/metrics` accepts an administrator's token, and from this machine also requests without a
    /// token.
    let metricsToken: MetricsToken?
    /// The response of `/health/live`, which is the same for every request.
    private let live: Response

    package init(checks: [Check], metrics: Metrics, authenticator: any Authenticator, metricsToken: MetricsToken? = nil) {
        readiness = Readiness(checks)
        self.metrics = metrics
        self.authenticator = authenticator
        self.metricsToken = metricsToken
        live = Dialect.of(.capsules).response(json: #"{"status":"ok"}"#)
    }

    package func addRoutes(to routes: Routes) {
        let (origins, limiter) = (routes.origins, routes.limiter)
        routes.serveRaw(.get, "/health/live", anyName: true) { [live] _, _ in live }
        routes.serveRaw(.get, "/health/ready", anyName: true) { _, context in try await ready(context) }
        routes.serveRaw(.get, "/metrics", anyName: true) { request, context in
            var context = context
            context.limiter = limiter
            try await authorize(request, context, origins)
            // Rendering hundreds of series takes about as long as ten requests, so it does not run on the event loop.
            let page = await withTaskExecutorPreference(globalConcurrentExecutor) { metrics.page() }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
        }
    }

    private func ready(_ context: WebContext) async throws -> Response {
        let results = await readiness.results(context.logger)
        var answers = results.mapValues { $0 ? "ok" : "failed" }
        let isReady = results.values.allSatisfy { $0 }
        answers["status"] = isReady ? "ok" : "failed"
        return try Dialect.of(.capsules).json(answers, status: isReady ? .ok : .serviceUnavailable)
    }

    /// Allows requests from this machine, the token for metrics, and an administrator's token. A request that a proxy on this machine
    /// forwarded is not local; its header fields show that.
    private func authorize(_ request: Request, _ context: WebContext, _ origins: AllowedOrigins) async throws {
        let forwarded = [HTTPField.Name.forwarded, .xForwardedFor].contains { request.headers[$0] != nil }
        let isLocal = !forwarded && context.peerAddress.flatMap { IPAddress($0) }?.isLoopback == true
        guard let token = request.headers[.authorization]?.bearerToken else {
            // The request may come from a web page that a browser on this machine has loaded, so check `Host`.
            if isLocal { return try context.requireOurName(request, origins) }
            throw Problem(.unauthenticated, "The token for metrics or an administrator's token is needed.")
        }
        if let metricsToken, metricsToken.matches(token) { return }
        try authenticator.checkForm(ofBearer: token)
        // The check of a signature takes long for an event loop. Count the address before it, because a token that nobody has verified
        // names no account that the request could count for.
        let isAdmin = try await context.onThreads {
            try await context.countAddress(.read)
            return try await authenticator.viewer(bearer: token).isAdmin
        }
        guard isAdmin else {
            throw Problem(.forbidden, "Only an administrator may read this.")
        }
    }
}
