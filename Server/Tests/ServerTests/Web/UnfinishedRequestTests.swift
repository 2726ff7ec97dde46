import Core
import Database
import Dispatch
import Foundation
import HTTPServer
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("Clients that do not finish their requests", .serialized, .blocksThreads)
struct UnfinishedRequestTests {
    private static func manyConnections(_ settings: inout Settings) {
        OpenFiles.raiseLimit()
        settings.channelLimits.connectionsPerAddress = 4_000
        // The clients do not finish their requests. On a busy machine, opening all connections takes longer than the usual ten seconds.
        settings.channelLimits.body = MinimumRate(start: .seconds(120), ceiling: .seconds(120), bytesPerSecond: 256)
    }

    private func gauge(_ name: String, _ server: TestServer) async throws -> Int {
        let page = try await server.send("GET", "/metrics").text
        return page.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }

    /// Checks that a read and an upload of another client succeed in time.
    private func others(_ server: TestServer, _ ada: TestServer.Person) async throws {
        let start = ContinuousClock.now
        #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
        #expect(try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).status == 200)
        let took = ContinuousClock.now - start
        #expect(took < .seconds(5), "\(took)")
    }

    /// The first bytes of an upload to a new capsule's link.
    private func put(_ byteCount: Int, _ server: TestServer, as person: TestServer.Person) async throws -> String {
        let link = try #require(try await server.makeCapsule(byteCount, as: person).uploadURL)
        let path = try #require(link.range(of: "/v0/")).lowerBound
        return "PUT \(link[path...]) HTTP/1.1\r\nHost: localhost\r\nContent-Type: audio/wav\r\nContent-Length: \(byteCount)\r\n\r\nRIFF"
    }

