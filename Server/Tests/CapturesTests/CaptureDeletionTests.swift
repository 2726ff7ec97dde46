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

@Suite("Deletion of many captures", .blocksThreads)
struct CaptureDeletionTests {
    @Test("a write removes at most 256 KB of the texts of deleted captures")
    func parts() async throws {
        let record = StatementRecord()
        // One word of 99 KB. One write may delete the texts of two such captures.
        let text = String(repeating: "a", count: 99_000)
        let ids = (1...3).map { "c\($0)" }
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            for id in ids {
                let reply = try client.take(id, at: "2026-05-01T08:00:00Z", text)
                #expect(reply["type"] as? String == "ack", "\(reply)")
            }
            let answer = try await server.send("DELETE", "/captures?from=2026-05-01&to=2026-05-02", as: ada)
            #expect(answer.text == #"{"deleted":3}"#)
        }
        // Before each write, the server reads which captures it deletes.
        var writes: [[String]] = []
        for statement in record.all {
            if statement.text.hasPrefix("SELECT id, zone, day, hour, hour_start, row_bytes FROM capture") { writes.append([]) }
            guard statement.text.hasPrefix("DELETE FROM capture WHERE"), !writes.isEmpty else { continue }
            if case .text(let id)? = statement.sql.values.last { writes[writes.count - 1].append(id) }
        }
        #expect(writes.joined().sorted() == ids, "\(writes)")
        for write in writes { #expect(write.count * text.utf8.count <= 262_144, "\(writes)") }
    }

