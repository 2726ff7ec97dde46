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

@Suite("Requests with unfinished bodies", .serialized, .blocksThreads)
struct UnfinishedBodyTests {
    private static let owner = HTTPField.Name("X-Owner")!
    private static let link = HTTPField.Name("X-Link")!

    /// A route that reads a body as uploads do. The X-Owner field names the account. X-Link names the upload link; without this field, each
    /// request has a link of its own.
    private static func upload(_ router: Router<WebContext>) {
        router.post("/upload") { request, context in
            let name = request.headers[link] ?? "\(UInt64.random(in: 0 ... .max))"
            let link = request.headers[owner].map { UploadLink(owner: $0, expiresAt: Timestamp(seconds: 0), name: name) }
            let body = try context.beginUpload(by: link)
            defer { body?.end() }
            try await context.continueIfExpected(request)
            let count = try await context.withoutSlot {
                var count = 0
                for try await chunk in request.body {
                    if let body, !body.keep(chunk.readableBytes) { try body.wrote(keeping: 0) }
                    count += chunk.readableBytes
                }
                return count
            }
            return "\(count)"
        }
    }

    private func eventually(_ server: ChannelServer, _ line: String) async throws {
        for _ in 0..<2_000 where !server.metrics.page().contains("\n\(line)\n") { try await Task.sleep(for: .milliseconds(10)) }
        let page = server.metrics.page()
        #expect(page.contains("\n\(line)\n"), "\(line)")
    }

    /// - Returns: connections that carry `count` stalled uploads of one account.
    private func beginUploads(_ count: Int, of owner: String, connections: Int, _ port: Int) throws -> [RawHTTP2] {
        try (0..<connections).map { connection in
            let client = try RawHTTP2(port: port)
            for number in 0..<(count - connection + connections - 1) / connections {
                let stream = UInt32(2 * number + 1)
                try client.request(stream, "POST", "/upload", [("x-owner", owner)], ends: false)
                try client.body(stream, [1])
            }
            return client
        }
    }

    private func answer(_ server: ChannelServer, _ text: String) throws -> RawConnection.Answer {
        let connection = try RawConnection(port: server.port)
        try connection.send(text)
        return try connection.answer()
    }

