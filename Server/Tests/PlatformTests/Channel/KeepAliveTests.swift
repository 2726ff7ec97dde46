import Core
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Persistent connections and their end", .serialized, .blocksThreads)
struct KeepAliveTests {
    @Test("a hundred pipelined requests are answered in order with their bodies, and later ones wait for their turn")
    func pipelining() async throws {
        try await ChannelServer.run { server in
            let connection = try RawConnection(port: server.port)
            var text = ""
            for index in 1...100 {
                text += "POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: \(index)\r\n\r\n" + String(repeating: "x", count: index)
                text += "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            }
            try connection.send(text)
            for index in 1...100 {
                #expect(try connection.answer().text == "\(index)")
                #expect(try connection.answer().text == "3")
            }
        }
    }

    @Test("a refused HEAD is answered without a body, so the next response on the connection begins where it should")
    func refusedHead() async throws {
        try await ChannelServer.run { server in
            let connection = try RawConnection(port: server.port)
            for path in ["/nowhere", "/api/chat/nowhere", "/count"] {
                try connection.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                let refused = try connection.answer(toHead: true)
                #expect([404, 405].contains(refused.status), "\(path) \(refused.status)")
                // The length is that of the body that GET would have.
                #expect((refused.headers["content-length"].flatMap(Int.init) ?? 0) > 0, "\(path)")
                #expect(try connection.answer().text == "hello", "\(path)")
            }
        }
    }

    @Test("pipelined requests are all answered after the client closes its sending side")
    func halfClosed() async throws {
        try await ChannelServer.run { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(String(repeating: "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", count: 20))
            connection.endSending()
            for _ in 0..<20 { #expect(try connection.answer().text == "hello") }
            #expect(connection.isClosedByServer())
            let alone = try RawConnection(port: server.port)
            try alone.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            alone.endSending()
            #expect(try alone.answer().text == "hello")
            let cut = try RawConnection(port: server.port)
            try cut.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            cut.endSending()
            #expect(cut.isClosedByServer())
        }
    }

    @Test("what a client sends ahead before it closes its sending side shares a budget; without room, the connection closes")
    func sentAhead() async throws {
        for hasRoom in [true, false] {
            let hasBegun = Mutex(false)
            let isOver = Mutex(false)
            var limits = ChannelLimits()
            limits.readByteCount = 8_192
            let room = hasRoom ? 1_000_000 : 0
            limits.readAhead = SharedBudget.Limits(total: room, perAccount: .max, perNetwork: room)
            try await ChannelServer.run(
                limits,
                routes: { router in
                    router.get("/wait") { _, _ in
                        hasBegun.withLock { $0 = true }
                        while !isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                        return "waited"
                    }
                }
            ) { server in
                let connection = try RawConnection(port: server.port, timeout: 10)
                try connection.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                while !hasBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                // The requests take 20 KB. The server holds the bytes of one read, and NIO reads the rest when it sees the end of the
                // stream.
                try connection.send(String(repeating: "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", count: 600))
                connection.endSending()
                let isClosed = !hasRoom && connection.isClosedByServer()
                isOver.withLock { $0 = true }
                #expect(isClosed == !hasRoom)
                guard hasRoom else { return }
                var texts: [String] = []
                for _ in 0...600 { try texts.append(connection.answer().text) }
                #expect(texts == ["waited"] + [String](repeating: "hello", count: 600))
            }
        }
    }

    @Test("bytes of a body that no handler takes share a budget, too, when the client closes its sending side")
    func endedBody() async throws {
        for hasRoom in [true, false] {
            let hasBegun = Mutex(false)
            let isOver = Mutex(false)
            var limits = ChannelLimits()
            let room = hasRoom ? 4_000_000 : 0
            limits.readAhead = SharedBudget.Limits(total: room, perAccount: .max, perNetwork: room)
            try await ChannelServer.run(
                limits,
                routes: { router in
                    router.post("/untaken") { _, _ in
                        hasBegun.withLock { $0 = true }
                        while !isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                        return "waited"
                    }
                }
            ) { server in
                let connection = try RawConnection(port: server.port, timeout: 10)
                try connection.send("POST /untaken HTTP/1.1\r\nHost: a\r\nContent-Length: 120006\r\n\r\n")
                while !hasBegun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                // After a few reads that no handler takes, NIO's asynchronous channel no longer asks for reads. The gate then waits for
                // nothing, but still has to count what comes at the end.
                for _ in 0..<6 {
                    try connection.send("a")
                    try await Task.sleep(for: .milliseconds(10))
                }
                try connection.send([UInt8](repeating: 97, count: 120_000))
                connection.endSending()
                let isClosed = !hasRoom && connection.isClosedByServer()
                isOver.withLock { $0 = true }
                #expect(isClosed == !hasRoom)
                if hasRoom { #expect(try connection.answer().text == "waited") }
            }
        }
    }

    @Test("the last request of a connection: Connection: close among other options, and HTTP/1.0 without keep-alive")
    func lastRequest() async throws {
        try await ChannelServer.run { server in
            for head in ["GET /hello HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n", "GET /hello HTTP/1.0\r\n\r\n"] {
                let connection = try RawConnection(port: server.port)
                try connection.send(head + "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try connection.answer()
                #expect(answer.text == "hello" && answer.headers["connection"] == "close")
                #expect(connection.isClosedByServer())
                #expect(throws: RawConnection.Failure.self) { try connection.answer() }
            }
            let old = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try old.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try old.answer().text == "hello")
            }
        }
    }

    @Test("a large last response arrives whole, however slowly the client reads it")
    func lastAnswer() async throws {
        try await ChannelServer.run(routes: { router in
            router.get("/large") { _, _ in ByteBuffer(repeating: 7, count: 6_000_000) }
        }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            try await Task.sleep(for: .milliseconds(300))
            #expect(try connection.answer().body.count == 6_000_000)
        }
    }

    @Test("a refused head that a body follows gets a response, not a reset")
    func refusedWithBody() async throws {
        try await ChannelServer.run { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n")
            try? connection.send([UInt8](repeating: 97, count: 150_000))
            #expect(try connection.answer().status == 400)
            #expect(connection.isClosedByServer())
        }
    }

    @Test("a stopping server closes idle connections at once and answers an active request with Connection: close")
    func stopping() async throws {
        let (works, onWork) = AsyncStream.makeStream(of: Void.self)
        let (idle, begun, busy, start) = try await ChannelServer.run(routes: { router in
            router.get("/slow") { _, _ in
                onWork.yield()
                try await Task.sleep(for: .milliseconds(600))
                return "slow"
            }
        }) { server in
            let idle = try RawConnection(port: server.port)
            try idle.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try idle.answer()
            let begun = try RawConnection(port: server.port)
            try begun.send("GET /hello HT")
            let busy = try RawConnection(port: server.port)
            try busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            for await _ in works { break }
            return (idle, begun, busy, ContinuousClock.now)
        }
        let took = ContinuousClock.now - start
        #expect(took < .seconds(9), "\(took)")
        #expect(idle.isClosedByServer() && begun.isClosedByServer())
        let answer = try busy.answer()
        #expect(answer.text == "slow" && answer.headers["connection"] == "close")
        #expect(busy.isClosedByServer())
    }
}
