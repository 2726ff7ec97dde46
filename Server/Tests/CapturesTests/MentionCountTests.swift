import Core
import Database
import KeepsakeWire
import Media
import TestKit
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Numbers of captures that mention contacts")
struct MentionCountTests {
    private static let start = Timestamp(seconds: 1_780_000_000)

    /// Stores a capture that mentions these people, or replaces the names of a stored one, as the job that files captures does.
    private static func file(
        _ id: String, _ names: [String], at time: Timestamp = start, owner: String, _ store: CaptureStore
    ) async throws {
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        let analysis = "{\"mentionedNames\":[\(list)]}"
        try await store.database.write { tx in
            try tx.run(
                """
                INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, analysis, version, created_at, row_bytes)
                VALUES (\(owner), \(id), \(time), 'UTC', '2026-06-01', 12, \(start), 'processed', \(analysis), 1, \(time), 0)
                ON CONFLICT (owner, id) DO UPDATE SET analysis = excluded.analysis, version = capture.version + 1
                """)
            try store.lockSummaries(of: owner, tx)
            let capture = try #require(try store.capture(id, owner: owner, tx))
            let growth = try store.mention(names, in: capture, tx)
            try store.library.note(rowBytes: growth, owner: owner, tx)
        }
    }

    private static func ids(_ statement: SQL, _ store: CaptureStore) async throws -> [String] {
        try await store.database.read { tx in try tx.rows(statement).map { try $0.get("id", as: String.self) } }
    }

    /// The ids of the contacts whose values differ from those of a full count.
    private static func wrong(of owner: String, _ store: CaptureStore) async throws -> [String] {
        let mentions: SQL = "FROM contact_mention WHERE contact_mention.contact = contact.id"
        return try await ids(
            """
            SELECT id FROM contact
            WHERE owner = \(owner) AND (
                mention_count <> (SELECT COUNT(*) \(sql: mentions)) OR first_seen > last_seen
                OR first_seen <> COALESCE((SELECT MIN(contact_mention.at) \(sql: mentions)), first_seen)
                OR last_seen <> COALESCE((SELECT MAX(contact_mention.at) \(sql: mentions)), last_seen)
                OR (mention_count = 0 AND by_user = 0 AND merged_into IS NULL))
            """, store)
    }

    @Test("after any filing, deletion, merge, split or edit they are what a full count gives", arguments: Engine.allCases)
    func random(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let store = server.backend.features[CapturesFeature.self].store
            let people = (0..<8).map { "Person \($0)" }
            var random = SplitMix64(seed: 11)
            var times: [String: Timestamp] = [:]
            for step in 0..<160 {
                let contacts = try await Self.ids(
                    "SELECT id FROM contact WHERE owner = \(owner) AND merged_into IS NULL ORDER BY id", store)
                let captures = times.keys.sorted()
                let names = Array(people.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
                let chosen = captures.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random))
                let (first, second) = (contacts.randomElement(using: &random), contacts.randomElement(using: &random))
                switch Int.random(in: 0..<10, using: &random) {
                case 5 where !chosen.isEmpty:
                    try await Self.file(chosen[0], names, at: times[chosen[0]] ?? Self.start, owner: owner, store)
                case 6 where !chosen.isEmpty:
                    #expect(try await store.delete(Array(chosen), owner: owner) == chosen.count)
                    for id in chosen { times[id] = nil }
                case 7:
                    guard let first, let second, first != second else { continue }
                    _ = try await store.merge(first, into: second, owner: owner)
                case 8:
                    guard let first else { continue }
                    let mentioning = try await Self.ids(
                        "SELECT capture AS id FROM contact_mention WHERE contact = \(first) ORDER BY at, capture LIMIT 3", store)
                    guard !mentioning.isEmpty else { continue }
                    let split = try await store.splitCaptures(mentioning, owner: owner)
                    let name = Bool.random(using: &random) ? "Other \(step)" : people[step % people.count]
                    _ = try await store.split(first, owner: owner, captures: split, name: name) { shown, _ in shown.contact.id }
                case 9:
                    guard let first else { continue }
                    let change = try ContactChange(EditKnownContactInput(id: first, notes: .set("Edited.")))
                    _ = try await store.edit(first, owner: owner, change)
                default:
                    let time = Self.start + .minutes(Int64.random(in: 0..<500, using: &random))
                    try await Self.file("c\(step)", names, at: time, owner: owner, store)
                    times["c\(step)"] = time
                }
                let wrong = try await Self.wrong(of: owner, store)
                #expect(wrong.isEmpty, "step \(step): \(wrong)")
            }
            // Control: the check finds a wrong number.
            try await store.database.write { tx in
                try tx.run("UPDATE contact SET mention_count = mention_count + 1 WHERE owner = \(owner)")
            }
            #expect(try await !Self.wrong(of: owner, store).isEmpty)
        }
    }

    @Test(
        "a name of more than 200 Unicode scalars makes no contact, and is not read if an earlier version has stored it",
        arguments: Engine.allCases)
    func longNames(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let store = server.backend.features[CapturesFeature.self].store
            // One name of 40 characters and one of 50; each character has several code points.
            let long = String(repeating: "a\u{301}\u{302}\u{303}\u{304}\u{306}", count: 40)
            let longest = String(repeating: "a\u{301}\u{302}\u{303}", count: 50)
            try await Self.file("c0", [long, longest], owner: owner, store)
            let names = try await store.database.read { tx in try store.contactNames(of: owner, tx) }
            #expect(names == [longest])
            try await store.database.write { tx in try tx.run("UPDATE contact SET name = \(long) WHERE owner = \(owner)") }
            let read = try await store.database.read { tx in try store.contactNames(of: owner, tx) }
            #expect(read.isEmpty)
        }
    }

    @Test("the server changes them once a write, and counts no mentions again")
    func statements() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let owner = try await server.person().id
            let store = server.backend.features[CapturesFeature.self].store
            let people = (0..<32).map { "Person \($0)" }
            for number in 0..<50 { try await Self.file("c\(number)", people, owner: owner, store) }
            func updates() -> Int { record.all.count { $0.text.hasPrefix("UPDATE contact SET mention_count") } }
            #expect(updates() == 50)
            #expect(try await store.delete((0..<50).map { "c\($0)" }, owner: owner) == 50)
            #expect(updates() == 51)
            #expect(try await Self.ids("SELECT id FROM contact WHERE owner = \(owner)", store).isEmpty)
        }
        let counts = record.all.map(\.text).filter { $0.contains("COUNT(") && $0.contains("FROM contact_mention") }
        #expect(counts.isEmpty, "\(counts)")
    }
}