    @Test("256 unfinished forms of one account, over three HTTP/2 connections, leave capacity for others' uploads")
    func forms() async throws {
        try await ChannelServer.run(routes: Self.upload) { server in
            let greedy = try beginUploads(256, of: "eve", connections: 3, server.port)
            try await eventually(server, "keepsake_uploads_in_work 32")
            try await eventually(server, "keepsake_bodies_refused_total 224")
            #expect(try answer(server, "POST /upload HTTP/1.1\r\nHost: a\r\nX-Owner: ada\r\nContent-Length: 3\r\n\r\nabc").text == "3")
            // None of the stalled uploads holds a request slot.
            #expect(server.metrics.page().contains("\nkeepsake_requests_in_work 0\n"))
            let refused = try answer(
                server, "POST /upload HTTP/1.1\r\nHost: a\r\nX-Owner: eve\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            #expect(refused.status == 429 && refused.headers["retry-after"] == "5", "before the client is told to send")
            for client in greedy { client.connection.close() }
            try await eventually(server, "keepsake_uploads_in_work 0")
            try await eventually(server, "keepsake_body_bytes 0")
        }
    }

    @Test("control: without the limits the server accepts all of them")
    func formsWithoutLimits() async throws {
        var limits = ChannelLimits()
        limits.unfinishedUploads = .init(total: .max, perAccount: .max, perNetwork: .max)
        try await ChannelServer.run(limits, routes: Self.upload) { server in
            let greedy = try beginUploads(256, of: "eve", connections: 3, server.port)
            try await eventually(server, "keepsake_uploads_in_work 256")
            withExtendedLifetime(greedy) {}
        }
    }

    @Test("an upload counts the bytes it holds, up to its window, and continues with small writes when the budget has no room for more")
    func window() async throws {
        var limits = ChannelLimits()
        limits.unfinishedBodyByteCount = 1_000
        limits.uploadByteCount = 100_000
        limits.bodyBytes = .init(total: 150_000, perAccount: 150_000, perNetwork: 150_000)
        try await ChannelServer.run(limits, routes: Self.upload) { server in
            let head = "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
            let first = try RawConnection(port: server.port)
            try first.send(head)
            try first.send([UInt8](repeating: 1, count: 500_000))
            try await eventually(server, "keepsake_body_bytes 101000")
            let second = try RawConnection(port: server.port)
            try second.send(head)
            try second.send([UInt8](repeating: 1, count: 1_000_000))
            #expect(try second.answer().text == "1000000")
            try await eventually(server, "keepsake_body_bytes 101000")
            try first.send([UInt8](repeating: 1, count: 500_000))
            #expect(try first.answer().text == "1000000")
            try await eventually(server, "keepsake_body_bytes 0")
        }
    }

    @Test("an upload holds what it counts for: without room it has to write, and after that the same bytes suffice again")
    func smallWrites() throws {
        var limits = ChannelLimits()
        (limits.unfinishedBodyByteCount, limits.uploadByteCount) = (10, 1_000)
        limits.bodyBytes = .init(total: 700, perAccount: 700, perNetwork: 700)
        let bodies = UnfinishedBodies(limits)
        let body = try bodies.beginUpload(of: Requester(account: "a", network: nil))
        #expect(body.keep(400) && body.keep(200))
        #expect(!body.keep(200) && bodies.byteCount == 610)
        try body.wrote(keeping: 0)
        #expect(body.keep(500) && body.keep(100) && bodies.byteCount == 610)
        #expect(!body.keep(100))
        // Texts that stay in memory beyond a small number of bytes need room.
        try body.wrote(keeping: 16_900)
        #expect(throws: Problem.self) { try body.wrote(keeping: 17_000) }
        try body.wrote(keeping: 0)
        let json = try bodies.beginJSON(of: Requester(account: "b", network: nil))
        #expect(throws: Problem.self) { try json.hold(100) }
        body.end()
        try json.hold(100)
        #expect(bodies.byteCount == 110)
    }

    @Test("what the handler keeps of a complete upload counts until the response is made, and the upload no longer counts as unfinished")
    func kept() throws {
        var limits = ChannelLimits()
        limits.unfinishedBodyByteCount = 1_000
        limits.bodyBytes = .init(total: 10_000, perAccount: 10_000, perNetwork: 10_000)
        let bodies = UnfinishedBodies(limits)
        let short = try bodies.beginUpload(of: Requester(account: "a", network: nil))
        try short.reserve(400)
        short.finish(keeping: 400)
        let long = try bodies.beginUpload(of: Requester(account: "b", network: nil))
        try long.reserve(9_000)
        #expect(bodies.uploadCount == 1)
        long.finish(keeping: 9_000)
        #expect(bodies.uploadCount == 0 && bodies.byteCount == 9_400)
        #expect(throws: Problem.self) { try long.reserve(9_700) }
        short.end()
        long.end()
        #expect(bodies.byteCount == 0)
    }

    @Test("a long head counts until its response is made, and is refused when the budget has no room; a short one does not count")
    func heads() async throws {
        let isOver = Flag()
        var limits = ChannelLimits()
        limits.bodyBytes = .init(total: 20_000, perAccount: 20_000, perNetwork: 20_000)
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/wait") { _, _ in
                    while !isOver.isSet { try await Task.sleep(for: .milliseconds(10)) }
                    return "waited"
                }
                router.get("/now") { _, _ in "now" }
            }
        ) { server in
            let field = "X-Long: " + String(repeating: "a", count: 12_000) + "\r\n"
            let waiting = try RawConnection(port: server.port)
            try waiting.send("GET /wait HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
            try await eventually(server, "keepsake_requests_in_work 1")
            #expect(try answer(server, "GET /now HTTP/1.1\r\nHost: a\r\n\(field)\r\n").status == 429)
            #expect(try answer(server, "GET /now HTTP/1.1\r\nHost: a\r\n\r\n").text == "now")
            isOver.set()
            #expect(try waiting.answer().text == "waited")
            try await eventually(server, "keepsake_body_bytes 0")
            #expect(try answer(server, "GET /now HTTP/1.1\r\nHost: a\r\n\(field)\r\n").text == "now")
        }
    }

    @Test("unread bodies are buffered only up to a bound for all streams of a connection together")
    func unread() async throws {
        let isAwake = Flag()
        try await ChannelServer.run(routes: { router in
            router.post("/late") { request, _ in
                while !isAwake.isSet { try await Task.sleep(for: .milliseconds(10)) }
                var count = 0
                for try await chunk in request.body { count += chunk.readableBytes }
                return "\(count)"
            }
        }) { server in
            let client = try RawHTTP2(port: server.port)
            let window = ChannelLimits().streamWindowByteCount
            let waking = Task.detached(executorPreference: BlockingThreads.shared) {
                try await Task.sleep(for: .milliseconds(1_500))
                isAwake.set()
            }
            let early = try sendToAll(client, streams: 40, byteCount: window) { isAwake.isSet }
            // The connection may hold a limited number of bytes, and one more window may arrive. Without the limit, 40 streams would fill
            // their windows with 52 MB.
            #expect(early < 8 * 1_048_576, "\(early)")
            try await waking.value
            try await eventually(server, "keepsake_read_ahead_bytes 0")
        }
    }

    /// Sends as many bytes on all streams as the server's windows allow.
    /// - Returns: the number of bytes sent before `isOver` returned true.
    private func sendToAll(_ client: RawHTTP2, streams: Int, byteCount: Int, until isOver: () -> Bool) throws -> Int {
        var connectionCredit = 65_535
        var early = 0
        for number in 0..<streams {
            let stream = UInt32(2 * number + 1)
            try client.request(stream, "POST", "/late", ends: false)
            var left = byteCount
            while left > 0 {
                if isOver() { return early }
                let size = min(16_384, connectionCredit, left)
                guard size > 0 else {
                    let update = try client.frame { $0.type == RawHTTP2.windowUpdate && $0.stream == 0 || $0.type == RawHTTP2.goAway }
                    connectionCredit += Int(update.errorCode & 0x7FFF_FFFF)
                    continue
                }
                try client.body(stream, [UInt8](repeating: 1, count: size))
                left -= size
                connectionCredit -= size
                early += size
            }
        }
        return early
    }

    @Test("a request that has waited for a turn continues at once, even if no place is free")
    func turn() async throws {
        var limits = ChannelLimits()
        (limits.requestsInWork, limits.requestsReserved) = (1, 0)
        let work = FairWork(.init(permits: 1, permitsPerKey: 1, waiting: 8, waitingPerKey: 8))
        let isOpen = Mutex(false)
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/turn") { _, context in
                    let turn = try await Requester(account: "a", network: nil).run {
                        try await context.withoutSlot { try await work.turn() }
                    }
                    defer { turn.release() }
                    return "turn"
                }
                router.get("/work") { _, _ in
                    while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                    return "work"
                }
            }
        ) { server in
            let taken = try await work.turn()
            let (first, second) = (try RawConnection(port: server.port), try RawConnection(port: server.port))
            try first.send("GET /turn HTTP/1.1\r\nHost: a\r\n\r\n")
            while work.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
            try second.send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually(server, "keepsake_requests_in_work 1")
            taken.release()
            #expect(try first.answer().text == "turn")
            isOpen.withLock { $0 = true }
            #expect(try second.answer().text == "work")
            try await eventually(server, "keepsake_requests_in_work 0")
        }
    }

    @Test("a request whose body is complete continues before new requests start")
    func returning() async throws {
        var limits = ChannelLimits()
        limits.requestsInWork = 1
        limits.requestWait = .seconds(10)
        let order = Mutex<[String]>([])
        let isOpen = Mutex(false)
        try await ChannelServer.run(
            limits,
            routes: { router in
                Self.upload(router)
                router.post("/body") { request, context in
                    try await context.withoutSlot { for try await _ in request.body {} }
                    order.withLock { $0.append("body") }
                    return "body"
                }
                router.get("/work") { _, _ in
                    while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                    order.withLock { $0.append("work") }
                    return "work"
                }
                router.get("/new") { _, _ in
                    order.withLock { $0.append("new") }
                    return "new"
                }
            }
        ) { server in
            let slow = try RawConnection(port: server.port)
            try slow.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
            let (work, new) = (try RawConnection(port: server.port), try RawConnection(port: server.port))
            try await Task.sleep(for: .milliseconds(100))
            try work.send("GET /work HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually(server, "keepsake_requests_in_work 1")
            try new.send("GET /new HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually(server, "keepsake_requests_waiting 1")
            try slow.send("c")
            try await eventually(server, "keepsake_requests_waiting 2")
            isOpen.withLock { $0 = true }
            #expect(try new.answer().text == "new")
            #expect(try slow.answer().text == "body")
            #expect(order.withLock { $0 } == ["work", "body", "new"])
        }
    }

    @Test("one credential's many requests leave slots for another's requests")
    func crowd() async throws {
        var limits = ChannelLimits()
        limits.requestsInWork = 4
        limits.requestsInWorkPerCaller = 3
        limits.requestsWaiting = 6
        limits.requestsWaitingPerCaller = 4
        limits.requestWait = .seconds(10)
        let isOpen = Mutex(false)
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/work") { _, _ in
                    while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                    return "work"
                }
            }
        ) { server in
            let greedy = try (0..<20).map { _ in try RawConnection(port: server.port) }
            for connection in greedy { try connection.send("GET /work HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer eve\r\n\r\n") }
            try await eventually(server, "keepsake_requests_refused_total 13")
            let page = server.metrics.page()
            #expect(page.contains("\nkeepsake_requests_in_work 3\n") && page.contains("\nkeepsake_requests_waiting 4\n"))
            #expect(try answer(server, "GET /hello HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ada\r\n\r\n").text == "hello")
            isOpen.withLock { $0 = true }
            let statuses = try greedy.map { try $0.answer().status }
            #expect(statuses.filter { $0 == 200 }.count == 7 && statuses.filter { $0 == 503 }.count == 13)
            try await eventually(server, "keepsake_requests_in_work 0")
        }
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

