import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import Accounts
@testable import Capsules
@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import keepsake

/// Rows and texts count against the quota, as files do.
@Suite("The quota of rows and texts", .blocksThreads)
struct RowQuotaTests {
    /// A mood of the largest size that the rules allow; all of its words differ.
    static func largest(_ number: Int) -> [(String, String)] {
        func words(_ count: Int, _ seed: Int) -> String {
            var generator = SplitMix64(seed: UInt64(number * 31 + seed))
            var text = ""
            while text.utf8.count < count { text += String(generator.next() % 60_466_176, radix: 36) + " " }
            return String(text.prefix(count - 1)) + "x"
        }
        let tags = (0..<50).map { "\(number % 7)-\($0)-" + words(50, $0) }
        let interests = (0..<50).map { "\($0)-" + words(50, 100 + $0) }
        return [
            ("mood", words(64, 1_000)), ("note", words(10_000, 1_001)), ("reason", words(2_000, 1_002)),
            ("tags", tags.joined(separator: ",")), ("interests", interests.joined(separator: ",")), ("category", words(64, 1_003)),
        ]
    }

    @Test("moods of the largest size stop at the quota, and so does the growth of the database", arguments: StoragePair.allCases)
    func largestMoods(_ pair: StoragePair) async throws {
        let quota: Int64 = 2 * 1_048_576
        try await TestServer.run(pair) {
            $0.quotaByteCount = quota
        } _: { server in
            let ada = try await server.person()
            let before = try await Self.databaseSize(server.backend.database, pair)
            var made: [String] = []
            var refused = 0
            for number in 0..<590 where refused < 3 {
                let answer = try await server.create("moods", Self.largest(number), as: ada)
                if answer.status == 200 {
                    made.append(try answer.decode(MoodResponse.self).mood.id)
                } else {
                    #expect(answer.status == 413 && answer.text.contains("quota"), "\(answer.text)")
                    refused += 1
                }
            }
            #expect(refused == 3 && (8...20).contains(made.count), "\(made.count) moods")
            let usage = try await server.checkedUsage(of: ada)
            #expect(usage.total <= quota)
            let grown = try await Self.databaseSize(server.backend.database, pair) - before
            print("\(made.count) largest moods on \(pair): \(usage.rowBytes) B counted, the database grew by \(grown) B")
            // PostgreSQL's index of words that all differ is larger than the estimate.
            #expect(grown < (pair == .embedded ? 5 : 10) * quota / 4, "\(grown)")
            // Deleting a mood frees its quota at once.
            #expect(try await server.send("DELETE", server.moments(ada, "moods/\(made[0])"), as: ada).status == 200)
            #expect(try await server.create("moods", Self.largest(1), as: ada).status == 200)
            // At the quota an entry can be shortened, but not extended.
            let path = server.moments(ada, "moods/\(made[1])")
            func update(_ body: String) async throws -> Int {
                try await server.send(
                    "PATCH", path, as: ada, headers: [("Content-Type", "application/json")], body: Data(body.utf8)
                ).status
            }
            #expect(try await update(#"{"note":"short"}"#) == 200)
            _ = try await server.checkedUsage(of: ada)
            while try await server.create("moods", [("mood", "x")], as: ada).status == 200 {}
            #expect(try await update(#"{"note":"\#(String(repeating: "long ", count: 1_990))"}"#) == 413)
            #expect(try await server.send("GET", path, as: ada).decode(MoodResponse.self).mood.note == "short")
            _ = try await server.checkedUsage(of: ada)
            // Other accounts have their own quota.
            let eve = try await server.person("eve")
            #expect(try await server.create("moods", Self.largest(3), as: eve).status == 200)
        }
    }

