import Core
import Foundation
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

/// Clients that request much and read little. `AnswerMemoryTests` measures memory.
@Suite("Responses in flight", .serialized, .blocksThreads)
struct AnswerTests {
    private static let request = "GET /file HTTP/1.1\r\nHost: a\r\n\r\n"

    /// 200 is in HPACK's static table. The server writes 429 once as a literal and then by its index in the connection's dynamic table.
    private static func isServed(_ head: RawHTTP2.Frame) -> Bool { head.payload.first == 0x88 }

    @Test("the server reads a paused download only as far as the client's window, and resumes with the client", arguments: [false, true])
    func paused(_ isHTTP2: Bool) async throws {
        try await AnswerServer.run { server in
            if isHTTP2 {
                let client = try RawHTTP2(port: server.server.port, window: 0)
                try client.request(1, "GET", "/file", ends: true)
                let head = try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }
                #expect(RawHTTP2.status(head) == 200)
                try await Task.sleep(for: .milliseconds(200))
                let held = server.gauge("keepsake_answer_bytes")
                #expect(held <= ChannelLimits().firstPieceByteCount, "\(held)")
                // Opens the stream's and the connection's window wide enough for the whole file.
                try client.send(RawHTTP2.windowUpdate, payload: RawHTTP2.bytes(20_000_000))
                try client.send(RawHTTP2.windowUpdate, stream: 1, payload: RawHTTP2.bytes(20_000_000))
                var bytes: [UInt8] = []
                while bytes.count < AnswerServer.content.count {
                    bytes += try client.frame { $0.stream == 1 && $0.type == RawHTTP2.data }.payload
                }
                let isWhole = bytes == AnswerServer.content
                #expect(isWhole)
            } else {
                let client = try RawConnection(port: server.server.port, receiveByteCount: 32_768)
                try client.send(Self.request)
                try await Task.sleep(for: .milliseconds(300))
                // The kernel sends the file, so none of its bytes are in this process.
                #expect(server.gauge("keepsake_answer_bytes") == 0)
                #expect(server.gauge("keepsake_answers_in_flight") == 1)
                let head = try client.head()
                #expect(head.status == 200)
                let isWhole = try client.bytes(AnswerServer.content.count) == AnswerServer.content
                #expect(isWhole)
            }
            let isOver = await server.eventually { server.gauge("keepsake_answers_in_flight") == 0 }
            #expect(isOver)
            #expect(server.gauge("keepsake_answer_bytes") == 0)
        }
    }

    @Test("a network's unfinished responses are bounded: the next is 429 before its file is opened, others are served")
    func perNetwork() async throws {
        var limits = ChannelLimits()
        limits.connectionsPerAddress = 4
        limits.linger = .milliseconds(200)
        try await AnswerServer.run(limits) { server in
            let client = try RawHTTP2(port: server.server.port, window: 0)
            for stream in stride(from: UInt32(1), through: 11, by: 2) { try client.request(stream, "GET", "/file", ends: true) }
            var served = 0
            for _ in 0..<6 where Self.isServed(try client.frame { $0.type == RawHTTP2.headers }) { served += 1 }
            #expect(served == 4)
            #expect(server.opened() == 4)
            // A long JSON response counts too.
            let same = try RawConnection(port: server.server.port)
            try same.send("GET /page HTTP/1.1\r\nHost: a\r\n\r\n")
            let refusal = try same.answer()
            #expect(refusal.status == 429 && refusal.headers["retry-after"] == "5", "\(refusal)")
            #expect(server.gauge("keepsake_answers_refused_total") == 3)
            let other = try RawConnection(port: server.server.port, from: "127.0.0.2")
            try other.send(Self.request)
            #expect(try other.answer().body.count == AnswerServer.content.count)
            // An abandoned download frees its slots.
            client.connection.close()
            let isFree = await server.eventually { server.gauge("keepsake_answers_in_flight") == 0 }
            #expect(isFree, "\(server.server.metrics.page())")
            try same.send("GET /page HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try same.answer().body.count == 1_000_000)
        }
    }

    @Test("a network's streams are bounded over all its connections: the next is 429 without a body, others are served")
    func streams() async throws {
        var limits = ChannelLimits()
        limits.streamsPerNetwork = 30
        limits.linger = .milliseconds(200)
        try await AnswerServer.run(limits) { server in
            let clients = try (0..<2).map { _ in try RawHTTP2(port: server.server.port, window: 0) }
            for client in clients {
                for index in 0..<20 { try client.request(UInt32(2 * index + 1), "GET", "/hello", ends: true) }
            }
            var refused = 0
            for client in clients {
                for _ in 0..<20 {
                    if !Self.isServed(try client.frame { $0.type == RawHTTP2.headers }) { refused += 1 }
                }
            }
            #expect(refused == 10)
            let other = try RawHTTP2(port: server.server.port, from: "127.0.0.2")
            try other.request(1, "GET", "/hello", ends: true)
            #expect(RawHTTP2.status(try other.frame { $0.type == RawHTTP2.headers }) == 200)
            for client in clients { client.connection.close() }
            let isFree = await server.eventually { server.gauge("keepsake_http2_streams") <= 1 }
            #expect(isFree)
        }
    }

    @Test("when the memory budget is used up, responses continue in small pieces without waiting")
    func exhausted() async throws {
        var limits = ChannelLimits()
        limits.answerByteCount = 256 * 1_024
        limits.answerByteCountPerNetwork = 256 * 1_024
        // The server then reads files into memory, as it does over TLS and HTTP/2.
        limits.regionByteCount = 0
        try await AnswerServer.run(limits) { server in
            let stalled = try (0..<8).map { _ in try RawConnection(port: server.server.port, receiveByteCount: 32_768) }
            for client in stalled { try client.send(Self.request) }
            let isUsedUp = await server.eventually { server.gauge("keepsake_answer_bytes") > 256 * 1_024 - 65_536 }
            #expect(isUsedUp)
            let client = try RawConnection(port: server.server.port, from: "127.0.0.2")
            try client.send(Self.request)
            let isWhole = try client.answer().body == AnswerServer.content
            #expect(isWhole)
            #expect(server.gauge("keepsake_answer_bytes") <= 256 * 1_024)
            // The test closes the stalled connections itself: the server reads nothing from them and would serve them for as long as they
            // are open.
            for client in stalled { client.close() }
        }
    }

    @Test("built-in files that their clients do not read leave the memory to other long responses")
    func builtIn() async throws {
        var limits = ChannelLimits()
        limits.madeAnswerByteCount = 4 * 1_048_576
        try await AnswerServer.run(limits) { server in
            // If each response had its own copy of the file, the 32 copies would take more than that budget.
            let unread = try (0..<32).map { index in
                try RawConnection(port: server.server.port, from: "127.0.0.\(3 + index / 2)", receiveByteCount: 32_768)
            }
            for client in unread { try client.send("GET /document HTTP/1.1\r\nHost: a\r\n\r\n") }
            let haveBegun = await server.eventually { server.gauge("keepsake_answers_in_flight") == unread.count }
            #expect(haveBegun)
            let other = try RawConnection(port: server.server.port, from: "127.0.0.2")
            try other.send("GET /page HTTP/1.1\r\nHost: a\r\n\r\n")
            let page = try other.answer()
            #expect(page.status == 200 && page.body.count == 1_000_000)
            try other.send("GET /document HTTP/1.1\r\nHost: a\r\n\r\n")
            let isWhole = try other.answer().body == AnswerServer.document
            #expect(isWhole)
            #expect(server.gauge("keepsake_answers_refused_total") == 0)
            // Each response holds at most one piece of the file.
            let held = server.gauge("keepsake_answer_bytes")
            #expect(held <= (unread.count + 1) * ChannelLimits().pieceByteCount, "\(held)")
            for client in unread { client.close() }
            let isOver = await server.eventually { server.gauge("keepsake_answer_bytes") == 0 }
            #expect(isOver)
        }
    }

    @Test("a long response for which its network has no memory left is refused before it is made")
    func refusedBeforeItIsMade() async throws {
        var limits = ChannelLimits()
        // A network may hold two responses, each of which occupies 2 MiB.
        limits.madeAnswerByteCount = 12 * 1_048_576
        try await AnswerServer.run(limits) { server in
            let unread = try (0..<2).map { _ in try RawConnection(port: server.server.port, receiveByteCount: 32_768) }
            for client in unread { try client.send("GET /made HTTP/1.1\r\nHost: a\r\n\r\n") }
            let haveBegun = await server.eventually { server.made() == 2 && server.gauge("keepsake_answers_in_flight") == 2 }
            #expect(haveBegun)
            let same = try RawConnection(port: server.server.port)
            try same.send("GET /made HTTP/1.1\r\nHost: a\r\n\r\n")
            let refusal = try same.answer()
            #expect(refusal.status == 429 && server.made() == 2, "\(refusal)")
            let other = try RawConnection(port: server.server.port, from: "127.0.0.2")
            try other.send("GET /made HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try other.answer().body.count == 2_000_000)
            for client in unread { client.close() }
            let isFree = await server.eventually {
                server.gauge("keepsake_answers_in_flight") == 0 && server.gauge("keepsake_answer_bytes") == 0
            }
            #expect(isFree)
            // A short response returns the part of its share that it did not need.
            try other.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try other.answer().status == 200)
            #expect(server.gauge("keepsake_answers_in_flight") == 0 && server.gauge("keepsake_answer_bytes") == 0)
        }
    }

    @Test("a client that does not read a file loses its connection and frees its slot", arguments: [false, true])
    func unread(_ isHTTP2: Bool) async throws {
        var limits = ChannelLimits()
        limits.answer = MinimumRate(start: .milliseconds(800), ceiling: .milliseconds(800), bytesPerSecond: 100_000)
        try await AnswerServer.run(limits) { server in
            let client = isHTTP2 ? try RawHTTP2(port: server.server.port, window: 0) : nil
            let plain = isHTTP2 ? nil : try RawConnection(port: server.server.port, receiveByteCount: 32_768)
            try client?.request(1, "GET", "/file", ends: true)
            try plain?.send(Self.request)
            let hasBegun = await server.eventually { server.gauge("keepsake_answers_in_flight") == 1 }
            #expect(hasBegun)
            let isOver = await server.eventually { server.gauge("keepsake_answers_in_flight") == 0 }
            #expect(isOver)
            withExtendedLifetime((client, plain)) {}
        }
    }

    @Test("a client that does not read its ping replies loses the connection")
    func pings() async throws {
        try await AnswerServer.run { server in
            let client = try RawHTTP2(port: server.server.port, receiveByteCount: 16_384)
            var burst: [UInt8] = []
            for _ in 0..<1_000 { burst += [0, 0, 8, RawHTTP2.ping, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8] }
            var sent = 0
            #expect(throws: RawConnection.Failure.self) {
                while sent < 10_000 {
                    try client.connection.send(burst)
                    sent += 1
                }
            }
            #expect(sent < 1_000, "\(sent)")
        }
    }
}