    @Test("a write changes at most 2 MB of summaries of hours, and chooses captures of the same hours first", arguments: Engine.allCases)
    func summaries(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let store = server.backend.features[CapturesFeature.self].store
            let times = ["08:00", "09:00", "08:30", "10:00"].map { "2026-05-01T\($0):00Z" }
            let batch = try times.enumerated().map { index, time in
                let at = Timestamp(microseconds: try #require(WireDate.parseMicroseconds(time)))
                return NewCapture(owner: ada.id, id: "c\(index)", message: CaptureMessage(id: "c\(index)", at: at))
            }
            #expect(try await store.take(batch, exactly: true).outcomes.allSatisfy { $0 == nil })
            let database = server.backend.database
            try await database.write { tx in
                try tx.run("DELETE FROM capture_hour WHERE owner = \(ada.id)")
                for hour in Set(try batch.map { try #require(try store.capture($0.id, owner: ada.id, tx)).hour }) {
                    try tx.run(
                        """
                        INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes)
                        VALUES (\(ada.id), \(hour.day), \(hour.start), \(hour.hour), \(hour.zone), 1, 1, 0, \(1_200_000))
                        """)
                }
            }
            #expect(try await store.ids(in: TimeRange.all, owner: ada.id) == ["c0", "c2"])
            try await database.run("UPDATE capture_hour SET row_bytes = 1000")
            #expect(try await store.ids(in: TimeRange.all, owner: ada.id) == ["c0", "c2", "c1", "c3"])
        }
    }

    @Test("a deletion stops when it may not continue, for example because its session has ended")
    func stopped() async throws {
        struct Stopped: Error {}
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let store = server.backend.features[CapturesFeature.self].store
            let now = server.clock.now
            let batch = (0...CaptureStore.deletedAtOnce).map { number in
                NewCapture(owner: ada.id, id: "c\(number)", message: CaptureMessage(id: "c\(number)", at: now))
            }
            #expect(try await store.take(batch, exactly: true).outcomes.allSatisfy { $0 == nil })
            var writes = 0
            await #expect(throws: Stopped.self) {
                _ = try await store.deleteAll(in: TimeRange.all, owner: ada.id) {
                    writes += 1
                    if writes == 2 { throw Stopped() }
                }
            }
            #expect(try await store.ids(in: TimeRange.all, owner: ada.id).count == 1)
            #expect(try await store.deleteAll(in: TimeRange.all, owner: ada.id) {} == 1)
        }
    }

    @Test("once the ids of many deleted captures are remembered, further ones are remembered for a day", arguments: Engine.allCases)
    func manyTombstones(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            var limited = server.backend.features[CapturesFeature.self].store
            limited.maxTombstones = 2
            let store = limited
            let now = server.clock.now
            for (owner, ids) in [(ada.id, ["a", "b", "c"]), (eve.id, ["a"])] {
                let batch = ids.map { NewCapture(owner: owner, id: $0, message: CaptureMessage(id: $0, at: now)) }
                let outcomes = try await store.take(batch, exactly: true).outcomes
                #expect(outcomes.allSatisfy { $0 == nil }, "\(outcomes)")
                for id in ids { #expect(try await store.delete([id], owner: owner) == 1) }
            }
            let ends: [Timestamp] = try await server.backend.database.read { tx in
                try tx.rows("SELECT expires_at FROM capture_tombstone ORDER BY expires_at").map { try $0.get("expires_at") }
            }
            // The last capture of ada has the short time.
            #expect(ends == [now + .days(1), now + .days(90), now + .days(90), now + .days(90)])
        }
    }

    /// Inserts rows into each table of the feature that an account's deletion empties. Each row has the size that counts against the quota.
    private static func fill(_ owner: String, _ server: TestServer) async throws {
        let now = server.clock.now
        try await server.backend.database.write { tx in
            for number in 0..<10 {
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
                    VALUES (\(owner), \("c\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', 1, \(now), 500000)
                    """)
            }
            for number in 0..<3 {
                try tx.send(
                    """
                    INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes)
                    VALUES (\(owner), '2026-06-01', \(now), \(number), 'UTC', 1, 1, 0, 3000000)
                    """)
            }
            for number in 1...2 {
                try tx.send(
                    """
                    INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, row_bytes)
                    VALUES (\(owner), \("2026-06-0\(number)"), 'UTC', 1, 1, 0, 20000)
                    """)
            }
            for number in 0..<5 {
                try tx.send(
                    """
                    INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                    VALUES (\("\(owner) \(number)"), \(owner), 'n', \(now), \(now), 0, 1, 1000000)
                    """)
                try tx.send("INSERT INTO contact_name (owner, name) VALUES (\(owner), \("n\(number)"))")
            }
            try tx.send(
                "INSERT INTO capture_tombstone (hash, owner, expires_at) VALUES (\("hash of " + owner), \(owner), \(now + .days(1)))")
        }
    }

    @Test("an account's captures, summaries and contacts are erased in steps of at most 2 MB of counted bytes", arguments: Engine.allCases)
    func erasure(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            for person in [ada, eve] { try await Self.fill(person.id, server) }
            let store = server.backend.features[CapturesFeature.self].store
            var steps: [Int] = []
            repeat {
                steps.append(try await store.database.write { tx in try store.eraseSome(of: ada.id, limit: 100, tx) })
            } while steps.last != 0
            // The store erases captures, then names and tombstones, then hours, days and contacts.
            #expect(steps == [4, 4, 2, 6, 1, 1, 1, 2, 2, 2, 1, 0])
            for table: SQL in ["capture", "capture_hour", "capture_day", "contact", "contact_name", "capture_tombstone"] {
                let owners = try await store.database.read { tx in
                    try tx.rows("SELECT DISTINCT owner FROM \(sql: table)").map { try $0.get("owner", as: String.self) }
                }
                #expect(owners == [eve.id])
            }
        }
    }

    @Test("contacts merged into a deleted one are deleted before it, in steps of at most 2 MB of counted bytes", arguments: Engine.allCases)
    func merged(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let (ada, now) = (try await server.person(), server.clock.now)
            try await server.backend.database.write { tx in
                for number in 0..<6 {
                    let other: String? = number == 0 ? nil : "p0"
                    try tx.send(
                        """
                        INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, merged_into, row_bytes)
                        VALUES (\("p\(number)"), \(ada.id), 'n', \(now), \(now), 0, 1, \(other), 900000)
                        """)
                }
                try tx.send(
                    """
                    INSERT INTO media_usage (account, byte_count, file_count, row_bytes) VALUES (\(ada.id), 0, 0, 5400007)
                    ON CONFLICT (account) DO UPDATE SET row_bytes = excluded.row_bytes
                    """)
            }
            // `p3` was merged into `p0`, so its id stands for `p0`, also while the merged contacts are deleted.
            let answer = try await server.send("DELETE", "/contacts/known/p3", as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            let (contacts, left) = try await server.backend.database.read { tx in
                (
                    try tx.rows("SELECT id FROM contact").count,
                    try tx.row("SELECT row_bytes FROM media_usage WHERE account = \(ada.id)")?.get("row_bytes", as: Int64.self)
                )
            }
            #expect(contacts == 0 && left == 7)
        }
        // Three steps delete the merged contacts: two, two and one.
        #expect(record.all.count { $0.text.hasPrefix("DELETE FROM contact WHERE merged_into") } == 3)
    }
}
