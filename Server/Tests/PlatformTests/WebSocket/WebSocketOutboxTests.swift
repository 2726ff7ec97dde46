import Core
import NIOCore
import NIOPosix
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Send queues of WebSockets", .blocksThreads)
struct WebSocketOutboxTests {
    private func outbox(_ memory: SharedBudget) throws -> WebSocketOutbox {
        WebSocketOutbox(
            limits: WebSocketLimits(), eventLoop: MultiThreadedEventLoopGroup.singleton.any(),
            signal: WebSocketOutbox.Signal(drain: {}, tooSlow: {}), share: try memory.share(0))
    }

    private static let text = String(repeating: "x", count: 9_000)
    private static let cost = 9_512

    @Test("messages count until the kernel has taken them; without room a queue takes one message, and the next one waits")
    func counted() async throws {
        let memory = SharedBudget(.init(total: 10_000, perAccount: .max, perNetwork: .max))
        let (first, second) = (try outbox(memory), try outbox(memory))
        try await first.send(.text(Self.text))
        #expect(memory.held == Self.cost)
        try await second.send(.text(Self.text))
        #expect(memory.held == Self.cost, "an empty queue takes a message that finds no room")
        #expect(second.next() == .text(Self.text))
        let waiting = Task { try await second.send(.text("next")) }
        try await Task.sleep(for: .milliseconds(50))
        #expect(second.next() == nil, "the second message waits")
        #expect(first.next() == .text(Self.text))
        first.written(9_000)
        #expect(memory.held == 0)
        // The first message of the second queue was not counted, so it returns no memory. The waiting message then counts.
        second.written(9_000)
        try await waiting.value
        #expect(memory.held == 516)
        #expect(second.next() == .text("next"))
        second.written(4)
        #expect(memory.held == 0)
    }

    @Test("a connection that ends returns what waits in its queue")
    func dropped() async throws {
        let memory = SharedBudget(.init(total: 1_000_000, perAccount: .max, perNetwork: .max))
        let queue = try outbox(memory)
        for _ in 0..<10 { try await queue.send(.text(Self.text)) }
        #expect(memory.held == 10 * Self.cost)
        queue.drop()
        #expect(memory.held == 0 && queue.next() == nil)
        await #expect(throws: WebSocketEnded.self) { try await queue.send(.text("late")) }
    }

    @Test("what was queued while the socket took no more is written when the client reads, without another send")
    func writable() async throws {
        let memory = SharedBudget(.init(total: 100_000_000, perAccount: .max, perNetwork: .max))
        let count = 480
        let sent = Mutex(0)
        var limits = WebSocketLimits()
        // The limit is so high that no sender waits. A waiting sender would have its messages written when the kernel takes others.
        limits.sendByteCount = 64_000_000
        try await SocketServer.run(
            limits, unsent: memory,
            { connection in
                for number in 0..<count {
                    try await connection.send(ByteBuffer(repeating: UInt8(number % 256), count: 50_000))
                    sent.withLock { $0 += 1 }
                }
                // If this closure returned, the socket would close and first write the whole queue.
                for await _ in connection.messages {}
            }
        ) { server in
            let client = try server.connect()
            for _ in 0..<1_000 where sent.withLock({ $0 }) < count { try await Task.sleep(for: .milliseconds(10)) }
            let sentCount = sent.withLock { $0 }
            #expect(sentCount == count)
            try await Task.sleep(for: .milliseconds(200))
            // While the client does not read, the kernel does not take all messages.
            #expect(memory.held > 1_000_000, "\(memory.held)")
            for number in 0..<count {
                let payload = try client.nextMessage().payload
                #expect(payload.count == 50_000 && payload.first == UInt8(number % 256), "\(number)")
            }
            for _ in 0..<1_000 where memory.held > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(memory.held == 0)
            client.connection.close()
        }
    }

    @Test("sockets whose clients do not read share the memory, and return it when they end")
    func unread() async throws {
        let memory = SharedBudget(.init(total: 500_000, perAccount: .max, perNetwork: .max))
        try await SocketServer.run(
            unsent: memory, { connection in while true { try await connection.send(ByteBuffer(repeating: 7, count: 50_000)) } }
        ) { server in
            let clients = try (0..<4).map { _ in try server.connect() }
            // Waits until the kernels' buffers are full.
            for _ in 0..<1_000 where memory.held < 400_000 { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(200))
            #expect((400_000...500_000).contains(memory.held), "\(memory.held)")
            // A client that reads gets its messages all the same.
            for _ in 0..<200 {
                let byteCount = try clients[0].nextMessage().payload.count
                #expect(byteCount == 50_000)
            }
            for client in clients { client.connection.close() }
            for _ in 0..<1_000 where memory.held > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(memory.held == 0)
        }
    }
}
