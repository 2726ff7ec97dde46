import HTTPTypes
import Hummingbird
import KeepsakeWire
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import HTTPServer
@testable import Web

/// Runs only the HTTP channel on a free port, with routes that a test defines.
struct ChannelServer: Sendable {
    let port: Int
    let metrics: Metrics
    /// The server's certificate. If it is set, the server accepts only TLS.
    let identity: TestIdentity?

    var url: String { "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)" }

    /// Runs `test` against a new server, then stops the server.
    static func run<T: Sendable>(
        _ limits: ChannelLimits = ChannelLimits(), identity: TestIdentity? = nil, proxies: TrustedProxies = .none,
        folder: String? = nil, routes: (Router<WebContext>) -> Void = { _ in },
        _ test: @Sendable (ChannelServer) async throws -> T
    ) async throws -> T {
        let metrics = Metrics()
        let server = WebServer(
            metrics: metrics, limits: limits, tls: try identity?.load(), proxies: proxies, folder: folder)
        let router = server.makeRouter(surfaces: PathSurfaces([PathSurface("/api/chat", .chat)]))
        router.get("/hello") { _, _ in "hello" }
        router.post("/count") { request, context in
            try await context.continueIfExpected(request)
            var count = 0
            for try await chunk in request.body { count += chunk.readableBytes }
            return "\(count)"
        }
        routes(router)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
        let application = server.makeApplication(router: router, host: "127.0.0.1", port: 0, logger: logger) { onPort.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            let result: Result<T, any Error>
            do {
                result = .success(try await test(ChannelServer(port: port, metrics: metrics, identity: identity)))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }
}
