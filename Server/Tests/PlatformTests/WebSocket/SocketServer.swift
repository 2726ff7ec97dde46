import Core
import HTTPServer
import Hummingbird
import Logging
import NIOCore
import Synchronization
import TestKit

@testable import Web

/// The HTTP channel with one route that upgrades to a WebSocket, and no other part of the server.
struct SocketServer: Sendable {
    let port: Int
    let log: SocketLog

    static func run<T: Sendable>(
        _ limits: WebSocketLimits = WebSocketLimits(), memory: SharedBudget? = nil, unsent: SharedBudget? = nil,
        _ talk: @escaping @Sendable (WebSocketConnection) async throws -> Void = echo,
        _ test: @Sendable (SocketServer) async throws -> T
    ) async throws -> T {
        let log = SocketLog()
        return try await ChannelServer.run(routes: { router in
            router.get("/socket") { request, context in
                let accept = try WebSocketHandshake.check(request.headers, canUpgrade: context.upgrade != nil)
                guard let upgrade = context.upgrade else { throw HTTPError(.badRequest) }
                upgrade.takeOver(
                    configure: {
                        try WebSocketConnection(
                            on: $0, limits: limits, share: memory.map { try $0.share(0) }, unsent: unsent.map { try $0.share(0) })
                    },
                    serve: { connection in
                        log.add(await connection.run(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, talk))
                    })
                return WebSocketHandshake.response(accept: accept)
            }
        }) { server in
            try await test(SocketServer(port: server.port, log: log))
        }
    }

    @Sendable static func echo(_ connection: WebSocketConnection) async throws {
        for await message in connection.messages {
            switch message {
            case .text(let text): try await connection.send(text)
            case .binary(let bytes): try await connection.send(bytes)
            }
        }
    }

    func connect(timeout: Int = 30) throws -> WebSocketClient { try WebSocketClient(port: port, path: "/socket", timeout: timeout) }
}

/// Records how the server saw each socket end.
final class SocketLog: Sendable {
    private let endings = Mutex<[WebSocketEnding]>([])

    func add(_ ending: WebSocketEnding) { endings.withLock { $0.append(ending) } }

    /// Waits for the first record.
    func first() async throws -> WebSocketEnding? {
        for _ in 0..<6_000 {
            if let first = endings.withLock({ $0.first }) { return first }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }
}
