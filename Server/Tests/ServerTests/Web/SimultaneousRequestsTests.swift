import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

/// An app that was offline sends what it has collected all at once.
@Suite("Many requests of one account at the same moment", .blocksThreads)
struct SimultaneousRequestsTests {
    private typealias Send = @Sendable (Int) async throws -> TestServer.Answer

    /// Sends requests at the same moment, and expects that each is answered with 200.
    private static func sendAtOnce(_ name: String, _ count: Int, _ send: @escaping Send) async throws {
        let refused = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<count {
                group.addTask {
                    let answer = try await send(number)
                    return answer.status == 200 ? nil : "\(answer.status) \(answer.text.prefix(200))"
                }
            }
            return try await group.reduce(into: [String]()) { if let refusal = $1 { $0.append(refusal) } }
        }
        #expect(refused.isEmpty, "\(name): \(refused.count) of \(count), such as \(refused.first ?? "")")
    }

    @Test("none is refused, lost or doubled, with the usual rate limits", arguments: Engine.allCases)
    func oneAccount(_ engine: Engine) async throws {
        try await TestServer.run(engine) {
            $0.rateLimits = RateLimits()
        } _: { server in
            let ada = try await server.person()
            try await Self.sendAtOnce("moods", 30) { number in
                try await server.create("moods", [("mood", "happy"), ("note", "Note \(number)")], as: ada)
            }
            try await Self.sendAtOnce("capsules", 60) { number in
                try await server.createCapsule(["duration": 30, "file_size": 1_000 + number], as: ada)
            }
            try await Self.sendAtOnce("chats", 60) { number in
                let body: [String: Any] = ["text": "What did I note on day \(number)?", "conversationId": NSNull()]
                return try await server.sendJSON("POST", "/api/chat/agents/chat/google", body, as: ada)
            }
            try await Self.sendAtOnce("lists", 60) { _ in
                try await server.send("GET", server.moments(ada, "moods?limit=30"), as: ada)
            }
            let moods = try await server.send("GET", server.moments(ada, "moods?limit=50"), as: ada)
            for number in 0..<30 { #expect(moods.text.components(separatedBy: "\"Note \(number)\"").count == 2, "\(number)") }
            let (capsules, chats) = try await server.backend.database.read { tx in
                let capsules: Int = try tx.row("SELECT COUNT(*) AS n FROM capsule WHERE owner = \(ada.id)")!.get("n")
                let chats: Int = try tx.row("SELECT COUNT(*) AS n FROM chat_conversation WHERE owner = \(ada.id)")!.get("n")
                return (capsules, chats)
            }
            #expect(capsules == 60 && chats == 60)
        }
    }
}
