import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

/// How long a split occupies the writer, which all accounts share.
@Suite("Splits beside the writes of others", .blocksThreads)
struct ContactSplitTests {
    /// Stores captures `c0`, `c1`, …, the first of which mention the contact `john`.
    private static func fill(_ server: TestServer, _ owner: String, count: Int, mentioning: Int) async throws {
        let now = server.clock.now
        try await server.backend.database.write { tx in
            try tx.send(
                """
                INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                VALUES ('john', \(owner), 'John', \(now), \(now), \(Int64(mentioning)), 0, 1)
                """)
            let key = StoredContact.key("John", of: owner)
            try tx.send("INSERT INTO contact_name (owner, name, contact) VALUES (\(owner), \(key), 'john')")
            for number in 0..<count {
                let id = "c\(number)"
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, analysis, version, created_at, row_bytes)
                    VALUES (\(owner), \(id), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', '{"mentionedNames":["John"]}', 1,
                        \(now), 1)
                    """)
                guard number < mentioning else { continue }
                try tx.send("INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(owner), \(id), 'john', \(now))")
            }
        }
    }

    private static func split(_ server: TestServer, _ ids: [String], as person: TestServer.Person) async throws -> TestServer.Answer {
        try await server.sendJSON("POST", "/contacts/known/john/split", ["captureIds": ids, "name": "John Smith"], as: person)
    }

    @Test("a write gives at most 50 captures to the other person, and all of them get there")
    func writes() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await Self.fill(server, ada.id, count: 130, mentioning: 120)
            let begin = record.all.count
            let answer = try await Self.split(server, (0..<130).map { "c\($0)" }, as: ada)
            try #require(answer.status == 200, "\(answer.text)")
            let smith = try Surface.captures.makeDecoder().decode(KnownContact.self, from: answer.body)
            #expect(smith.name == "John Smith" && smith.mentionCount == 120)
            var (inWrite, most, total) = (0, 0, 0)
            for statement in record.all.dropFirst(begin) {
                if statement.text.hasPrefix("INSERT INTO contact_mention") {
                    inWrite += 1
                    total += 1
                    most = max(most, inWrite)
                }
                // Each write updates the counts of both contacts at its end.
                if statement.text.hasPrefix("UPDATE contact SET mention_count") { inWrite = 0 }
            }
            #expect(total == 120 && most == CaptureStore.splitCount)
            let pins = try await server.backend.database.read { tx in
                try tx.rows("SELECT capture FROM contact_pin WHERE contact = \(smith.id)").count
            }
            #expect(pins == 120)
        }
    }

    @Test("a split that is refused reads no captures and writes nothing")
    func refused() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await Self.fill(server, ada.id, count: 60, mentioning: 10)
            let begin = record.all.count
            let answer = try await Self.split(server, (10..<60).map { "c\($0)" }, as: ada)
            #expect(answer.status == 400 && answer.header("Error-Field") == "captureIds", "\(answer.text)")
            let texts = record.all.dropFirst(begin).map(\.text)
            // Control: the statements of the request are in the record.
            let isChecked = texts.contains { $0.contains("FROM contact_mention") }
            #expect(isChecked)
            let isRead = texts.contains { $0.contains("FROM capture WHERE") && $0.contains("id IN") }
            #expect(!isRead, "\(texts)")
            let isWritten = texts.contains { $0.contains("contact_pin") || $0.hasPrefix("UPDATE contact ") }
            #expect(!isWritten, "\(texts)")
        }
    }

    @Test(
        "if the other person's contact is deleted or merged between two writes, no capture gets a contact that is not there",
        arguments: Engine.allCases)
    func meanwhile(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(server, ada.id, count: 2, mentioning: 2)
            let store = server.backend.features[CapturesFeature.self].store
            let now = server.clock.now
            try await store.database.write { tx in
                // A contact that was merged into `john`, one that is being deleted, one that was merged into `nora`, and `nora`.
                let others: [(id: String, mergedInto: String?)] = [("back", "john"), ("gone", ""), ("moved", "nora"), ("nora", nil)]
                for other in others {
                    try tx.send(
                        """
                        INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, merged_into, row_bytes)
                        VALUES (\(other.id), \(ada.id), \(other.id), \(now), \(now), 0, 1, \(other.mergedInto), 1)
                        """)
                }
            }
            let captures = try await store.splitCaptures(["c0", "c1"], owner: ada.id)
            let person = CaptureStore.OtherPerson(name: "John Smith", firstSeen: now)
            func give(to target: String) async throws -> String? {
                try await store.database.write { tx in try store.give(captures, of: "john", owner: ada.id, to: person, target, tx)?.0.id }
            }
            for target in ["back", "gone", "unknown"] {
                await #expect { _ = try await give(to: target) } throws: { ($0 as? Problem)?.kind == .conflict }
            }
            #expect(try await give(to: "moved") == "nora")
            let mentioned = try await store.database.read { tx in
                try ["c0", "c1"].map { try store.mentioned(in: $0, owner: ada.id, tx) }
            }
            #expect(mentioned == [["nora"], ["nora"]])
        }
    }
}
