import Core
import Database
import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Covers that are changed at the same time", .blocksThreads)
struct SimultaneousCoversTests {
    private static let rounds = 12

    /// A cove of each person, in which the other one is an ADMIN too.
    private static func coves(_ server: TestServer, _ people: [TestServer.Person]) async throws -> [String] {
        var coves: [String] = []
        for (owner, other) in [(people[0], people[1]), (people[1], people[0])] {
            let made = try await server.sendJSON("POST", "/create-cove", ["name": "Chess club", "location": "Here"], as: owner)
            let cove = try #require((made.json()["cove"] as? [String: Any])?["id"] as? String, "\(made.text)")
            let requests: [(String, [String: Any], TestServer.Person)] = [
                ("/join-cove", ["coveId": cove], other), ("/cove-role", ["coveId": cove, "userId": other.id, "role": "ADMIN"], owner),
            ]
            for (path, body, person) in requests { try #require(try await server.sendJSON("POST", path, body, as: person).status == 200) }
            coves.append(cove)
        }
        return coves
    }

    @Test("two members who change the covers of each other's coves do not deadlock")
    func edits() async throws {
        let record = StatementRecord()
        try await TestServer.run(.shared, record: record) { server in
            let people = [try await server.person(), try await server.person("bob")]
            for (name, person) in zip(["Ada", "Bob"], people) { try await server.onboard(name, as: person) }
            let coves = try await Self.coves(server, people)
            let photos = try ["photo.jpg", "progressive.jpg"].map { try Fixture.data($0).base64EncodedString() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (person, cove) in zip(people, coves.reversed()) {
                    group.addTask {
                        for round in 0..<Self.rounds {
                            let body = ["coveId": cove, "coverPhoto": photos[round % 2]]
                            let answer = try await server.sendJSON("POST", "/edit-cove", body, as: person)
                            #expect(answer.status == 200, "\(answer.text)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            for person in people { #expect(try await server.checkedUsage(of: person).files == 1) }
        }
        // PostgreSQL aborts a write that deadlocks, and the write runs again.
        let writes = record.all.count { $0.text.hasPrefix("UPDATE cove SET name") }
        #expect(writes == 2 * Self.rounds)
    }
}
