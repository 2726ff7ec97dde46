import Core
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Slow clients and too many clients", .serialized, .blocksThreads, .runsBesideFew)
struct DeadlineTests {
    private static var quick: ChannelLimits {
        var limits = ChannelLimits()
        limits.idle = .milliseconds(400)
        limits.head = .milliseconds(400)
        limits.body = MinimumRate(start: .milliseconds(400), ceiling: .milliseconds(600), bytesPerSecond: 10_000)
        limits.answer = MinimumRate(start: .milliseconds(500), ceiling: .milliseconds(500), bytesPerSecond: 100_000)
        limits.linger = .milliseconds(300)
        return limits
    }

    /// The limits are long enough that a client on a busy machine does not count as slow.
    private static var patient: ChannelLimits {
        var limits = quick
        limits.idle = .seconds(30)
        limits.connectionReservePercent = 0
        limits.body = MinimumRate(start: .milliseconds(1_500), ceiling: .seconds(2), bytesPerSecond: 10_000)
        limits.answer = MinimumRate(start: .milliseconds(1_500), ceiling: .milliseconds(1_500), bytesPerSecond: 100_000)
        return limits
    }

    private func duration(_ body: () throws -> Void) rethrows -> Duration {
        let start = ContinuousClock.now
        try body()
        return ContinuousClock.now - start
    }

