import Core
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Asking about captures", .blocksThreads)
struct AskAboutCapturesTests {
    @Test("a capture is a source with its picture, and its people come with the answer", arguments: StoragePair.allCases)
    func captures(_ pair: StoragePair) async throws {
        // 2026-11-22T12:00:00Z
        try await TestServer.run(pair, clock: TestClock(Timestamp(seconds: 1_795_348_800))) { server in
            let ada = try await server.person()
            let photo = try await upload("/upload/c-1", server, ada)
            #expect(photo.status == 200, "\(photo.text)")
            let phone = try WebSocketClient(port: server.port, path: "/ws/ios/\(ada.id)", headers: [ada.bearer])
            try phone.send(
                #"{"type":"memory_capture","id":"c-1","timestamp":"2026-11-20T10:30:00Z","transcription":"Just met with John at the coffee shop."}"#
            )
            _ = try phone.nextMessage()
            try await eventually {
                try await server.send("GET", "/captures/c-1", as: ada).json()["status"] as? String == "processed"
            }
            let socket = try WebSocketClient(port: server.port, path: "/ws/query/\(ada.id)", headers: [ada.bearer])
            func reply(_ text: String) throws -> [String: Any] {
                try socket.send(text)
                return try #require(try JSONSerialization.jsonObject(with: Data(socket.nextMessage().payload)) as? [String: Any])
            }
            let answer = try reply(#"{"text":"Where did I meet John?"}"#)
            let source = try #require((answer["sources"] as? [[String: Any]])?.first)
            #expect(source["captureId"] as? String == "c-1" && source["kind"] as? String == "capture")
            #expect(source["summary"] as? String == "Just met with John at the coffee shop.")
            let url = try #require(source["url"] as? String)
            #expect(url.contains("/raw-media/") && answer["attachedImages"] as? [String] == [url])
            let picture = try await server.send("GET", url)
            #expect(picture.status == 200)
            let people = try #require(answer["relatedContacts"] as? [[String: Any]])
            #expect(people.map { $0["name"] as? String } == ["John"])
            let bare = try reply(#"{"text":"Where did I meet john?","maxImages":0,"includeFaces":false}"#)
            #expect(bare["attachedImages"] == nil && (bare["sources"] as? [[String: Any]])?.count == 1)
            try phone.close()
            try socket.close()
        }
    }

    @Test("a question's picture is stored beside those of captures, and refusals have the form of uploads", arguments: StoragePair.allCases)
    func uploads(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let stored = try await upload("/query-upload/q-1", server, ada)
            let json = try stored.json()
            #expect(stored.status == 200 && json["queryId"] as? String == "q-1" && json["status"] as? String == "success", "\(stored.text)")
            let url = try #require(json["url"] as? String)
            let sent = try Fixture.data("photo.jpg")
            #expect(try await server.send("GET", url).body == sent)
            // A capture with the same id has its own picture.
            let other = try await upload("/upload/q-1", server, ada).json()
            #expect(other["url"] as? String != url)
            let long = try await upload("/query-upload/" + String(repeating: "q", count: 128), server, ada)
            #expect(long.status == 200, "\(long.text)")
            for (path, person, status) in [("/query-upload/q%20q", ada, 400), ("/query-upload/q-1", nil, 401)]
                as [(String, TestServer.Person?, Int)]
            {
                let refused = try await upload(path, server, person)
                #expect(refused.status == status && refused.text.contains("upload failed"), "\(refused.text)")
            }
        }
    }

    private func upload(_ path: String, _ server: TestServer, _ person: TestServer.Person?) async throws -> TestServer.Answer {
        let form = MultipartBody.file("photo.jpg", try Fixture.data("photo.jpg"))
        return try await server.send("POST", path, as: person, headers: [("Content-Type", form.contentType)], body: form.data)
    }
}
