import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// What a client receives on its socket when the server responds before the whole request has arrived.
@Suite("Responses before the end of the body", .blocksThreads)
struct EarlyAnswerTests {
    private func head(_ server: TestServer, _ person: TestServer.Person?, _ headers: [String]) -> String {
        var lines = ["POST /api/users/user/\(person?.id ?? "x")/multimedia/swift HTTP/1.1", "Host: localhost"]
        if let person { lines.append("Authorization: Bearer \(person.token)") }
        return (lines + headers + ["", ""]).joined(separator: "\r\n")
    }

    @Test("a client that expects 100 Continue gets it after its credential was verified, and never before", arguments: StoragePair.allCases)
    func expectation(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let body = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let headers = ["Expect: 100-continue", "Content-Type: \(body.contentType)", "Content-Length: \(body.data.count)"]
            let good = try RawConnection(port: server.port)
            try good.send(head(server, ada, headers))
            #expect(try good.answer().status == 100)
            try good.send(body.data)
            #expect(try good.answer().status == 200)

            let stranger = try RawConnection(port: server.port)
            try stranger.send(head(server, nil, headers))
            let refused = try stranger.answer()
            #expect(refused.status == 401)
            // The server cannot know whether the body will follow, so it closes the connection.
            #expect(refused.headers["connection"] == "close")
            #expect(stranger.isClosedByServer())
        }
    }

    @Test("a body announced as too large is 413 before any of it is read, and nothing is stored", arguments: StoragePair.allCases)
    func announcedTooLarge(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let connection = try RawConnection(port: server.port)
            try connection.send(
                head(
                    server, ada,
                    ["Content-Type: multipart/form-data; boundary=b", "Content-Length: \(600 * 1_048_576)", "Expect: 100-continue"]))
            let answer = try connection.answer()
            #expect(answer.status == 413 && answer.headers["connection"] == "close")
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("a client that is still sending a large body receives the 401", arguments: StoragePair.allCases)
    func unauthorizedWhileSending(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(head(server, nil, ["Content-Type: multipart/form-data; boundary=b", "Content-Length: 52428800"]))
            try connection.send([UInt8](repeating: 0x61, count: 100_000))
            let answer = try connection.answer()
            #expect(answer.status == 401 && answer.headers["connection"] == "close")
            // The server reads another 16 MB of the body, then stops reading, and disconnects the client after two seconds.
            #expect(throws: RawConnection.Failure.self) {
                for _ in 0..<1_000 { try connection.send([UInt8](repeating: 0x61, count: 65_536)) }
            }
        }
    }

    @Test("after a refusal, a client that stops sending its body is disconnected after two seconds", arguments: StoragePair.allCases)
    func lingering(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(head(server, nil, ["Content-Type: multipart/form-data; boundary=b", "Content-Length: 52428800"]))
            #expect(try connection.answer().status == 401)
            // The server closes its sending side after the response, and the whole connection later.
            #expect(connection.isClosedByServer())
            let start = ContinuousClock.now
            // Without this limit, the connection would stay open for the 10 s for which a body may stall.
            await #expect(throws: RawConnection.Failure.self) {
                while ContinuousClock.now - start < .seconds(8) {
                    try connection.send([0x61])
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    @Test("a small refused body is discarded and the connection stays open", arguments: StoragePair.allCases)
    func smallBody(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let connection = try RawConnection(port: server.port)
            for _ in 0..<3 {
                try connection.send(head(server, nil, ["Content-Type: multipart/form-data; boundary=b", "Content-Length: 1000"]))
                try connection.send([UInt8](repeating: 0x61, count: 400))
                let answer = try connection.answer()
                #expect(answer.status == 401 && answer.headers["connection"] == nil)
                try connection.send([UInt8](repeating: 0x61, count: 600))
            }
            try connection.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try connection.answer().status == 200)
        }
    }

    @Test("an upload whose client disconnects leaves nothing", arguments: StoragePair.allCases)
    func cutOff(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let body = MultipartBody.file("a.mp4", Film.bytes(8_000_000))
            let connection = try RawConnection(port: server.port)
            try connection.send(head(server, ada, ["Content-Type: \(body.contentType)", "Content-Length: \(body.data.count)"]))
            // Send more than the 5 MiB that the server sends to an object store at a time.
            try connection.send(body.data.prefix(6_500_000))
            try await eventually { try await server.storedFileCount() == 1 }
            connection.close()
            try await eventually { try await server.storedFileCount() == 0 }
        }
    }

    @Test("a chunked body without a length is accepted, and an endless one is 413", arguments: StoragePair.allCases)
    func chunked(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let body = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let good = try RawConnection(port: server.port)
            try good.send(head(server, ada, ["Content-Type: \(body.contentType)", "Transfer-Encoding: chunked"]))
            for piece in stride(from: 0, to: body.data.count, by: 5_000).map({ body.data[$0..<min($0 + 5_000, body.data.count)] }) {
                try good.send("\(String(piece.count, radix: 16))\r\n")
                try good.send(piece)
                try good.send("\r\n")
            }
            try good.send("0\r\n\r\n")
            #expect(try good.answer().status == 200)

            let endless = try RawConnection(port: server.port)
            try endless.send(
                "POST /api/users/user/\(ada.id)/profile-picture/swift HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n"
                    + "Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n")
            // Send an endless preamble, which contains no part and no file.
            let piece = Array("100000\r\n".utf8) + [UInt8](repeating: 0x20, count: 1_048_576) + Array("\r\n".utf8)
            for _ in 0..<40 { do { try endless.send(piece) } catch { break } }
            #expect(try endless.answer().status == 413)
        }
    }
}
