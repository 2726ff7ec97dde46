import Core
import Foundation
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("WebSocket connections", .blocksThreads)
struct WebSocketConnectionTests {
    typealias Client = WebSocketClient
    typealias Frame = WebSocketClient.Frame

    private func limits(_ change: (inout WebSocketLimits) -> Void) -> WebSocketLimits {
        var limits = WebSocketLimits()
        change(&limits)
        return limits
    }

    @Test func `frames sent together with the request are read, and messages come back whole`() async throws {
        try await SocketServer.run(limits { $0.closeWithin = .milliseconds(200) }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(Array(Client.request("/socket").utf8) + Client.bytes(1, Array("early".utf8)) + Client.bytes(9, [7]))
            let answer = try connection.answer()
            #expect(answer.status == 101)
            #expect(answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(answer.headers["upgrade"] == "websocket" && answer.headers["connection"] == "Upgrade")
            #expect(answer.headers["content-length"] == nil && answer.headers["transfer-encoding"] == nil)
            let client = Client(connection)
            var frames = [try client.next(), try client.next()]
            frames.sort { $0.opcode < $1.opcode }
            #expect(frames == [Frame(1, Array("early".utf8)), Frame(10, [7])])
            let large = [UInt8](repeating: 0x5A, count: 200_000)
            try connection.send(Client.bytes(2, large, isFinal: false) + Client.bytes(0, large))
            #expect(try client.next() == Frame(2, large + large))
            try client.close(4_321)
            #expect(try client.next().closeCode == 4_321)
            #expect(connection.isClosedByServer())
            #expect(try await server.log.first() == .peer(WebSocketClose(.init(rawValue: 4_321))))
        }
    }

    @Test func `what breaks the protocol is told why, and the connection ends, though more was sent`() async throws {
        try await SocketServer.run { server in
            for (bytes, code) in [
                (Client.bytes(1, [0xFF]), 1_007), (Client.bytes(3, []), 1_002), (Client.bytes(1, [], mask: nil), 1_002),
                ([0x82, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], 1_009), (Client.bytes(8, [1]), 1_002),
            ] as [([UInt8], Int)] {
                let client = try server.connect()
                try client.connection.send(bytes + [UInt8](repeating: 0x33, count: 100_000))
                let close = try client.next()
                #expect(close.closeCode == code && !close.closeReason.isEmpty)
                #expect(client.connection.isClosedByServer())
            }
        }
    }

    @Test func `when the handler returns, throws or is too busy, the close says so`() async throws {
        for (error, code) in [
            (nil, 1_000), (Problem(.tooManyRequests, "Slow down."), 1_013), (Problem(.forbidden, "Not yours."), 1_008),
            (CocoaError(.fileNoSuchFile), 1_011), (CancellationError(), 1_012), (WebSocketClose(.unsupportedData), 1_003),
        ] as [((any Error)?, Int)] {
            try await SocketServer.run(WebSocketLimits(), { _ in if let error { throw error } }) { server in
                let client = try server.connect()
                let close = try client.nextClose()
                #expect(close.closeCode == code)
                #expect(client.connection.isClosedByServer())
            }
        }
    }

    @Test func `a client that never answers our close is cut off`() async throws {
        try await SocketServer.run(limits { $0.closeWithin = .milliseconds(200) }, { _ in }) { server in
            let client = try server.connect()
            #expect(try client.next().closeCode == 1_000)
            let start = ContinuousClock.now
            #expect(client.connection.isClosedByServer())
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(try await server.log.first() == .ours(WebSocketClose(.normal)))
        }
    }

    @Test func `who answers pings stays, and who is silent is dropped`() async throws {
        // The timeout is long enough that a client on a busy machine does not count as silent.
        let limits = limits { ($0.pingEvery, $0.pongWithin, $0.closeWithin) = (.milliseconds(150), .seconds(2), .milliseconds(100)) }
        try await SocketServer.run(limits) { server in
            let client = try server.connect()
            for _ in 0..<5 {
                let ping = try client.next()
                #expect(ping.opcode == 9)
                try client.connection.send(Client.bytes(10, ping.payload))
            }
            // Any frame shows that the client is alive.
            #expect(try client.next().opcode == 9)
            try client.send("here")
            // On a busy machine another ping may come first.
            var frame = try client.next()
            while frame.opcode == 9 { frame = try client.next() }
            #expect(frame.text == "here")
            let start = ContinuousClock.now
            repeat { frame = try client.next() } while frame.opcode == 9
            #expect(frame.closeCode == 1_001)
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(client.connection.isClosedByServer())
            #expect(try await server.log.first() == .silent)
        }
    }

