import Core
import Foundation
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Memory of messages from WebSockets", .blocksThreads)
struct WebSocketMemoryTests {
    private typealias Client = WebSocketClient

    private func budget(_ total: Int) -> SharedBudget { SharedBudget(.init(total: total, perAccount: total, perNetwork: total)) }

    @Test("many slow sockets share the memory: each message comes back whole, and none is dropped")
    func slow() async throws {
        var limits = WebSocketLimits()
        limits.messageByteCount = 250_000
        let memory = budget(500_000)
        let peak = Mutex(0)
        let talk: @Sendable (WebSocketConnection) async throws -> Void = { connection in
            for await message in connection.messages {
                peak.withLock { $0 = max($0, memory.held) }
                guard case .binary(let bytes) = message else { continue }
                try await connection.send(bytes)
            }
        }
        try await SocketServer.run(limits, memory: memory, talk) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let client = try server.connect(timeout: 60)
                        // Every other message has two frames, so the server does not know its length at first and counts the longest
                        // possible message.
                        let payload = [UInt8](repeating: UInt8(number), count: 200_000)
                        let bytes =
                            number % 2 == 0
                            ? Client.bytes(2, payload)
                            : Client.bytes(2, Array(payload[..<50_000]), isFinal: false) + Client.bytes(0, Array(payload[50_000...]))
                        for start in stride(from: 0, to: bytes.count, by: 40_000) {
                            try client.connection.send(Array(bytes[start..<min(start + 40_000, bytes.count)]))
                            try await Task.sleep(for: .milliseconds(10))
                        }
                        #expect(try client.nextMessage() == WebSocketClient.Frame(2, payload))
                        try client.close()
                    }
                }
                try await group.waitForAll()
            }
            let most = peak.withLock { $0 }
            #expect((200_000...500_000).contains(most), "\(most)")
            try await returned(memory)
        }
    }

    /// Waits until no bytes count.
    private func returned(_ memory: SharedBudget) async throws {
        for _ in 0..<1_000 where memory.held > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(memory.held == 0)
    }

    @Test("a message waits for the memory without being dropped, and small messages and pings pass meanwhile")
    func full() async throws {
        var limits = WebSocketLimits()
        // On a busy machine this task can be delayed by a second, and the server must not count the clients as gone because of that.
        (limits.pingEvery, limits.pongWithin) = (.milliseconds(500), .seconds(2))
        let memory = budget(300_000)
        let message = [UInt8](repeating: 7, count: 200_000)
        // Encodes the message before the clients connect. In a debug build, this takes longer than the server waits for a sign of life.
        let bytes = Client.bytes(2, message)
        try await SocketServer.run(limits, memory: memory) { server in
            let (holder, waiter, small) = (try server.connect(), try server.connect(), try server.connect())
            try holder.connection.send(Array(bytes[..<1_000]))
            for _ in 0..<1_000 where memory.held == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(memory.held == 200_000)
            try waiter.connection.send(Array(bytes[..<1_000]))
            // The holder's bytes show that it is alive. The server reads nothing from the waiter, so it expects no pong from it, although
            // this takes longer than `pongWithin`.
            for number in 0..<30 {
                try small.send("short")
                #expect(try small.nextMessage().payload == Array("short".utf8))
                try holder.connection.send([bytes[1_000 + number]])
                try await Task.sleep(for: .milliseconds(120))
            }
            #expect(memory.held == 200_000, "the second message waits")
            try holder.connection.send(Array(bytes[1_030...]))
            #expect(try holder.nextMessage().payload == message)
            try waiter.connection.send(Array(bytes[1_000...]))
            #expect(try waiter.nextMessage().payload == message)
        }
        try await returned(memory)
    }

    @Test("a message counts until its handler takes the next one, and a socket that ends returns what it held")
    func ends() async throws {
        let memory = budget(1_000_000)
        let talk: @Sendable (WebSocketConnection) async throws -> Void = { connection in
            for await _ in connection.messages { try await Task.sleep(for: .seconds(60)) }
        }
        try await SocketServer.run(memory: memory, talk) { server in
            let client = try server.connect()
            for _ in 0..<3 { try client.connection.send(Client.bytes(2, [UInt8](repeating: 1, count: 100_000))) }
            for _ in 0..<1_000 where memory.held < 200_000 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(memory.held >= 200_000)
            client.connection.close()
            try await returned(memory)
        }
    }
}