@Suite("Untrusted proxies", .blocksThreads)
struct UntrustedProxyTests {
    @Test("an untrusted proxy that forwards several clients is detected, and logged once a minute")
    func noticed() throws {
        let proxies = UntrustedProxies()
        let (proxy, client) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("192.0.2.2")))
        let start = ContinuousClock.now
        func note(_ peer: IPAddress, _ named: String, after seconds: Int = 0) -> (isProxy: Bool, line: Int?) {
            proxies.note(peer, [.xForwardedFor: named], now: start + .seconds(seconds))
        }
        // The server does not take a client for a proxy if it always states the same address in `X-Forwarded-For`.
        for _ in 1...10 { #expect(note(client, "10.0.0.1").isProxy == false) }
        #expect(note(proxy, "10.0.0.1").isProxy == false)
        #expect(note(proxy, "10.0.0.2").isProxy == false)
        let third = note(proxy, "10.0.0.3")
        #expect(third.isProxy && third.line == 1)
        for number in 1...5 {
            let next = note(proxy, "10.0.1.\(number)", after: 10)
            #expect(next.isProxy && next.line == nil)
        }
        for number in 1...3 { _ = note(proxy, "10.0.2.\(number)", after: 61) }
        #expect(note(proxy, "10.0.2.4", after: 61).line == nil)
        #expect(note(client, "10.0.0.1", after: 61).isProxy == false)
        // A value of more than 256 bytes names no further client.
        let ones = String(repeating: "1", count: 256)
        for number in 1...5 { #expect(note(client, ones + "\(number)", after: 61).isProxy == false) }
        #expect(proxies.note(proxy, [:], now: start).isProxy == false)
    }

    @Test("requests of an untrusted proxy are counted; those of a trusted one are not", arguments: [true, false])
    func counted(_ isTrusted: Bool) async throws {
        let proxies = isTrusted ? try #require(TrustedProxies("127.0.0.1")) : .none
        try await ChannelServer.run(proxies: proxies) { server in
            let connection = try RawConnection(port: server.port)
            for number in 1...5 {
                try connection.send("GET /hello HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.\(number)\r\n\r\n")
                #expect(try connection.answer().text == "hello")
            }
            #expect(server.metrics.page().contains("keepsake_forwarded_by_untrusted_total 3") == !isTrusted)
        }
    }
}