    @Test func `a consumer that takes its time stops the reading, loses nothing, and its peer is not taken for silent`() async throws {
        let limits = limits { ($0.pingEvery, $0.pongWithin) = (.milliseconds(100), .seconds(1)) }
        let taken = Taken()
        try await SocketServer.run(
            limits,
            { connection in
                for await message in connection.messages {
                    if taken.add(message.byteCount) == 1 { try await Task.sleep(for: .seconds(3)) }
                }
            }
        ) { server in
            let client = try server.connect(timeout: 20)
            let message = Client.bytes(2, [UInt8](repeating: 1, count: 250_000))
            let (sent, rest) = (Taken(), 80)
            let sending = Task.detached(executorPreference: BlockingThreads.shared) {
                for _ in 0..<rest {
                    try client.connection.send(message)
                    _ = sent.add(1)
                }
                try client.close()
            }
            for _ in 0..<1_000 where taken.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
            try await Task.sleep(for: .milliseconds(500))
            // The client can send only as many messages as the kernels' buffers on both sides hold.
            #expect(taken.count == 1 && sent.count < 60, "\(sent.count) messages went out")
            try await sending.value
            #expect(try client.nextClose().closeCode == 1_000)
            // The server answers the close when the last message is in the queue, which may be before the consumer has taken that message.
            for _ in 0..<1_000 where taken.count < rest { try await Task.sleep(for: .milliseconds(10)) }
            #expect(taken.count == rest && taken.sum == rest * 250_000)
        }
    }

    @Test func `a reader that is too slow holds the sender up, then is dropped with 1013, within the bounds of the queue`() async throws {
        let limits = limits { ($0.sendByteCount, $0.sendWait, $0.closeWithin) = (300_000, .milliseconds(400), .seconds(2)) }
        let sent = Taken()
        try await SocketServer.run(
            limits,
            { connection in
                while true {
                    try await connection.send(ByteBuffer(repeating: 7, count: 100_000))
                    _ = sent.add(100_000)
                }
            }
        ) { server in
            let client = try server.connect()
            let start = ContinuousClock.now
            #expect(try await server.log.first() != nil)
            #expect(ContinuousClock.now - start > .milliseconds(400))
            // At most the kernels' buffers on both sides and three messages in the queue were sent.
            #expect(sent.sum < 12_000_000, "\(sent.sum)")
            _ = client
            #expect(try await server.log.first() == .ours(WebSocketClose(.tryAgainLater, "The client reads too slowly.")))
        }
    }

    @Test func `a reader that takes what waits in time loses nothing, and hears the close behind it`() async throws {
        let limits = limits { ($0.sendByteCount, $0.sendMessageCount) = (100_000, 10) }
        try await SocketServer.run(
            limits,
            { connection in for number in 0..<2_000 { try await connection.send("\(number) " + String(repeating: "x", count: 5_000)) } }
        ) { server in
            let client = try server.connect()
            try await Task.sleep(for: .milliseconds(200))
            for number in 0..<2_000 {
                let text = try client.nextMessage().text
                if !text.hasPrefix("\(number) ") { Issue.record("\(text.prefix(10)) instead of \(number)") }
            }
            #expect(try client.nextClose().closeCode == 1_000)
        }
    }

