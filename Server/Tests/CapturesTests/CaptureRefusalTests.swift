import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("Captures that are refused or repeated", .blocksThreads)
struct CaptureRefusalTests {
    private static let time = "2026-01-24T10:30:00Z"

    @Test("what is wrong is named, and the socket stays open", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            let cases: [(String, code: String, id: String?)] = [
                ("nonsense", "invalid_json", nil), ("[]", "invalid_json", nil), (#"{"type":"memory_capture"#, "invalid_json", nil),
                ("{}", "invalid_type", nil), (#"{"type":"other","id":"x1"}"#, "invalid_type", "x1"),
                (#"{"type":"memory_capture","id":"x2"}"#, "invalid_timestamp", "x2"),
                (#"{"type":"memory_capture","id":"x3","timestamp":"yesterday"}"#, "invalid_timestamp", "x3"),
                (#"{"type":"memory_capture","id":"x4","timestamp":"1969-12-31T23:59:59Z"}"#, "invalid_timestamp", "x4"),
                (#"{"type":"memory_capture","id":"x5","timestamp":"2200-01-01T00:00:00Z"}"#, "invalid_timestamp", "x5"),
                (#"{"type":"memory_capture","timestamp":5}"#, "invalid_timestamp", nil),
                // The server would need seconds to hash a longer name.
                (
                    #"{"type":"memory_capture","timestamp":"\#(Self.time)","\#(String(repeating: "\u{301}", count: 1_000))":1}"#,
                    "invalid_json", nil
                ),
                (#"{"type":"memory_capture","id":"a/b","timestamp":"\#(Self.time)"}"#, "invalid_field", nil),
                (#"{"type":"memory_capture","id":"..","timestamp":"\#(Self.time)"}"#, "invalid_field", nil),
                (#"{"type":"memory_capture","id":7,"timestamp":"\#(Self.time)"}"#, "invalid_field", nil),
                (#"{"type":"memory_capture","id":"x6","timestamp":"\#(Self.time)","transcription":["a"]}"#, "invalid_field", "x6"),
                (#"{"type":"memory_capture","id":"x7","timestamp":"\#(Self.time)","transcription":"a\u0000b"}"#, "invalid_field", "x7"),
                (
                    #"{"type":"memory_capture","id":"x8","timestamp":"\#(Self.time)","photoURL":"\#(String(repeating: "u", count: 2_049))"}"#,
                    "invalid_field", "x8"
                ),
                (
                    #"{"type":"memory_capture","id":"x9","timestamp":"\#(Self.time)","transcription":"\#(String(repeating: "u", count: 100_001))"}"#,
                    "invalid_field", "x9"
                ),
            ]
            for (text, code, id) in cases {
                try client.socket.send(text)
                let answer = try client.next()
                #expect(answer["ok"] as? Bool == false && answer["error"] as? String == code, "\(text.prefix(80)) \(answer)")
                #expect(answer["captureId"] as? String == id && (answer["detail"] as? String)?.isEmpty == false, "\(answer)")
            }
            // Unknown fields are ignored, null counts as absent, and without an id the server makes one.
            try client.socket.send(#"{"type":"memory_capture","timestamp":" 2026-01-24 10:30 ","photoURL":null,"mood":9}"#)
            let ack = try client.next()
            let id = try #require(ack["captureId"] as? String)
            #expect(ack["timestamp"] as? String == "2026-01-24T10:30:00Z")
            #expect(try await server.capture(id, as: ada).photoURL == nil)
            #expect(try await server.captures(as: ada).items.count == 1)
        }
    }

    @Test("a binary message and one that is too large close the socket")
    func closing() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let binary = try CaptureClient(server, ada)
            try binary.socket.connection.send(WebSocketClient.bytes(2, [1, 2, 3]))
            #expect(try binary.socket.nextClose().closeCode == 1_003)
            let large = try CaptureClient(server, ada)
            try large.socket.connection.send(Array(WebSocketClient.bytes(1, [UInt8](repeating: 0x20, count: 262_145)).prefix(64)))
            #expect(try large.socket.nextClose().closeCode == 1_009)
            let eve = try await server.person("eve")
            #expect(throws: WebSocketClient.Refused.self) {
                _ = try WebSocketClient(port: server.port, path: "/ws/ios/\(ada.id)", headers: [eve.bearer])
            }
        }
    }

    @Test("the same id again fills in what was missing, acknowledges the same, and refuses anything else", arguments: Engine.allCases)
    func ids(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let client = try CaptureClient(server, ada)
            #expect(try client.take("a", at: Self.time)["type"] as? String == "ack")
            #expect(try client.take("a", at: Self.time, "At the lake.")["type"] as? String == "ack")
            #expect(
                try client.take("a", at: Self.time, "At the lake.", photo: "https://elsewhere.example/x.jpg")["type"] as? String == "ack")
            // The server accepts the same content again, also if it is written differently or some fields are missing.
            #expect(try client.take("a", at: "2026-01-24T11:30:00+01:00", " At the lake. ")["type"] as? String == "ack")
            #expect(try client.take("a", at: Self.time)["type"] as? String == "ack")
            for (time, words, photo) in [
                (Self.time, "At the sea.", nil), ("2026-01-24T10:30:01Z", "At the lake.", nil),
                (Self.time, "At the lake.", "https://elsewhere.example/y.jpg"),
            ] as [(String, String, String?)] {
                let refusal = try client.take("a", at: time, words, photo: photo)
                #expect(refusal["error"] as? String == "id_in_use" && refusal["captureId"] as? String == "a", "\(refusal)")
            }
            let capture = try await server.capture("a", as: ada)
            #expect(capture.transcription == "At the lake." && capture.photoURL == "https://elsewhere.example/x.jpg")
            // Captures of different users may have the same id.
            let hers = try CaptureClient(server, eve)
            #expect(try hers.take("a", at: Self.time, "Somewhere else.")["type"] as? String == "ack")
            #expect(try await server.capture("a", as: ada).transcription == "At the lake.")
            #expect(try await server.captures(as: ada).items.count == 1)
        }
    }

    @Test(
        "the user's correction stays when the client repeats the capture; a deleted id does not come back",
        arguments: StoragePair.allCases)
    func corrections(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try client.take("a", at: Self.time, "Just met with Jon.")
            _ = try await server.processed("a", as: ada)
            let corrected = try await server.sendJSON("PATCH", "/captures/a", ["transcription": "Just met with Maria."], as: ada)
            #expect(corrected.status == 200, "\(corrected.text)")
            let capture = try await server.processed("a", as: ada)
            #expect(capture.transcription == "Just met with Maria." && capture.transcriptionEngine == "user")
            #expect(capture.analysis?.mentionedNames == ["Maria"])
            #expect(try await server.contacts(as: ada).map(\.name) == ["Maria"])
            #expect(try client.take("a", at: Self.time, "Just met with Jon.")["type"] as? String == "ack")
            #expect(try await server.capture("a", as: ada).transcription == "Just met with Maria.")

            #expect(try await server.send("DELETE", "/captures/a", as: ada).status == 200)
            #expect(try client.take("a", at: Self.time, "Just met with Jon.")["error"] as? String == "id_in_use")
            #expect(try await server.uploadCapture("a", "photo.jpg", as: ada).status == 410)
            #expect(try await server.send("GET", "/captures/a", as: ada).status == 404)
        }
    }

    @Test("links of this server are recognised by their path alone, and only to the caller's own media", arguments: StoragePair.allCases)
    func links(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let uploaded = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).decode(UploadResponse.self)
            let file = uploaded.files[0].data
            let path = try #require(URL(string: file.url)?.path)
            let client = try CaptureClient(server, ada)
            // This link has another host and no signature.
            try client.take("mine", at: Self.time, photo: "https://proxy.example\(path)")
            #expect(try await server.capture("mine", as: ada).photoURL == file.url)
            let hers = try CaptureClient(server, eve)
            try hers.take("theirs", at: Self.time, photo: file.url)
            #expect(try await server.capture("theirs", as: eve).photoURL == file.url)
            let media = try await server.backend.database.read { tx in
                try tx.row("SELECT photo_media FROM capture WHERE owner = \(eve.id)")?.get("photo_media", as: String?.self)
            }
            #expect(media == nil)
            // When the file is deleted from the library, the capture drops it.
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).status == 200)
            #expect(try await server.capture("mine", as: ada).photoURL == nil)
        }
    }

    @Test("a full quota refuses one account's captures only, and each by itself", arguments: Engine.allCases)
    func quota(_ engine: Engine) async throws {
        try await TestServer.run(engine, { $0.quotaByteCount = 1_048_576 }) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let (mine, hers) = (try CaptureClient(server, ada), try CaptureClient(server, eve))
            let words = String(repeating: "lake and sea ", count: 2_000)
            for number in 0..<12 {
                try mine.send(["id": "c\(number)", "timestamp": Self.time, "transcription": words])
                try hers.send(["id": "c\(number)", "timestamp": Self.time, "transcription": "short"])
            }
            var answers: [[String: Any]] = []
            while answers.count < 12 { answers.append(try mine.next(skipping: "memory_processed")) }
            let refused = answers.filter { $0["error"] as? String == "quota" }
            #expect(refused.count >= 6 && refused.count < 12, "\(refused.count)")
            for _ in 0..<12 { #expect(try hers.next(skipping: "memory_processed")["type"] as? String == "ack") }
            #expect(try await server.captures("?limit=100", as: ada).items.count == 12 - refused.count)
        }
    }

    @Test("an account whose captures fill its memory is read more slowly and loses none; another account notices nothing")
    func memory() async throws {
        try await TestServer.run(.sqlite) { settings in
            settings.sockets.messageBytes = .init(total: 2_000_000, perAccount: 300_000, perNetwork: 2_000_000)
        } _: { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            func message(_ id: String) -> [UInt8] {
                let words = String(repeating: " ", count: 20_000) + "Lake."
                return WebSocketClient.bytes(
                    1, Array(#"{"type":"memory_capture","id":"\#(id)","timestamp":"\#(Self.time)","transcription":"\#(words)"}"#.utf8),
                    isFinal: false)
            }
            let end = WebSocketClient.bytes(0, Array("\n".utf8))
            // A message in several frames counts as the largest allowed message, 256 KB, so only one of an account fits at a time.
            let clients = try (0..<12).map { _ in try CaptureClient(server, ada) }
            for (number, client) in clients.enumerated() { try client.socket.connection.send(message("c\(number)")) }
            let other = try CaptureClient(server, eve)
            try other.socket.connection.send(message("hers") + end)
            #expect(try other.next()["type"] as? String == "ack")
            #expect(try await server.captures(as: ada).items.isEmpty)
            for client in clients { try client.socket.connection.send(end) }
            for client in clients { #expect(try client.next(skipping: "memory_processed")["type"] as? String == "ack") }
            #expect(Set(try await server.captures("?limit=100", as: ada).items.map(\.id)) == Set((0..<12).map { "c\($0)" }))
        }
    }
}
