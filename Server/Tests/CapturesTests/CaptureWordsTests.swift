import Database
import Foundation
import KeepsakeWire
import Search
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Words of captures", .blocksThreads)
struct CaptureWordsTests {
    private func finds(_ word: String, _ server: TestServer, _ person: TestServer.Person) async throws -> Bool {
        let answer = try await server.send("GET", "/api/users/user/\(person.id)/search?q=\(word)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.text.contains("capture-a")
    }

    @Test("filing stores the words that were split before the write, unless the analysis was replaced", arguments: Engine.allCases)
    func filing(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try CaptureClient(server, ada).take("capture-a", at: "2026-05-01T08:00:00Z", "Just met with John.")
            _ = try await server.processed("capture-a", as: ada)
            try await server.settle()
            #expect(try await finds("john", server, ada))
            let store = server.backend.features[CapturesFeature.self].store
            let seen = try #require(try await store.whole("capture-a", owner: ada.id)).capture
            let words = SearchWords([SearchDocument.Text(field: "transcript", text: "mountain")])
            var other = seen
            other.analysisText = nil
            let older = other
            await #expect(throws: CaptureStore.Replaced.self) {
                try await store.database.write { tx in try store.file(older, words, tx) }
            }
            #expect(try await !finds("mountain", server, ada))
            try await store.database.write { tx in try store.file(seen, words, tx) }
            #expect(try await finds("mountain", server, ada))
            #expect(try await !finds("john", server, ada))
        }
    }

    @Test("a long correction is found at once and after its analysis", arguments: Engine.allCases)
    func correction(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try CaptureClient(server, ada).take("capture-a", at: "2026-05-01T08:00:00Z", "Just met with John.")
            _ = try await server.processed("capture-a", as: ada)
            let text = "attic " + (1...3_000).map { "word\($0)" }.joined(separator: " ")
            let answer = try await server.sendJSON("PATCH", "/captures/capture-a", ["transcription": text], as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await finds("attic", server, ada))
            #expect(try await !finds("john", server, ada))
            try await server.settle()
            #expect(try await finds("word2999", server, ada))
        }
    }
}
