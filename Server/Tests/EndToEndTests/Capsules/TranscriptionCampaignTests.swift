import AsyncHTTPClient
import Foundation
import KeepsakeWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@Suite("Campaign: transcription, and kill -9", .blocksThreads)
struct TranscriptionCampaignTests {
    @Test("a server killed during a transcription completes one transcript and emits one completion event", arguments: StoragePair.allCases)
    func killed(_ pair: StoragePair) async throws {
        // The small form omits SQLite, which the tests that kill the transcription engine's process cover.
        guard CampaignScale.runs("transcription"), pair == .shared || CampaignScale.isFull("transcription") else { return }
        let installation = try Installation(pair, settings: ["KEEPSAKE_TRANSCRIBER": "pocketsphinx"])
        var node = try installation.node("one")
        let person = try installation.person()
        func ask(_ method: HTTPMethod, _ path: String, _ type: String? = nil, _ body: Data? = nil) async throws -> Data {
            var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : "http://127.0.0.1:\(node.port)\(path)")
            request.method = method
            if !path.hasPrefix("http") { request.headers.add(name: "Authorization", value: "Bearer \(person.token)") }
            if let type { request.headers.add(name: "Content-Type", value: type) }
            if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
            let response = try await campaignClient.execute(request, timeout: .seconds(30))
            let answer = Data(buffer: try await response.body.collect(upTo: 1 << 24))
            #expect(response.status == .ok, "\(String(decoding: answer, as: UTF8.self))")
            return answer
        }
        func events() async throws -> [[String: Any]] {
            let page = try JSONSerialization.jsonObject(with: try await ask(.GET, "/events?since=0&wait=0")) as? [String: Any]
            return (page?["items"] as? [[String: Any]] ?? []).compactMap { item in
                (item["type"] as? String)?.hasPrefix("capsule.") == true ? item["data"] as? [String: Any] : nil
            }
        }

        let sound = try Voice.say(Voice.long)
        let made = try JSONDecoder().decode(
            CapsuleUpload.self,
            from: try await ask(
                .POST, "/v0/capsules", "application/json", Data(#"{"duration": 30, "file_size": \#(sound.count)}"#.utf8)))
        let path = "/v0/capsules/\(made.capsule.id)"
        _ = try await ask(.PUT, made.uploadURL ?? "", "audio/wav", sound)
        _ = try await ask(.POST, path + "/complete")
        // At the first progress event one segment is transcribed, and the next one is running.
        for _ in 0..<2_000 {
            if try await events().contains(where: { ($0["progress"] as? Double ?? 0) > 0 }) { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        node.killNow()
        node = try installation.node("one")
        var capsule = try JSONDecoder().decode(Capsule.self, from: try await ask(.GET, path))
        #expect(capsule.status == .transcribing)
        for _ in 0..<600 where ![.completed, .failed].contains(capsule.status) {
            try await Task.sleep(for: .milliseconds(100))
            capsule = try JSONDecoder().decode(Capsule.self, from: try await ask(.GET, path))
        }
        #expect(capsule.status == .completed)
        let text = try #require(capsule.transcription)
        // A segment transcribed twice, or not at all, would change half of the words.
        #expect(Voice.wordErrorRate(said: Voice.long, heard: text) < 0.3, "\(text)")
        let said = try await events()
        let completed = said.count { $0["status"] as? String == "completed" }
        #expect(completed == 1)
        let progress = said.compactMap { $0["progress"] as? Double }
        #expect(progress == progress.sorted() && Set(progress).count == progress.count && progress.count >= 3)
        #expect(node.terminate() == 0)
    }
}
