import Core
import Foundation
import HTTPTypes
import KeepsakeWire
import Logging
import ServiceLifecycle
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

/// The test adds its own route in front of the whole server.
@Suite("Replies that are made after a wait", .blocksThreads)
struct WaitingReplyTests {
    /// An object, so that the test can see when it is released.
    private final class Content: Codable, Sendable {
        let text: String
    }

    private struct Input: Codable, Sendable {
        let content: Content
    }

    private struct Output: Codable, Sendable {
        let text: String
        /// Whether the input is still in memory after the handler has returned.
        let isHeld: Bool
    }

    private struct WeakContent { weak var content: Content? }

    private static let endpoint = Endpoint<Input, Output>(.post, "/test/later", surface: .chat, body: .json())

    @Test("while a reply waits, the request's input is not in memory")
    func input() async throws {
        let answer: Output = try await TestServer.run(.embedded) { server in
            let web = WebServer(metrics: Metrics())
            let routes = server.backend.makeRoutes(on: web)
            routes.serve(events: Self.endpoint) { (input: Input, _: WebContext) async throws -> EventReply<Output> in
                let content = Mutex(WeakContent(content: input.content))
                let text = input.content.text
                return .json { Output(text: text, isHeld: content.withLock { $0.content != nil }) }
            }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
            let application = web.makeApplication(router: routes.router, host: "127.0.0.1", port: 0, logger: logger) { onPort.yield($0) }
            let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
            return try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                let result: Result<Output, any Error>
                do {
                    result = .success(try await Self.send("Hello", port, server))
                } catch {
                    result = .failure(error)
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return try result.get()
            }
        }
        #expect(answer.text == "Hello" && !answer.isHeld)
    }

    private static func send(_ text: String, _ port: Int, _ server: TestServer) async throws -> Output {
        let ada = try await server.person()
        let answer = try await server.send(
            "POST", "http://127.0.0.1:\(port)/test/later", as: ada, headers: [("Content-Type", "application/json")],
            body: Data(#"{"content":{"text":"\#(text)"}}"#.utf8))
        return try JSONDecoder().decode(Output.self, from: Data(answer.text.utf8))
    }
}
