import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Follows the document from which surface 3 comes, exactly as the document prints the flow.
@Suite("The flow of the captures document", .blocksThreads)
struct SeedFlowTests {
    private static let words = "Just met with John at the coffee shop to discuss the project."
    private static let time = "2026-01-24T10:30:00-05:00"

    private func check(_ server: TestServer, _ client: CaptureClient, _ user: String, url: String, id: String) async throws {
        try client.send(["id": id, "timestamp": Self.time, "photoURL": url, "transcription": Self.words])
        let ack = try client.next() as NSDictionary
        #expect(
            ack == ["type": "ack", "status": "received", "captureId": id, "timestamp": "2026-01-24T15:30:00Z"] as NSDictionary)
        let processed = try client.next()
        #expect(processed["type"] as? String == "memory_processed" && processed["captureId"] as? String == id)
        #expect(processed["date"] as? String == "2026-01-24" && processed["seq"] is Int)
        #expect(Set(processed.keys) == ["type", "date", "captureId", "seq"])
    }

    @Test("upload, capture, acknowledgement, then the processing is told to all sockets", arguments: StoragePair.allCases)
    func signedIn(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let id = "abc-123-def-456"
            let upload = try await server.uploadCapture(id, "photo.jpg", as: ada)
            #expect(upload.status == 200, "\(upload.text)")
            let json = try upload.json()
            #expect(Set(json.keys) == ["status", "url", "captureId"])
            #expect(json["status"] as? String == "success" && json["captureId"] as? String == id)
            let url = try #require(json["url"] as? String)
            #expect(url.hasPrefix("\(server.url)/raw-media/\(ada.id)/memories/\(id)/photo.jpg?expires="))
            let sent = try Fixture.data("photo.jpg")
            #expect(try await server.send("GET", url).body == sent)
            let (client, other) = (try CaptureClient(server, ada), try CaptureClient(server, ada))
            try await check(server, client, ada.id, url: url, id: id)
            #expect(try other.next()["captureId"] as? String == id)

            let capture = try await server.processed(id, as: ada)
            #expect(capture.transcription == Self.words && capture.transcriptionEngine == "client" && capture.processed)
            #expect(capture.photoURL == url && capture.audioURL == nil && capture.error == nil)
            #expect(capture.analysis?.mentionedNames == ["John"] && capture.analysis?.engine == "local")
            #expect(capture.analysis?.detectedFaces == [])
            let contacts = try await server.contacts(as: ada)
            #expect(contacts.map(\.name) == ["John"] && contacts.first?.mentionCount == 1)
            let memory = try await server.send("GET", "/memories/\(ada.id)/2026-01-24", as: ada)
            #expect(memory.status == 200 && memory.text.contains(id), "\(memory.text)")
            let missing = try await server.send("GET", "/memories/\(ada.id)/2026-01-23", as: ada)
            let status = try missing.json()["status"] as? String
            #expect(missing.status == 404 && status == "not_found", "\(missing.text)")
            for rest in ["timeline", "search?q=coffee"] {
                let items = try await server.send("GET", "/api/users/user/\(ada.id)/\(rest)", as: ada).json()["items"] as? [[String: Any]]
                let found = try #require(items?.first { $0["kind"] as? String == "capture" }, "\(rest)")
                #expect((found["capture"] as? [String: Any])?["id"] as? String == id, "\(rest)")
            }
            try await server.settle()
            _ = try await server.checkedUsage(of: ada)
            #expect(try await server.send("DELETE", "/captures/\(id)", as: ada).status == 200)
            try await server.settle()
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("without a credential, as the document's samples send it", arguments: StoragePair.allCases)
    func anonymous(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.allowsAnonymous = true }) { server in
            let id = "abc-123"
            let upload = try await server.uploadCapture(id, "photo.jpg", as: nil)
            #expect(upload.status == 200, "\(upload.text)")
            let url = try #require(try upload.json()["url"] as? String)
            #expect(url.contains("/raw-media/anonymous/memories/\(id)/photo.jpg"))
            let client = try CaptureClient(server, anonymous: "ada")
            try await check(server, client, "ada", url: url, id: id)
            // The first socket that sends the id takes the upload over.
            let mine = try await server.send("GET", "/raw-media/ada/memories/\(id)/photo.jpg")
            #expect(mine.status == 200)
            #expect(try await server.send("GET", url).status == 404)
            let kept = try await server.backend.database.read { tx in
                try tx.row("SELECT owner FROM capture_file WHERE capture = \(id)")?.get("owner", as: String.self)
            }
            #expect(kept == "ada")
        }
    }

    @Test("two uploads of the same bytes without a credential go to two users, and each keeps theirs", arguments: StoragePair.allCases)
    func anonymousTwice(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.allowsAnonymous = true }) { server in
            for id in ["one", "two", "three"] { #expect(try await server.uploadCapture(id, "photo.jpg", as: nil).status == 200) }
            for (id, user) in [("one", "ada"), ("two", "eve")] {
                let client = try CaptureClient(server, anonymous: user)
                try client.send(["id": id, "timestamp": Self.time, "transcription": Self.words])
                #expect(try client.next()["type"] as? String == "ack")
            }
            try await server.settle()
            let owners = try await server.backend.database.read { tx in
                try tx.rows(
                    """
                    SELECT media.owner AS owner, blob.owner AS held, blob.refs AS refs FROM media JOIN blob ON blob.key = media.blob
                    ORDER BY media.owner
                    """
                ).map { row -> String in
                    let (owner, held) = (try row.get("owner", as: String.self), try row.get("held", as: String.self))
                    let count: Int64 = try row.get("refs")
                    return "\(owner) \(held) \(count)"
                }
            }
            #expect(owners == ["ada ada 1", "anonymous anonymous 1", "eve eve 1"])
        }
    }

    @Test("the socket and the worker may be on different nodes")
    func nodes() async throws {
        let stores = try TestStores(.postgres)
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock) { two in
                let ada = try await one.person()
                let (here, there) = (try CaptureClient(one, ada), try CaptureClient(two, ada))
                for number in 0..<8 { try here.take("c\(number)", at: Self.time, "Number \(number) with John.") }
                var heard: Set<String> = []
                while heard.count < 8 { if let id = try there.next()["captureId"] as? String { heard.insert(id) } }
                #expect(heard == Set((0..<8).map { "c\($0)" }))
            }
        }
    }

    @Test("an upload may come after its capture, and a recording beside a photo", arguments: StoragePair.allCases)
    func eitherOrder(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try client.take("late", at: Self.time, "No picture yet.")
            _ = try await server.processed("late", as: ada)
            #expect(try await server.uploadCapture("late", "photo.jpg", as: ada).status == 200)
            #expect(try await server.uploadCapture("late", "voice.m4a", as: ada).status == 200)
            let capture = try await server.processed("late", as: ada)
            #expect(capture.photoURL?.contains("/late/photo.jpg") == true && capture.audioURL?.contains("/late/audio.m4a") == true)
            // A second photo replaces the first.
            #expect(try await server.uploadCapture("late", "baseline.jpg", as: ada).status == 200)
            let sent = try Fixture.data("baseline.jpg")
            let url = try #require(try await server.capture("late", as: ada).photoURL)
            #expect(try await server.send("GET", url).body == sent)
        }
    }

    @Test("an upload that is refused says so in the form of the document", arguments: StoragePair.allCases)
    func refusedUploads(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            func expect(_ answer: TestServer.Answer, _ status: Int) throws {
                #expect(answer.status == status, "\(answer.text)")
                let json = try answer.json()
                #expect(Set(json.keys) == ["status", "error"] && json["status"] as? String == "error", "\(answer.text)")
                #expect((json["error"] as? String)?.hasPrefix("upload failed: ") == true, "\(answer.text)")
            }
            try expect(try await server.uploadCapture("a", "photo.jpg", as: nil), 401)
            try expect(
                try await server.uploadCapture("a b".addingPercentEncoding(withAllowedCharacters: .alphanumerics)!, "photo.jpg", as: ada),
                400)
            try expect(try await server.uploadCapture("a", "moov-first.mp4", as: ada), 422)
            try expect(try await server.send("GET", "/upload/a", as: ada), 405)
            try expect(try await server.send("POST", "/upload/a", as: ada), 400)
        }
    }
}