    @Test func `many senders share one socket, and every message arrives whole and once`() async throws {
        let limits = limits { ($0.sendByteCount, $0.sendMessageCount) = (5_000, 5) }
        try await SocketServer.run(
            limits,
            { connection in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for sender in 0..<20 {
                        group.addTask { for number in 0..<50 { try await connection.send("\(sender)-\(number)") } }
                    }
                    try await group.waitForAll()
                }
            }
        ) { server in
            let client = try server.connect()
            var next = [Int](repeating: 0, count: 20)
            for _ in 0..<1_000 {
                let parts = try client.nextMessage().text.split(separator: "-").compactMap { Int($0) }
                #expect(parts.count == 2 && next[parts[0]] == parts[1])
                next[parts[0]] += 1
            }
            #expect(next.allSatisfy { $0 == 50 })
            #expect(try client.nextClose().closeCode == 1_000)
        }
    }

    @Test func `a peer that pings without reading gets the last answers, and costs no more than a few`() async throws {
        try await SocketServer.run(limits { $0.pingsPerSecond = 1_000_000 }) { server in
            let client = try server.connect()
            let pings = Task.detached(executorPreference: BlockingThreads.shared) {
                for round in 0..<300 {
                    try client.connection.send(
                        (0..<50).flatMap { _ in Client.bytes(9, [UInt8](repeating: UInt8(round % 251), count: 125)) })
                }
                try client.connection.send(Client.bytes(9, Array("last".utf8)))
            }
            try await pings.value
            var answers = 0
            while try client.next().payload != Array("last".utf8) { answers += 1 }
            #expect(answers <= 15_000)
            try client.send("still here")
            #expect(try client.next().text == "still here")
        }
    }

    @Test func `fifty pings at once are all answered, and a flood of them closes the socket with 1008`() async throws {
        try await SocketServer.run { server in
            let client = try server.connect()
            try client.connection.send((0..<50).flatMap { Client.bytes(9, [UInt8($0)]) })
            for number in 0..<50 { #expect(try client.next() == Frame(10, [UInt8(number)])) }
            try client.send("still here")
            #expect(try client.next().text == "still here")
            try client.connection.send((0..<2_000).flatMap { _ in Client.bytes(9, []) })
            var frame = try client.next()
            var answers = 0
            while frame.opcode == 10 {
                answers += 1
                frame = try client.next()
            }
            #expect(frame.closeCode == 1_008 && answers < 1_900, "\(answers)")
            #expect(client.connection.isClosedByServer())
            let close = WebSocketClose(.policyViolation, "Send at most 50 pings and pongs a second.")
            #expect(try await server.log.first() == .ours(close))
        }
    }

    @Test func `pongs that answer no ping are ignored, and a flood of them closes the socket with 1008`() async throws {
        try await SocketServer.run { server in
            let client = try server.connect()
            try client.connection.send((0..<50).flatMap { Client.bytes(10, [UInt8($0)]) })
            try client.send("still here")
            #expect(try client.next().text == "still here")
            try client.connection.send((0..<2_000).flatMap { _ in Client.bytes(10, []) })
            #expect(try client.next().closeCode == 1_008)
            #expect(client.connection.isClosedByServer())
        }
    }

    @Test func `tokens for pings refill evenly within a second`() {
        var bucket = PingBucket(perSecond: 50)
        let start = NIODeadline.now()
        func take(_ milliseconds: Int64) -> Bool { bucket.take(at: start + .milliseconds(milliseconds)) }
        for _ in 0..<50 { #expect(take(0)) }
        #expect(!take(0) && !take(19))
        #expect(take(20) && !take(20))
        for _ in 0..<50 { #expect(take(5_000)) }
        #expect(!take(5_000))
    }

    @Test func `a cut connection cancels the handler, and sending into it fails`() async throws {
        let outcome = Taken()
        try await SocketServer.run(
            WebSocketLimits(),
            { connection in
                do {
                    while true { try await Task.sleep(for: .seconds(60)) }
                } catch is CancellationError { _ = outcome.add(1) }
                do {
                    try await connection.send("into nothing")
                } catch is WebSocketEnded { _ = outcome.add(10) }
            }
        ) { server in
            try server.connect().connection.close()
            #expect(try await server.log.first() == .lost)
            #expect(outcome.sum == 11)
        }
    }

    @Test func `a server that stops says 1012 to every socket, and does not wait for them`() async throws {
        let start = ContinuousClock.now
        let clients = try await SocketServer.run { server in
            let clients = try (0..<20).map { _ in try server.connect() }
            for client in clients {
                try client.send("hello")
                _ = try client.next()
            }
            return Task.detached(executorPreference: BlockingThreads.shared) { try clients.map { try $0.nextClose().closeCode } }
        }
        #expect(try await clients.value == [Int?](repeating: 1_012, count: 20))
        #expect(ContinuousClock.now - start < .seconds(9))
    }
}

/// Counts messages and bytes.
private final class Taken: Sendable {
    private let totals = Mutex((count: 0, sum: 0))

    /// - Returns: the count so far.
    func add(_ amount: Int) -> Int {
        totals.withLock { totals in
            totals = (totals.count + 1, totals.sum + amount)
            return totals.count
        }
    }

    var count: Int { totals.withLock { $0.count } }
    var sum: Int { totals.withLock { $0.sum } }
}