    @Test("512 unfinished PUTs to upload links of one account do not block other accounts", arguments: StoragePair.allCases)
    func puts(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.manyConnections) { server in
            let (eve, ada) = (try await server.person("eve"), try await server.person())
            var heads: [String] = []
            // The server accepts two uploads for each link, which makes 40. An account may have 32.
            for _ in 0..<20 { heads.append(try await put(10_000_000, server, as: eve)) }
            let connections = try (0..<512).map { _ in try RawConnection(port: server.port) }
            for (number, connection) in connections.enumerated() {
                try connection.send(heads[number % heads.count])
                // Send only some at a time: on a busy machine, too many requests at the same time get 503 before the server counts their
                // bodies.
                guard (number + 1).isMultiple(of: 64) else { continue }
                try await eventually { try await gauge("keepsake_bodies_refused_total", server) == number + 1 - 32 }
            }
            #expect(try await gauge("keepsake_uploads_in_work", server) == 32)
            try await others(server, ada)
            let waiting = try RawConnection(port: server.port)
            try waiting.send(heads[0].replacing("\r\n\r\nRIFF", with: "\r\nExpect: 100-continue\r\n\r\n"))
            let refused = try waiting.answer()
            #expect(refused.status == 429 && refused.headers["retry-after"] == "5" && refused.headers["connection"] == "close")
            for connection in connections { connection.close() }
            try await eventually { try await gauge("keepsake_uploads_in_work", server) == 0 }
            try await eventually { try await gauge("keepsake_body_bytes", server) == 0 }
        }
    }

    @Test("an upload link allows two unfinished uploads, and its account's other uploads succeed", arguments: StoragePair.allCases)
    func link(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let head = try await put(10_000_000, server, as: ada)
            let connections = try (0..<40).map { _ in try RawConnection(port: server.port) }
            for connection in connections { try connection.send(head) }
            try await eventually { try await gauge("keepsake_bodies_refused_total", server) == 38 }
            #expect(try await gauge("keepsake_uploads_in_work", server) == 2)
            let refused = try RawConnection(port: server.port)
            try refused.send(head.replacing("\r\n\r\nRIFF", with: "\r\nExpect: 100-continue\r\n\r\n"))
            let answer = try refused.answer()
            #expect(answer.status == 429 && answer.headers["retry-after"] == "5")
            #expect(answer.text.contains(#""error":"too_many_requests""#) && answer.text.contains("by this link"), "\(answer.text)")
            // The server still accepts an upload by form, an upload to another link, and a request without a body.
            try await others(server, ada)
            let other = try RawConnection(port: server.port)
            try other.send(try await put(10_000_000, server, as: ada))
            try await eventually { try await gauge("keepsake_uploads_in_work", server) == 3 }
            for connection in connections { connection.close() }
            try await eventually { try await gauge("keepsake_uploads_in_work", server) == 1 }
            let again = try RawConnection(port: server.port)
            try again.send(head)
            try await eventually { try await gauge("keepsake_uploads_in_work", server) == 2 }
        }
    }

    @Test("control: without the limits all 512 are accepted")
    func putsWithoutLimits() async throws {
        try await TestServer.run(
            StoragePair.embedded,
            { settings in
                Self.manyConnections(&settings)
                settings.channelLimits.unfinishedUploads = .init(total: .max, perAccount: .max, perNetwork: .max)
                settings.channelLimits.unfinishedUploadsPerLink = .max
                settings.channelLimits.unfinishedBodyByteCount = 0
            }
        ) { server in
            let head = try await put(10_000_000, server, as: server.person())
            let connections = try (0..<512).map { _ in try RawConnection(port: server.port) }
            for (number, connection) in connections.enumerated() {
                try connection.send(head)
                guard (number + 1).isMultiple(of: 64) else { continue }
                try await eventually { try await gauge("keepsake_uploads_in_work", server) == number + 1 }
            }
            // Without this, an optimized build would close the connections after the last use of the array.
            withExtendedLifetime(connections) {}
        }
    }

    @Test("endless JSON is buffered up to a limit and does not block other requests", arguments: StoragePair.allCases)
    func json(_ pair: StoragePair) async throws {
        try await TestServer.run(
            pair,
            { settings in
                Self.manyConnections(&settings)
                settings.channelLimits.bodyBytes.perAccount = 8 * 1_048_576
            }
        ) { server in
            let (eve, ada) = (try await server.person("eve"), try await server.person())
            let mood = try await server.mood([("mood", "calm"), ("content", "Nothing.")], as: eve)
            let head =
                "PATCH \(server.moments(eve, "moods/\(mood.id)")) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(eve.token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 262144\r\n\r\n"
            let part = Array("{\"content\":\"".utf8) + [UInt8](repeating: 0x61, count: 255_000)
            let connections = try (0..<80).map { _ in try RawConnection(port: server.port) }
            // Each request counts as its buffer of 256 KiB, plus 48 KiB.
            let (byteCount, most) = (262_144 + 49_152, 8 * 1_048_576 / (262_144 + 49_152))
            for connection in connections[..<most] { try connection.send(Array(head.utf8) + part) }
            try await eventually { try await gauge("keepsake_body_bytes", server) == most * byteCount }
            for connection in connections[most...] { try? connection.send(Array(head.utf8) + part) }
            try await eventually { try await gauge("keepsake_bodies_refused_total", server) == 80 - most }
            #expect(try await gauge("keepsake_body_bytes", server) == most * byteCount)
            try await others(server, ada)
            for connection in connections { connection.close() }
            try await eventually { try await gauge("keepsake_body_bytes", server) == 0 }
        }
    }

    @Test("a long body counts, with the values decoded from it, until its response is made, and a short one only until it is read")
    func longBodies() async throws {
        try await TestServer.run(.embedded) { server in
            let (ada, database) = (try await server.person(), server.backend.database)
            let mood = try await server.mood([("mood", "calm"), ("content", "Nothing.")], as: ada)
            let path = server.moments(ada, "moods/\(mood.id)")
            @Sendable func patch(_ byteCount: Int) async throws -> Int {
                let body = #"{"note":"Still nothing.","unknown":""# + String(repeating: "b", count: byteCount) + #""}"#
                return try await server.send(
                    "PATCH", path, as: ada, headers: [("Content-Type", "application/json")], body: Data(body.utf8)
                ).status
            }
            // While the gate is closed, the handlers wait for the writer.
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            let (isHeld, maker) = AsyncStream.makeStream(of: Void.self)
            let writer = Task {
                try await database.write { _ in
                    maker.finish()
                    gate.wait()
                }
            }
            for await _ in isHeld {}
            let short = Task { try await patch(10_000) }
            let long = Task { try await patch(100_000) }
            // What counts: 128 KiB for the buffer of the long body, as many bytes for its values as the body has, and 48 KiB for its
            // beginning. While both bodies arrive, at most 224 KiB count.
            let expected = 131_072 + 100_000...131_072 + 49_152 + 100_100
            try await eventually { try await expected.contains(gauge("keepsake_body_bytes", server)) }
            // The count does not change after another request, because the handler still holds the values.
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
            let held = try await gauge("keepsake_body_bytes", server)
            #expect(expected.contains(held), "\(held)")
            gate.signal()
            try await writer.value
            let statuses = [try await short.value, try await long.value]
            #expect(statuses == [200, 200])
            try await eventually { try await gauge("keepsake_body_bytes", server) == 0 }
        }
    }

    @Test("long texts of a form count until the response is made")
    func longTexts() async throws {
        try await TestServer.run(.embedded) { server in
            let (ada, database) = (try await server.person(), server.backend.database)
            let texts = ["mood": "calm", "note": String(repeating: "b", count: 9_000)]
            let parts = texts.map { "--x\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }
            let body = Array((parts.joined() + "--x--\r\n").utf8)
            let head =
                "POST \(server.moments(ada, "moods/swift")) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n"
                + "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: \(body.count)\r\n\r\n"
            let connection = try RawConnection(port: server.port)
            try connection.send(Array(head.utf8) + body.prefix(10))
            try await eventually { try await gauge("keepsake_body_bytes", server) > 0 }
            // While the gate is closed, the handler waits for the writer.
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            let (isHeld, maker) = AsyncStream.makeStream(of: Void.self)
            let writer = Task {
                try await database.write { _ in
                    maker.finish()
                    gate.wait()
                }
            }
            for await _ in isHeld {}
            try connection.send(Array(body.dropFirst(10)))
            // Two bytes for each byte of the form, and eight for each byte of the texts whose words are found.
            let expected = texts.values.reduce(0) { $0 + 10 * $1.utf8.count }
            try await eventually { try await gauge("keepsake_body_bytes", server) == expected }
            gate.signal()
            try await writer.value
            #expect(try connection.answer().status == 200)
            try await eventually { try await gauge("keepsake_body_bytes", server) == 0 }
        }
    }

    @Test("a missing row is 404 before the client is told to send the body", arguments: StoragePair.allCases)
    func rows(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (eve, ada) = (try await server.person("eve"), try await server.person())
            let mood = try await server.mood([("mood", "calm"), ("content", "Nothing.")], as: ada)
            func patch(_ rest: String, as person: TestServer.Person, _ fields: String) throws -> RawConnection.Answer {
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "PATCH \(server.moments(person, rest)) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(person.token)\r\n"
                        + "Content-Type: application/json\r\n\(fields)\r\n\r\n")
                return try connection.answer()
            }
            let waiting = "Expect: 100-continue\r\nContent-Length: 20"
            for fields in [waiting, "Content-Length: 60000", "Transfer-Encoding: chunked"] {
                for path in ["moods/\(mood.id)", "memories/\(mood.id)", "events/0", "multimedia/0"] {
                    #expect(try patch(path, as: eve, fields).status == 404, "\(path), \(fields)")
                }
            }
            #expect(try patch("moods/\(mood.id)", as: ada, waiting).status == 100)

            let sound = try Fixture.data("plain.wav")
            let link = try #require(try await server.makeCapsule(sound.count, as: ada).uploadURL)
            #expect(try await server.putAudio(sound, link).status == 200)
            let again = try RawConnection(port: server.port)
            let path = try #require(link.range(of: "/v0/")).lowerBound
            try again.send(
                "PUT \(link[path...]) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: \(sound.count + 1)\r\n\r\n")
            #expect(try again.answer().status == 409)
        }
    }

    @Test("requests before sign-in are limited by network: an IPv6 /64 is one network", arguments: StoragePair.allCases)
    func networks(_ pair: StoragePair) async throws {
        try await TestServer.run(
            pair,
            { settings in
                var limits = RateLimits()
                limits.write = Rate(perMinute: 30, burst: 4)
                settings.rateLimits = limits
                settings.trustedProxies = TrustedProxies("127.0.0.1")!
            }
        ) { server in
            func refresh(_ address: String) async throws -> Int {
                try await server.send(
                    "POST", "/auth/refresh", headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
                    body: Data(#"{"refresh_token":"none"}"#.utf8)
                ).status
            }
            var statuses: [Int] = []
            for address in ["::1", "::2", "::3", "::4", ":3:4:5:6"] { statuses.append(try await refresh("2001:db8:1:2\(address)")) }
            #expect(statuses == [401, 401, 401, 401, 429])
            let other = try await refresh("2001:db8:1:3::1")
            #expect(other == 401)
        }
    }
}