    @Test("64 concurrent creations near the quota's limit never exceed it", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        let quota: Int64 = 1_048_576
        try await TestServer.run(pair) {
            $0.quotaByteCount = quota
        } _: { server in
            let ada = try await server.person()
            let note = String(repeating: "a word ", count: 1_400)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    group.addTask { try await server.create("moods", [("mood", "x"), ("note", note)], as: ada).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            let usage = try await server.checkedUsage(of: ada)
            let cost = RowBytes.count(searchable: ["x", String(note.dropLast())], tags: [], plain: ["general"])
            #expect(Set(statuses) == [200, 413])
            // The server stored exactly as many moods as fit.
            #expect(usage.rowBytes == quota / cost * cost, "\(usage)")
            #expect(statuses.count { $0 == 200 } == quota / cost)
        }
    }

    @Test("after any sequence of writes, the stored use equals the recounted use", arguments: StoragePair.allCases)
    func balance(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var generator = SplitMix64(seed: 11)
            func text(_ most: Int) -> String { String(repeating: "wörd ", count: Int(generator.next() % UInt64(most)) + 1) + "é" }
            var entries: [String] = []
            for step in 0..<90 {
                let kind = ["moods", "memories", "events"][Int(generator.next() % 3)]
                switch generator.next() % 9 {
                case 0, 1, 2:
                    var fields = [("tags", "a,b\(step),c"), ("note", text(50)), ("description", text(50)), ("category", "c\(step % 3)")]
                    fields += kind == "moods" ? [("mood", text(3)), ("interests", "x,y"), ("reason", text(9))] : [("title", text(5))]
                    if kind == "events" { fields.append(("date", "2026-12-31T20:00:00Z")) }
                    let answer = try await server.create(
                        kind, fields, files: step % 2 == 0 ? [.photo] : [], as: ada, key: step % 3 == 0 ? "k\(step)" : nil)
                    #expect(answer.status == 200, "\(answer.text)")
                    let object = try answer.json().values.compactMap { ($0 as? [String: Any])?["id"] as? String }.first
                    entries.append(server.moments(ada, "\(kind)/\(try #require(object))"))
                case 3:
                    var body = MultipartBody()
                    for (name, value) in [("title", text(5)), ("tags", "t\(step),u"), ("description", text(20))] { body.add(name, value) }
                    body.add("file", fileName: "ä\(step).mp4", Film.bytes(500 + step))
                    body.close()
                    let files = try await server.upload(body, as: ada).decode(UploadResponse.self).files
                    entries.append(server.moments(ada, "multimedia/\(files[0].data.fileId)"))
                case 4:
                    let upload = try await server.makeCapsule(1_000, as: ada)
                    entries.append("/v0/capsules/\(upload.capsule.id)")
                case 5, 6:
                    guard let path = entries.randomElement(using: &generator), !path.hasPrefix("/v0") else { continue }
                    var change: [String: Any] = ["tags": ["a", "n\(step)"], "category": NSNull()]
                    change[path.contains("/moods/") ? "note" : "description"] = step % 2 == 0 ? text(60) : NSNull()
                    let answer = try await server.send(
                        "PATCH", path, as: ada, headers: [("Content-Type", "application/json")],
                        body: try JSONSerialization.data(withJSONObject: change))
                    #expect(answer.status == 200, "\(path) \(answer.text)")
                default:
                    guard let index = entries.indices.randomElement(using: &generator) else { continue }
                    #expect(try await server.send("DELETE", entries.remove(at: index), as: ada).status == 200)
                }
                if step % 15 == 0 { _ = try await server.checkedUsage(of: ada) }
            }
            #expect(try await server.checkedUsage(of: ada).rowBytes > 0)
            for path in entries { #expect(try await server.send("DELETE", path, as: ada).status == 200) }
            // Only stored responses for idempotency keys are left, which the server keeps for 30 days.
            #expect(try await server.checkedUsage(of: ada).rowBytes > 0)
            server.clock.advance(by: .days(31))
            try await IdempotencyStore(
                database: server.backend.database, clock: server.clock.wall,
                count: server.backend.media.library.count(rowBytes:owner:_:)
            ).sweep()
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
        }
    }

    @Test(
        "rows from before rows were counted are counted once, also after an interruption and during other writes",
        arguments: StoragePair.allCases)
    func olderRows(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let people = [try await server.person("ada"), try await server.person("eve")]
            var moods: [String] = []
            for index in 0..<12 {
                let person = people[index % 2]
                let mood = try await server.mood([("mood", "old \(index)"), ("note", "n"), ("tags", "t")], as: person)
                moods.append(server.moments(person, "moods/\(mood.id)"))
                _ = try await server.upload(.file("\(index).mp4", Film.bytes(500 + index)), as: person)
                _ = try await server.makeCapsule(1_000, as: person)
            }
            let store = server.backend.media.store
            let counters = Features.types.flatMap { $0.rowCounters }
            let paths = moods
            // The server's start found no rows to count and recorded that.
            try await store.countOlderRows(counters)
            for counter in counters { #expect(try await !store.countSomeOlderRows(counter, limit: 3)) }
            // Restores the state of an installation from before rows were counted.
            try await server.backend.database.write { tx in
                for table in ["media", "moment", "capsule"] as [StaticString] {
                    try tx.run("UPDATE \(sql: SQL(stringLiteral: table)) SET row_bytes = NULL")
                }
                try tx.run("UPDATE media_usage SET row_bytes = 0")
                try tx.run("UPDATE row_pass SET after = '', is_done = 0")
            }
            #expect(try await store.countSomeOlderRows(MomentsFeature.rowCounters[0], limit: 3))
            // Writes concurrently to rows that were counted and to rows that were not.
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.countOlderRows(counters) }
                group.addTask {
                    for (index, path) in paths.enumerated() {
                        let owner = people[index % 2]
                        if index % 3 == 0 {
                            let status = try await server.send("DELETE", path, as: owner).status
                            #expect(status == 200)
                        } else {
                            let body = Data(#"{"note":"a longer note \#(index)"}"#.utf8)
                            let headers = [("Content-Type", "application/json")]
                            let status = try await server.send("PATCH", path, as: owner, headers: headers, body: body).status
                            #expect(status == 200)
                        }
                    }
                }
                group.addTask { for _ in 0..<6 { _ = try await server.mood([("mood", "new")], as: people[0]) } }
                try await group.waitForAll()
            }
            for person in people {
                let usage = try await server.checkedUsage(of: person)
                #expect(usage.rowBytes > 18 * RowBytes.row, "\(usage)")
            }
            for counter in counters {
                #expect(try await !store.countSomeOlderRows(counter, limit: 3))
                let plan = try await QueryPlan(counter.ids("x", 3), on: server.backend.database)
                #expect(plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("a database with rows is migrated, and its rows are counted", arguments: StoragePair.allCases)
    func migration(_ pair: StoragePair) async throws {
        let stores = try TestStores(pair)
        let database = try await stores.open()
        // The last migration uses the column that the other three add.
        let new: Set = ["media/006-row-bytes", "moments/003-row-bytes", "capsules/002-row-bytes", "media/017-dead-blobs"]
        let all = Backend.migrations
        try await database.migrate(all.filter { !new.contains($0.name) })
        try await database.write { tx in
            try tx.run("INSERT INTO account (id, created_at) VALUES ('ada', 1)")
            try tx.run("INSERT INTO media_usage (account, byte_count, file_count) VALUES ('ada', 77, 1)")
            for index in 0..<5 {
                try tx.run(
                    """
                    INSERT INTO moment (id, owner, kind, created_at, happened_at, category, tags, mood, note, interests)
                    VALUES (\("m\(index)"), 'ada', 'mood', 1, 1, 'c', '[]', 'calm', 'a note', '[]')
                    """)
            }
        }
        try await database.migrate(all)
        try await database.close()
        // The server counts the rows after it starts.
        try await TestServer.run(pair, on: stores) { server in
            let expected = 5 * RowBytes.count(searchable: ["calm", "a note"], tags: [], plain: ["c"])
            for _ in 0..<200 {
                let usage = try await server.backend.database.read { tx in try QuotaUsage.kept(of: "ada", tx) }
                if usage.rowBytes == expected {
                    #expect(usage.fileBytes == 77 && usage.reservedBytes == 0)
                    return
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            Issue.record("the older rows were not counted within 4 s")
        }
        withExtendedLifetime(stores) {}
    }

    @Test("the counted size of rows is close to the size they take in the database", arguments: StoragePair.allCases)
    func estimate(_ pair: StoragePair) async throws {
        // Enough rows of each kind that whole pages do not distort the measurement.
        let notes: [(name: String, count: Int, fields: @Sendable (Int) -> [(String, String)])] = [
            ("short moods", 80, { [("mood", "calm"), ("note", "walked by the lake, \($0)")] }),
            (
                "long notes of common words", 12,
                { _ in [("mood", "calm"), ("note", String(repeating: "and then we went home ", count: 450))] }
            ),
            ("long notes of words that all differ", 12, { [("mood", "calm")] + Self.largest($0).filter { $0.0 == "note" } }),
            ("largest moods", 8, { Self.largest($0) }),
        ]
        // Rows of earlier tests would have left space in reused tables.
        try await TestServer.run(pair, tables: nil) { server in
            for note in notes {
                let ada = try await server.person()
                // The first rows allocate space, for example index pages, that must not count here.
                for number in 0..<2 { _ = try await server.mood(note.fields(1_000 + number), as: ada) }
                let before = try await Self.databaseSize(server.backend.database, pair)
                let counted = try await server.checkedUsage(of: ada).rowBytes
                for number in 0..<note.count { _ = try await server.mood(note.fields(number), as: ada) }
                let grown = try await Self.databaseSize(server.backend.database, pair) - before
                let more = try await server.checkedUsage(of: ada).rowBytes - counted
                let count = Int64(note.count)
                let ratio = Double(grown) / Double(more)
                print("\(note.name) on \(pair): counted \(more / count) B each, the database grew by \(grown / count) B each, \(ratio)")
                let expected = pair == .embedded ? 0.25...1.3 : 0.03...2.6
                #expect(expected.contains(ratio), "\(note.name): \(ratio)")
            }
        }
    }

    /// The size of all tables and indexes in bytes.
    private static func databaseSize(_ database: any Database, _ pair: StoragePair) async throws -> Int64 {
        let sql: SQL =
            switch pair.engine {
            case .sqlite: "SELECT page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()"
            case .postgres:
                """
                SELECT CAST(SUM(pg_total_relation_size(c.oid)) AS BIGINT) AS size FROM pg_class AS c
                JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'
                """
            }
        return try await database.read { tx in try tx.row(sql)!.get("size") }
    }
}
