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

/// Request smuggling: requests that two servers in a chain could parse differently. After each such request, the test sends a second
/// request, which must not run.
@Suite("Request smuggling", .serialized, .blocksThreads)
struct SmugglingTests {
    static let head = "POST /count HTTP/1.1\r\nHost: a\r\n"
    static let refused: [(String, String)] = [
        ("both lengths", head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("both lengths, the other way round", head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
        ("two lengths", head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"),
        ("the same length twice", head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde"),
        ("a list of lengths", head + "Content-Length: 5,5\r\n\r\nabcde"),
        ("a length with a sign", head + "Content-Length: +5\r\n\r\nabcde"),
        ("a negative length", head + "Content-Length: -1\r\n\r\n"),
        ("a hexadecimal length", head + "Content-Length: 0x5\r\n\r\nabcde"),
        ("a length with a blank in it", head + "Content-Length: 1 0\r\n\r\nabcde"),
        ("an empty length", head + "Content-Length:\r\n\r\n"),
        ("a length that overflows", head + "Content-Length: 18446744073709551621\r\n\r\nabcde"),
        ("chunked is not last", head + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        ("chunked is not alone", head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        ("chunked twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("identity", head + "Transfer-Encoding: identity\r\n\r\n"),
        ("an unknown coding", head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ("a coding in quotes", head + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
        ("a vertical tab before the coding", head + "Transfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n"),
        ("chunked in HTTP/1.0", "POST /count HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("a blank before the colon", head + "Content-Length : 5\r\n\r\nabcde"),
        ("a tab before the colon", head + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
        ("a blank before the name", head + " Content-Length: 5\r\n\r\nabcde"),
        ("a folded line", head + "X: a\r\n Content-Length: 5\r\n\r\nabcde"),
        ("a folded length", head + "Content-Length:\r\n 5\r\n\r\nabcde"),
        ("a field without a colon", head + "Content-Length\r\n\r\n"),
        ("a field without a name", head + ": 5\r\n\r\n"),
        ("a name with a NUL", head + "Content\0-Length: 5\r\n\r\nabcde"),
        ("a value with a NUL", head + "X: a\0b\r\n\r\n"),
        ("a value with a control character", head + "X: a\u{01}b\r\n\r\n"),
        ("a bare line feed between fields", "POST /count HTTP/1.1\r\nHost: a\nContent-Length: 5\r\n\r\nabcde"),
        ("a bare line feed at the end of the head", "POST /count HTTP/1.1\r\nHost: a\r\n\nabcde"),
        ("nothing but bare line feeds", "GET /hello HTTP/1.1\nHost: a\n\n"),
        ("a bare carriage return", head + "X: a\rContent-Length: 5\r\n\r\nabcde"),
        ("a carriage return before the colon", head + "X\r: a\r\n\r\n"),
        ("no Host", "GET /hello HTTP/1.1\r\n\r\n"),
        ("an empty Host", "GET /hello HTTP/1.1\r\nHost:\r\n\r\n"),
        ("two Hosts", "GET /hello HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        ("a Host with a path", "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        ("a Host with a user", "GET /hello HTTP/1.1\r\nHost: b@a\r\n\r\n"),
        ("two hosts in one", "GET /hello HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        ("a URL of another host", "GET http://b/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a URL of another port", "GET http://a:81/hello HTTP/1.1\r\nHost: a:80\r\n\r\n"),
        ("a URL with a user", "GET http://u@a/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a URL of another kind", "GET ftp://a/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a path without a slash", "GET hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("an asterisk that is no OPTIONS", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"),
        ("two blanks", "GET  /hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a blank behind the version", "GET /hello HTTP/1.1 \r\nHost: a\r\n\r\n"),
        ("a blank in the path", "GET /hel lo HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a tab in the line", "GET\t/hello HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("bytes above ASCII in the path", "GET /h\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("31 combining marks in a value", head + "X: a\(String(repeating: "\u{301}", count: 31))\r\n\r\n"),
        ("31 encoded combining marks in the path", "GET /\(String(repeating: "%CC%81", count: 31)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a fragment", "GET /hello#x HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("HTTP/1.2", "GET /hello HTTP/1.2\r\nHost: a\r\n\r\n"),
        ("HTTP/2.0 that is no preface", "GET /hello HTTP/2.0\r\nHost: a\r\n\r\n"),
        ("http in lower case", "GET /hello http/1.1\r\nHost: a\r\n\r\n"),
        ("HTTP/0.9", "GET /hello\r\n\r\n"),
        ("an invalid method", "G@T /hello HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]
    static let chunks: [(String, String)] = [
        ("no size", "\r\nabcde\r\n0\r\n\r\n"), ("an invalid size", "g\r\nabcde\r\n0\r\n\r\n"),
        ("a size with a sign", "+5\r\nabcde\r\n0\r\n\r\n"),
        ("a size with a prefix", "0x5\r\nabcde\r\n0\r\n\r\n"), ("a blank before the size", " 5\r\nabcde\r\n0\r\n\r\n"),
        ("a blank behind the size", "5 \r\nabcde\r\n0\r\n\r\n"), ("a size that overflows", "10000000000000005\r\nabcde\r\n0\r\n\r\n"),
        ("a bare line feed behind the size", "5\nabcde\r\n0\r\n\r\n"), ("a bare carriage return behind the size", "5\rabcde\r\n0\r\n\r\n"),
        ("a chunk that is longer", "5\r\nabcdef\r\n0\r\n\r\n"), ("a chunk that is shorter", "5\r\nabcd\r\n0\r\n\r\n"),
        ("a bare line feed behind the chunk", "5\r\nabcde\n0\r\n\r\n"),
        ("a control character in an extension", "5;a=\u{01}\r\nabcde\r\n0\r\n\r\n"),
        ("a bare line feed in an extension", "5;a\nabcde\r\n0\r\n\r\n"),
        ("an endless extension", "5;" + String(repeating: "a", count: 300) + "\r\nabcde\r\n0\r\n\r\n"),
        ("a trailer without a name", "0\r\n: x\r\n\r\n"), ("a folded trailer", "0\r\nX: y\r\n z\r\n\r\n"),
        ("a bare line feed in the trailers", "0\r\nX: y\n\r\n"),
        ("endless trailers", "0\r\n" + String(repeating: "X: y\r\n", count: 2_000) + "\r\n"),
    ]
    static let secret = "GET /secret HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("each ambiguous request is 400, the connection closes, and the request behind it is not read")
    func refusals() async throws {
        let seen = Mutex(0)
        try await ChannelServer.run(routes: { router in
            router.get("/secret") { _, _ in
                seen.withLock { $0 += 1 }
                return "secret"
            }
        }) { server in
            for (name, text) in Self.refused {
                let connection = try RawConnection(port: server.port)
                try connection.send(text + Self.secret)
                let answer = try connection.answer()
                #expect(answer.status == 400 && answer.headers["connection"] == "close", "\(name): \(answer.status)")
                #expect(throws: RawConnection.Failure.self, "\(name)") { try connection.answer() }
            }
            for (name, text) in Self.chunks {
                let connection = try RawConnection(port: server.port)
                try connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n" + text + Self.secret)
                let answer = try connection.answer()
                #expect(answer.status == 400 && answer.headers["connection"] == "close", "\(name): \(answer.status)")
                #expect(throws: RawConnection.Failure.self, "\(name)") { try connection.answer() }
            }
        }
        #expect(seen.withLock { $0 } == 0)
    }

    static let taken: [(String, String, String)] = [
        ("an empty line before it", "\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n", "hello"),
        ("a whole URL", "GET http://A/hello HTTP/1.1\r\nHost: a\r\n\r\n", "hello"),
        ("a whole URL with a port", "GET HTTP://a:80/hello?x=/y HTTP/1.1\r\nHost: a:80\r\n\r\n", "hello"),
        ("an address of IPv6", "GET /hello HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "hello"),
        ("a length with zeros before it", head + "Content-Length: 0005\r\n\r\nabcde", "5"),
        ("tabs around values", head + "X:\ta\t\r\nContent-Length:\t5\r\n\r\nabcde", "5"),
        ("names in any case", "POST /count HTTP/1.1\r\nhOST: a\r\ncONTENT-lENGTH: 5\r\n\r\nabcde", "5"),
        ("chunks", head + "Transfer-Encoding: Chunked\r\n\r\n5\r\nabcde\r\nA\r\n0123456789\r\n0\r\n\r\n", "15"),
        ("extensions and trailers", head + "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nabcde\r\n000;x\r\nX: y\r\nZ:\r\n\r\n", "5"),
        ("bytes above ASCII in a value", "GET /hello HTTP/1.1\r\nHost: a\r\nX: h\u{E9}\r\n\r\n", "hello"),
    ]

    @Test("unusual but unambiguous requests are answered, also byte by byte, and the connection continues")
    func unusual() async throws {
        try await ChannelServer.run { server in
            for (name, text, expected) in Self.taken {
                let connection = try RawConnection(port: server.port)
                try connection.send(text + text)
                for round in 1...3 {
                    if round == 3 { for byte in text.utf8 { try? connection.send([byte]) } }
                    let answer = try? connection.answer()
                    #expect(answer?.text == expected, "\(name), \(round)")
                }
            }
        }
    }

    @Test("a head of any bytes is either read or refused, wherever reads end")
    func cuts() throws {
        // The chunked framing does not depend on where reads end.
        let body = Array("5;a=b\r\nabcde\r\n1F\r\n\(String(repeating: "x", count: 31))\r\n0\r\nX: y\r\n\r\nGET".utf8)
        for cut in 1..<body.count {
            var framing = ChunkedFraming()
            var taken = 0
            for piece in [body[..<cut], body[cut...]] {
                taken += try Array(piece).withUnsafeBytes { bytes in try framing.consume(bytes) }
            }
            #expect(framing.isDone && taken == body.count - 3)
        }
        // Mutates a valid head. The parser must not crash, and each head that it accepts must have one Host and at most one length.
        let good = Array(
            "POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n".utf8)
        var generator = SplitMix64(seed: 7)
        var passed = 0
        for _ in 0..<20_000 {
            var head = good
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                head[Int.random(in: 0..<head.count - 4, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let framing = head.withUnsafeBytes { bytes in try? RequestFraming(head: bytes, limits: ChannelLimits()) }
            guard framing != nil else { continue }
            passed += 1
            let text = String(decoding: head, as: UTF8.self).lowercased()
            #expect(text.components(separatedBy: "\r\nhost:").count == 2)
            #expect(!head.contains(0))
        }
        #expect(passed > 100)
    }
}
