import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Behaviour of the socket and of uploads on which existing apps rely.
@Suite("What apps rely on when they send captures", .blocksThreads)
struct CaptureContractTests {
    private static let time = "2026-01-24T10:30:00Z"

    @Test("a socket that resumes gets what it missed, in order and once; one whose number is not in the log is told so")
    func resuming() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            for id in ["a", "b", "c"] { try client.send(["id": id, "timestamp": Self.time, "transcription": "At the lake."]) }
            var processed: [(id: String?, seq: Int)] = []
            while processed.count < 3 {
                let message = try client.next()
                // An acknowledgement has no sequence number.
                guard message["type"] as? String == "memory_processed" else {
                    #expect(message["type"] as? String == "ack" && message["seq"] == nil, "\(message)")
                    continue
                }
                processed.append((message["captureId"] as? String, try #require(message["seq"] as? Int)))
            }
            let numbers = processed.map(\.seq)
            #expect(numbers == numbers.sorted() && Set(numbers).count == 3 && Set(processed.map(\.id)) == ["a", "b", "c"])
            let late = try CaptureClient(server, ada, since: Int64(numbers[0]))
            for expected in processed.dropFirst() {
                let message = try late.next()
                #expect(message["captureId"] as? String == expected.id && message["seq"] as? Int == expected.seq, "\(message)")
            }
            let strange = try CaptureClient(server, ada, since: 1_000_000)
            let reset = try strange.next()
            let head = try #require(reset["seq"] as? Int)
            #expect(Set(reset.keys) == ["type", "seq"] && reset["type"] as? String == "reset" && head >= numbers[2], "\(reset)")
        }
    }

    @Test("whoever may not open a socket gets the error in the form of the surface, before the upgrade")
    func refusals() async throws {
        try await TestServer.run(.sqlite) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            for (path, headers, status, code) in [
                ("/ws/ios/\(ada.id)", [], 401, "unauthorized"), ("/ws/ios/\(ada.id)", [eve.bearer], 403, "forbidden"),
                ("/ws/ios/\(ada.id)?since=-1", [ada.bearer], 400, "bad_request"), ("/ws/query/\(ada.id)", [], 401, "unauthorized"),
                ("/ws/query/\(ada.id)", [eve.bearer], 403, "forbidden"),
            ] as [(String, [(String, String)], Int, String)] {
                let refused = #expect(throws: WebSocketClient.Refused.self) {
                    _ = try WebSocketClient(port: server.port, path: path, headers: headers)
                }
                let answer = try #require(refused?.answer)
                let json = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String] ?? [:]
                #expect(answer.status == status && json["error"] == code, "\(path) \(answer.text)")
                #expect(Set(json.keys) == ["error", "message"], "\(path) \(answer.text)")
            }
        }
    }

    @Test("an upload may have further fields before and after its file, which the server reads past")
    func fields() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("captureId", "other")
            body.add("file", fileName: "photo.jpg", try Fixture.data("photo.jpg"))
            body.add("caption", String(repeating: "x", count: 100_000))
            body.close()
            let answer = try await server.send(
                "POST", "/upload/c-1", as: ada, headers: [("Content-Type", body.contentType)], body: body.data)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.json()["captureId"] as? String == "c-1")
        }
    }
}
