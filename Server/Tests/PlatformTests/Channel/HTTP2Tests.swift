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

@Suite("HTTP/2, frame by frame", .serialized, .blocksThreads)
struct HTTP2Tests {
    private static var quick: ChannelLimits {
        var limits = ChannelLimits()
        limits.idle = .milliseconds(400)
        limits.body = MinimumRate(start: .milliseconds(400), ceiling: .milliseconds(600), bytesPerSecond: 10_000)
        limits.answer = MinimumRate(start: .milliseconds(500), ceiling: .milliseconds(500), bytesPerSecond: 100_000)
        limits.linger = .milliseconds(300)
        limits.farewell = .milliseconds(600)
        return limits
    }

    private static func routes(_ router: Router<WebContext>) {
        router.post("/refuse") { _, _ -> Response in throw Problem(.unauthenticated, "Who is it?") }
        router.get("/endless") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in while true { try await writer.write(ByteBuffer(repeating: 7, count: 250_000)) } })
        }
        router.post("/asleep") { request, _ in
            try await Task.sleep(for: .milliseconds(700))
            var count = 0
            for try await chunk in request.body { count += chunk.readableBytes }
            return "\(count)"
        }
    }

    @Test("the server announces windows of 1.25 MiB, a hundred streams and 32 KiB of header fields")
    func settings() async throws {
        try await ChannelServer.run { server in
            let client = try RawHTTP2(port: server.port)
            #expect(client.serverSettings[4] == 1_310_720)
            #expect(client.serverSettings[3] == 100)
            #expect(client.serverSettings[6] == 32_768)
        }
    }

    @Test("a response before the request's end is followed by RST_STREAM with NO_ERROR, and the connection continues")
    func earlyAnswer() async throws {
        var limits = ChannelLimits()
        limits.linger = .milliseconds(200)
        try await ChannelServer.run(limits, routes: Self.routes) { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/refuse", ends: false)
            try client.body(1, [UInt8](repeating: 1, count: 16_000))
            let head = try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }
            #expect(RawHTTP2.status(head) == 401)
            let end = try client.frame { $0.stream == 1 && ($0.flags & 1 == 1 && $0.type == RawHTTP2.data || $0.type == RawHTTP2.reset) }
            #expect(end.type == RawHTTP2.data, "the answer is whole before the reset")
            let reset = try client.frame { $0.stream == 1 && $0.type == RawHTTP2.reset }
            #expect(reset.errorCode == 0)
            try client.request(3, "GET", "/hello", ends: true)
            #expect(RawHTTP2.status(try client.frame { $0.stream == 3 && $0.type == RawHTTP2.headers }) == 200)
            let body = try client.frame { $0.stream == 3 && $0.type == RawHTTP2.data }
            #expect(String(decoding: body.payload, as: UTF8.self) == "hello")
        }
    }

    @Test("100 Continue precedes the response, and the server reads the body after it")
    func expectation() async throws {
        try await ChannelServer.run { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/count", [("expect", "100-continue")], ends: false)
            #expect(RawHTTP2.status(try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }) == 100)
            try client.body(1, [1, 2, 3], ends: true)
            #expect(RawHTTP2.status(try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }) == 200)
        }
    }

    @Test("backpressure: a stream may send at most two windows until its handler reads")
    func backpressure() async throws {
        let reads = Mutex(false)
        try await ChannelServer.run(routes: { router in
            router.post("/late") { request, _ in
                try await Task.sleep(for: .seconds(2))
                reads.withLock { $0 = true }
                var count = 0
                for try await chunk in request.body { count += chunk.readableBytes }
                return "\(count)"
            }
        }) { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/late", ends: false)
            // The connection's window starts at 65,535 bytes, whatever the server announces, and grows as bytes arrive.
            let window = ChannelLimits().streamWindowByteCount
            let total = 4 * window
            var (sent, early, streamCredit, connectionCredit) = (0, 0, window, 65_535)
            while sent < total {
                let size = min(16_384, streamCredit, connectionCredit, total - sent)
                if size > 0 {
                    try client.body(1, [UInt8](repeating: 1, count: size), ends: sent + size == total)
                    sent += size
                    streamCredit -= size
                    connectionCredit -= size
                    if !reads.withLock({ $0 }) { early = sent }
                }
                if min(streamCredit, connectionCredit) > 0 { continue }
                let update = try client.frame { $0.type == RawHTTP2.windowUpdate }
                let more = Int(update.errorCode & 0x7FFF_FFFF)
                if update.stream == 0 { connectionCredit += more } else { streamCredit += more }
            }
            // Not within #expect: the compiler would confuse this closure with the routes' closure.
            let answer = try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }
            #expect(RawHTTP2.status(answer) == 200)
            // The handler sleeps for two seconds. The channel passes on what arrived in one read as one chunk and then reopens the window
            // by its size.
            #expect((window...2 * window).contains(early), "\(early)")
        }
    }

    @Test("a body that stalls is 408, and a client that does not read its response loses the stream")
    func slow() async throws {
        try await ChannelServer.run(Self.quick, routes: Self.routes) { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/count", ends: false)
            try client.body(1, [1, 2, 3])
            #expect(RawHTTP2.status(try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }) == 408)
            #expect(try client.frame { $0.stream == 1 && $0.type == RawHTTP2.reset }.errorCode == 0)
            let start = ContinuousClock.now
            try client.request(3, "GET", "/endless", ends: true)
            let reset = try client.frame { $0.stream == 3 && $0.type == RawHTTP2.reset }
            #expect(reset.errorCode == 8)
            let took = ContinuousClock.now - start
            #expect(.milliseconds(400)...(.seconds(15)) ~= took, "\(took)")
        }
    }

    @Test("a connection without streams gets GOAWAY and closes, whether the client answers pings or not")
    func idle() async throws {
        try await ChannelServer.run(Self.quick) { server in
            for answersPings in [true, false] {
                let client = try RawHTTP2(port: server.port)
                let start = ContinuousClock.now
                if answersPings { _ = try client.frame { $0.type == RawHTTP2.goAway } }
                #expect(throws: RawConnection.Failure.self) { _ = try client.frame { answersPings && $0.type == 0xFF } }
                if !answersPings { #expect(client.connection.isClosedByServer()) }
                let took = ContinuousClock.now - start
                #expect(took < .seconds(15), "\(took)")
            }
        }
    }

    @Test("a client that keeps opening and resetting streams loses the connection")
    func rapidReset() async throws {
        var limits = ChannelLimits()
        limits.resetCount = 50
        let begun = Mutex(0)
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.get("/begin") { _, _ in
                    begun.withLock { $0 += 1 }
                    return "begun"
                }
            }
        ) { server in
            let client = try RawHTTP2(port: server.port)
            let sending = Result {
                for stream in stride(from: UInt32(1), to: 4_001, by: 2) {
                    try client.request(stream, "GET", "/begin", ends: true)
                    try client.send(RawHTTP2.reset, stream: stream, payload: RawHTTP2.bytes(8))
                }
            }
            let goAway = try? client.frame { $0.type == RawHTTP2.goAway }
            #expect(goAway?.errorCode != 0 || goAway == nil)
            #expect(client.connection.isClosedByServer())
            _ = sending
        }
        #expect(begun.withLock { $0 } <= 60)
    }

    @Test(
        "an ambiguous header section is refused",
        arguments: [
            ([("host", "b")], 400), ([("content-length", "5")], nil), ([("transfer-encoding", "chunked")], nil),
            ([("connection", "close")], nil),
        ] as [([(String, String)], Int?)])
    func heads(_ fields: [(String, String)], _ status: Int?) async throws {
        try await ChannelServer.run { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/count", fields, ends: true)
            let answer = try client.frame {
                ($0.stream == 1 && ($0.type == RawHTTP2.headers || $0.type == RawHTTP2.reset)) || $0.type == RawHTTP2.goAway
            }
            #expect(answer.type == RawHTTP2.headers ? RawHTTP2.status(answer) == status : status == nil, "\(answer)")
        }
    }

    @Test("a stopping server sends GOAWAY, finishes active streams, and resets those that do not end")
    func stopping() async throws {
        let (client, start) = try await ChannelServer.run(Self.quick, routes: Self.routes) { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/asleep", ends: true)
            try client.request(3, "GET", "/endless", ends: true)
            _ = try client.frame { $0.stream == 3 && $0.type == RawHTTP2.data }
            return (client.connection, ContinuousClock.now)
        }
        // `run` returns when the server has stopped.
        let took = ContinuousClock.now - start
        #expect(took < .seconds(15), "\(took)")
        #expect(client.isClosedByServer())
    }
}