    @Test("an idle connection is closed without a response, also between requests")
    func idle() async throws {
        try await ChannelServer.run(Self.quick) { server in
            for text in ["", "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"] {
                let connection = try RawConnection(port: server.port)
                try connection.send(text)
                if !text.isEmpty { #expect(try connection.answer().text == "hello") }
                let took = duration { #expect(connection.isClosedByServer()) }
                #expect(.milliseconds(300)...(.seconds(10)) ~= took, "\(took)")
            }
        }
    }

    @Test("a head that arrives byte by byte is 408, however steadily", arguments: ["G", "GET /hello HTTP/1.1\r\nHost: a\r\nX: "])
    func slowHead(_ start: String) async throws {
        try await ChannelServer.run(Self.quick) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(start)
            let dripping = Task.detached(executorPreference: BlockingThreads.shared) {
                for _ in 0..<400 {
                    try await Task.sleep(for: .milliseconds(50))
                    try connection.send("a")
                }
            }
            let began = ContinuousClock.now
            #expect(try connection.answer().status == 408)
            let took = ContinuousClock.now - began
            // The client goes on sending for twenty seconds.
            #expect(took < .seconds(10), "\(took)")
            #expect(connection.isClosedByServer())
            _ = await dripping.result
        }
    }

    @Test("a body that stalls or is too slow is 408 in the surface's format; a steady one is accepted")
    func slowBody() async throws {
        try await ChannelServer.run(
            Self.patient,
            routes: { router in
                router.post("/api/chat/count") { request, _ in "\(try await request.body.collect(upTo: 100_000).readableBytes)" }
            }
        ) { server in
            let head = "POST /api/chat/count HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"
            let stalled = try RawConnection(port: server.port)
            try stalled.send(head + "abc")
            let answer = try stalled.answer()
            #expect(answer.status == 408 && answer.headers["connection"] == "close", "\(answer)")
            #expect(answer.text.hasPrefix("{\"message\":") && !answer.text.contains("\"error\""), "\(answer.text)")
            #expect(stalled.isClosedByServer())

            let slow = try RawConnection(port: server.port)
            try slow.send(head)
            let dripping = Task.detached(executorPreference: BlockingThreads.shared) {
                for _ in 0..<400 {
                    try await Task.sleep(for: .milliseconds(30))
                    try slow.send("a")
                }
            }
            #expect(try slow.answer().status == 408)
            _ = await dripping.result

            let steady = try RawConnection(port: server.port)
            try steady.send(head)
            for _ in 0..<20 {
                try await Task.sleep(for: .milliseconds(100))
                try steady.send([UInt8](repeating: 97, count: 3_000))
            }
            let taken = try steady.answer()
            #expect(taken.text == "60000")
        }
    }

    @Test("time in which the server does not read, or the client waits for 100 Continue, does not count against the client")
    func notTheirs() async throws {
        try await ChannelServer.run(
            Self.patient,
            routes: { router in
                router.post("/later") { request, context in
                    try await Task.sleep(for: .milliseconds(2_500))
                    try await context.continueIfExpected(request)
                    var count = 0
                    for try await chunk in request.body {
                        count += chunk.readableBytes
                        if count < 400_000 { try await Task.sleep(for: .milliseconds(100)) }
                    }
                    return "\(count)"
                }
            }
        ) { server in
            let waiting = try RawConnection(port: server.port)
            try waiting.send("POST /later HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(try waiting.answer().status == 100)
            try waiting.send("abcde")
            #expect(try waiting.answer().text == "5")
            let fast = try RawConnection(port: server.port)
            try fast.send("POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n")
            try fast.send([UInt8](repeating: 97, count: 8_000_000))
            #expect(try fast.answer().text == "8000000")
        }
    }

    @Test("a client that does not read a response loses the connection, and its handler's write throws")
    func slowReader() async throws {
        let (ends, onEnd) = AsyncStream.makeStream(of: Bool.self)
        try await ChannelServer.run(
            Self.patient,
            routes: { router in
                router.get("/endless") { _, _ in
                    Response(
                        status: .ok,
                        body: ResponseBody { writer in
                            do {
                                while true { try await writer.write(ByteBuffer(repeating: 7, count: 250_000)) }
                            } catch {
                                onEnd.yield(true)
                                throw error
                            }
                        })
                }
            }
        ) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            var iterator = ends.makeAsyncIterator()
            let start = ContinuousClock.now
            #expect(await iterator.next() == true)
            let took = ContinuousClock.now - start
            #expect(took < .seconds(20), "\(took)")
            // A client that reads is served for as long as it reads.
            let reader = try RawConnection(port: server.port)
            try reader.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            let reading = ContinuousClock.now
            while ContinuousClock.now - reading < .seconds(2) { _ = try reader.bytes(1_000_000) }
        }
    }

    @Test("connections are bounded per address and in total; a trusted proxy's do not count by address")
    func connections() async throws {
        var limits = Self.patient
        limits.connectionsPerAddress = 3
        try await ChannelServer.run(limits) { server in
            let first = try (0..<3).map { _ in try RawConnection(port: server.port) }
            try await Task.sleep(for: .milliseconds(50))
            let fourth = try RawConnection(port: server.port)
            let answer = try fourth.answer()
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
            #expect(fourth.isClosedByServer())
            first[0].close()
            var fifth: String?
            for _ in 0..<600 where fifth != "hello" {
                let connection = try RawConnection(port: server.port)
                try? connection.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                fifth = try? connection.answer().text
                if fifth != "hello" { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(fifth == "hello")
            withExtendedLifetime(first) {}
        }
        limits.connections = 5
        try await ChannelServer.run(limits, proxies: try #require(TrustedProxies("127.0.0.0/8"))) { server in
            let first = try (0..<5).map { _ in try RawConnection(port: server.port) }
            try await Task.sleep(for: .milliseconds(50))
            #expect(try RawConnection(port: server.port).answer().status == 503)
            withExtendedLifetime(first) {}
        }
    }

    @Test("the memory for connections bounds their number, and one with TLS counts more")
    func connectionMemory() {
        var limits = ChannelLimits()
        limits.connections = 100_000
        #expect(limits.mostConnections(isSecure: true) == 2_621)
        #expect(limits.mostConnections(isSecure: false) == 8_192)
        limits.connections = 50
        #expect(limits.mostConnections(isSecure: true) == 50)
    }

    @Test("with almost too many connections, a new one closes the longest idle one of the network with the most")
    func idleConnections() async throws {
        var limits = Self.patient
        limits.body = ChannelLimits().body
        limits.leastIdle = .milliseconds(50)
        // There is room for eight connections. With the eighth, almost all room is taken, so it closes another one.
        limits.connectionMemoryByteCount = 8 * limits.plainConnectionByteCount
        try await ChannelServer.run(limits) { server in
            func served(_ connection: RawConnection) throws -> Bool {
                try connection.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                return try connection.answer().text == "hello"
            }
            // These two have been idle for longest, but their network has few connections.
            let few = try (0..<2).map { _ in try RawConnection(port: server.port, from: "127.0.0.3") }
            let busy = try RawConnection(port: server.port, from: "127.0.0.2")
            try busy.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
            let idle = try RawConnection(port: server.port, from: "127.0.0.2")
            try await Task.sleep(for: .milliseconds(100))
            let others = try (0..<3).map { _ in try RawConnection(port: server.port, from: "127.0.0.2") }
            for connection in others {
                let isServed = try served(connection)
                #expect(isServed)
            }
            try await Task.sleep(for: .milliseconds(100))
            let new = try RawConnection(port: server.port, from: "127.0.0.4")
            let isServed = try served(new)
            #expect(isServed)
            #expect(idle.isClosedByServer())
            for connection in few + others {
                let isStillServed = try served(connection)
                #expect(isStillServed)
            }
            try busy.send("abcde")
            let isWhole = try busy.answer().text == "5"
            #expect(isWhole)
            let page = server.metrics.page()
            #expect(page.contains("keepsake_connections_closed_total 1\n") && page.contains("keepsake_connections_refused_total 0\n"))
        }
    }

    @Test("when all connections are taken, a new one takes the place of an idle one, and one that has had a request stays")
    func full() async throws {
        var limits = Self.patient
        limits.body = ChannelLimits().body
        limits.leastIdle = .milliseconds(500)
        limits.connectionMemoryByteCount = 8 * limits.plainConnectionByteCount
        try await ChannelServer.run(limits) { server in
            func served(_ connection: RawConnection) throws -> Bool {
                try connection.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                return try connection.answer().text == "hello"
            }
            let used = try RawConnection(port: server.port, from: "127.0.0.2")
            let isServed = try served(used)
            #expect(isServed)
            // These connect so fast that none of them counts as idle when the next one connects.
            let others = try (0..<7).map { _ in try RawConnection(port: server.port, from: "127.0.0.3") }
            try await Task.sleep(for: .milliseconds(700))
            let isNewServed = try served(RawConnection(port: server.port, from: "127.0.0.4"))
            let isUsedServed = try served(used)
            #expect(isNewServed && isUsedServed)
            withExtendedLifetime(others) {}
        }
    }

    @Test("connections that never finish their TLS handshake make room for new ones")
    func handshakes() async throws {
        var limits = Self.patient
        limits.head = .seconds(30)
        limits.leastIdle = .milliseconds(50)
        limits.connectionMemoryByteCount = 4 * limits.secureConnectionByteCount
        try await ChannelServer.run(limits, identity: try TestIdentity()) { server in
            let silent = try (0..<3).map { _ in try RawConnection(port: server.port, from: "127.0.0.2") }
            try await Task.sleep(for: .milliseconds(200))
            let text = try Tool.run("curl", ["-sSk", "--http1.1", "--max-time", "20", server.url + "/hello"])
            #expect(text == "hello")
            let page = server.metrics.page()
            #expect(page.contains("keepsake_connections_closed_total 1\n"), "\(page)")
            withExtendedLifetime(silent) {}
        }
    }

    @Test("an overloaded server refuses requests early and still answers its liveness probe")
    func overload() async throws {
        var limits = ChannelLimits()
        limits.requestsInWork = 4
        limits.requestsWaiting = 2
        limits.requestWait = .milliseconds(300)
        let polls = Mutex(0)
        let isOpen = Mutex(false)
        @Sendable func opening() async throws { while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) } }
        @Sendable func eventually(_ isSo: () -> Bool) async throws {
            for _ in 0..<6_000 where !isSo() { try await Task.sleep(for: .milliseconds(10)) }
        }
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/work") { _, _ in
                    try await opening()
                    return "done"
                }
                router.get("/poll") { _, context in
                    context.stepAside()
                    polls.withLock { $0 += 1 }
                    try await opening()
                    return "woken"
                }
                router.get("/health/live") { _, _ in "ok" }
            }
        ) { server in
            let polling = try (0..<6).map { _ in try RawConnection(port: server.port) }
            for connection in polling { try connection.send("GET /poll HTTP/1.1\r\nHost: a\r\n\r\n") }
            try await eventually { polls.withLock { $0 == 6 } }
            let connections = try (0..<8).map { _ in try RawConnection(port: server.port) }
            for connection in connections { try connection.send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n") }
            let probe = try RawConnection(port: server.port)
            try probe.send("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try probe.answer().text == "ok")
            // Two requests are refused because the queue is full, and two because they waited too long. No request ends meanwhile.
            try await eventually { server.metrics.page().contains("keepsake_requests_refused_total 4") }
            isOpen.withLock { $0 = true }
            let answers = try connections.map { try $0.answer() }
            // No closures within #expect here: the compiler confuses them with the local functions.
            let statuses = answers.map(\.status).sorted()
            #expect(statuses == [200, 200, 200, 200, 503, 503, 503, 503])
            var pauses: [String] = []
            for answer in answers where answer.status == 503 { pauses.append(answer.headers["retry-after"] ?? "none") }
            #expect(pauses == ["1", "1", "1", "1"])
            for connection in polling { #expect(try connection.answer().text == "woken") }
            // The server recovers.
            try connections[0].send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try connections[0].answer().text == "done")
            #expect(server.metrics.page().contains("keepsake_requests_refused_total 4"))
        }
    }

    @Test("the minimum rate allows a stall up to its ceiling, but no steady slowness")
    func pace() {
        var pace = MinimumRate(start: .seconds(10), ceiling: .seconds(60), bytesPerSecond: 256)
        pace.wait(.seconds(9))
        #expect(!pace.isSpent)
        pace.move(1_000_000_000)
        #expect(pace.left == .seconds(60))
        pace.wait(.seconds(61))
        #expect(pace.isSpent)
        pace.restart()
        for _ in 0..<9 {
            pace.wait(.seconds(2))
            pace.move(256)
        }
        #expect(!pace.isSpent)
        pace.wait(.seconds(2))
        #expect(pace.isSpent)
        pace.restart()
        for _ in 0..<1_000 {
            pace.wait(.seconds(2))
            pace.move(512)
        }
        #expect(pace.left == .seconds(10))
    }
}
