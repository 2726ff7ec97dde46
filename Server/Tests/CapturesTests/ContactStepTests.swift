import Core
import Database
import KeepsakeWire
import Media
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Merges and deletions of contacts in steps", .blocksThreads)
struct ContactStepTests {
    private static let now = Timestamp(seconds: 1_780_000_000)

    private static func insert(_ id: String, into other: String? = nil, face: String? = nil, owner: String, _ tx: WriteTransaction) throws {
        try tx.send(
            """
            INSERT INTO contact (id, owner, name, face_capture, first_seen, last_seen, mention_count, by_user, merged_into, row_bytes)
            VALUES (\(id), \(owner), \(id), \(face), \(now), \(now), 0, 0, \(other), 10)
            """)
    }

    /// Stores the contacts `john` and `maria`. `john` has 1,200 names and 1,200 captures with a pinned name each; 250 contacts are merged
    /// into him.
    private static func fill(_ owner: String, _ server: TestServer) async throws {
        try await server.backend.database.write { tx in
            for id in ["john", "maria"] { try insert(id, owner: owner, tx) }
            for number in 0..<250 { try insert("m\(number)", into: "john", owner: owner, tx) }
            for number in 0..<1_200 {
                let (id, time) = ("c\(number)", now + .minutes(Int64(number)))
                try tx.send("INSERT INTO contact_name (owner, name, contact) VALUES (\(owner), \("n\(number)"), 'john')")
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
                    VALUES (\(owner), \(id), \(time), 'UTC', '2026-06-01', 12, \(now), 'processed', 1, \(now), 0)
                    """)
                try tx.send("INSERT INTO contact_pin (owner, capture, name, contact) VALUES (\(owner), \(id), 'n', 'john')")
                try tx.send("INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(owner), \(id), 'john', \(time))")
            }
            try tx.send("UPDATE contact SET mention_count = 1200 WHERE id = 'john'")
            try tx.send(
                """
                INSERT INTO media_usage (account, byte_count, file_count, row_bytes) VALUES (\(owner), 0, 0, 2527)
                ON CONFLICT (account) DO UPDATE SET row_bytes = excluded.row_bytes
                """)
        }
    }

    /// The number of rows that lead to the contact, for each table.
    private static func counts(of contact: String, _ server: TestServer) async throws -> [Int] {
        let statements: [SQL] = [
            "SELECT name FROM contact_name WHERE contact = \(contact)", "SELECT name FROM contact_pin WHERE contact = \(contact)",
            "SELECT capture FROM contact_mention WHERE contact = \(contact)", "SELECT id FROM contact WHERE merged_into = \(contact)",
        ]
        return try await server.backend.database.read { tx in try statements.map { try tx.rows($0).count } }
    }

    /// The most rows that each statement with this beginning may change. This limit is the statement's last value.
    private static func limits(_ beginning: String, _ record: StatementRecord) -> [Int64] {
        record.all.filter { $0.text.hasPrefix(beginning) }.compactMap { statement -> Int64? in
            guard case .integer(let limit)? = statement.sql.values.last else { return nil }
            return limit
        }
    }

    private static func expectSteps(_ beginnings: [String], _ record: StatementRecord) {
        for beginning in beginnings {
            let limits = Self.limits(beginning, record)
            #expect(limits.count >= 3 && limits.allSatisfy { $0 <= CaptureStore.mergeCount }, "\(beginning): \(limits)")
        }
    }

    @Test("a write of a merge moves at most 500 names and captures, and at most 100 merged contacts", arguments: Engine.allCases)
    func merge(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let owner = try await server.person().id
            try await Self.fill(owner, server)
            let store = server.backend.features[CapturesFeature.self].store
            let merged = try #require(try await store.merge("john", into: "maria", owner: owner))
            #expect(merged.contact.id == "maria" && merged.contact.mentionCount == 1_200 && merged.contact.isByUser)
            #expect(merged.contact.firstSeen == Self.now && merged.contact.lastSeen == Self.now + .minutes(1_199))
            #expect(try await Self.counts(of: "john", server) == [0, 0, 0, 0])
            // 251 contacts are merged into `maria`: the 250 of `john`, and `john`.
            #expect(try await Self.counts(of: "maria", server) == [1_200, 1_200, 1_200, 251])
            for id in ["john", "m7"] { #expect(try await store.contact(id, owner: owner)?.id == "maria") }
        }
        let additions = "INSERT INTO contact_mention (owner, capture, contact, at)\nSELECT"
        Self.expectSteps(["UPDATE contact_name SET contact", "UPDATE contact_pin SET contact", additions], record)
        #expect(record.all.count { $0.text.hasPrefix("UPDATE contact SET merged_into") && $0.text.contains("IN (") } == 3)
    }

    @Test("a write of a deletion removes at most 500 names and captures", arguments: Engine.allCases)
    func deletion(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let owner = try await server.person().id
            try await Self.fill(owner, server)
            let store = server.backend.features[CapturesFeature.self].store
            #expect(try await store.deleteContact("john", owner: owner))
            #expect(try await !store.deleteContact("john", owner: owner))
            #expect(try await Self.counts(of: "john", server) == [0, 0, 0, 0])
            let (contacts, forgotten, left) = try await server.backend.database.read { tx in
                (
                    try tx.rows("SELECT id FROM contact").map { try $0.get("id", as: String.self) },
                    try tx.rows("SELECT name FROM contact_name WHERE contact IS NULL").count,
                    try tx.row("SELECT row_bytes FROM media_usage WHERE account = \(owner)")?.get("row_bytes", as: Int64.self)
                )
            }
            #expect(contacts == ["maria"] && forgotten == 1_200 && left == 17)
        }
        Self.expectSteps(["UPDATE contact_name SET contact", "DELETE FROM contact_pin", "DELETE FROM contact_mention"], record)
    }

    @Test("a contact whose deletion was interrupted is nowhere to be seen, and the upkeep deletes the rest", arguments: Engine.allCases)
    func interruption(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let owner = ada.id
            let store = server.backend.features[CapturesFeature.self].store
            try await Self.fill(owner, server)
            let key = StoredContact.key("John", of: owner)
            try await store.database.write { tx in
                try tx.run("UPDATE contact_name SET name = \(key) WHERE owner = \(owner) AND name = 'n0'")
                try tx.run(CaptureStore.hide("john", owner: owner))
            }
            #expect(try await server.contacts(as: ada).map(\.id) == ["maria"])
            for id in ["john", "m7"] {
                #expect(try await server.send("GET", "/captures?contact=\(id)", as: ada).status == 404)
                #expect(try await server.send("DELETE", "/contacts/known/\(id)", as: ada).status == 404)
                let isMerged = try await store.merge(id, into: "maria", owner: owner) != nil
                #expect(!isMerged)
            }
            let names = try await store.database.read { tx in try store.names(of: ["john", "m7", "maria"], owner: owner, tx) }
            #expect(names == ["maria": "maria"])
            // The name is free for another contact.
            let answer = try await server.sendJSON("PATCH", "/contacts/known/maria", ["name": "John"], as: ada)
            #expect(answer.status == 200, "\(answer.text)")
            try await store.finishDeletions()
            #expect(try await Self.counts(of: "john", server) == [0, 0, 0, 0])
            let named = try await store.database.read { tx in try store.contact(named: key, owner: owner, tx)?.id }
            #expect(named == "maria")
            #expect(try await server.contacts(as: ada).map(\.name) == ["John"])
        }
    }

    @Test("the last 100 former names that its user gave a contact lead to it, and count against the quota", arguments: Engine.allCases)
    func formerNames(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let owner = ada.id
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                try Self.insert("john", owner: owner, tx)
                // Two names that captures mention, and 104 that the user gave.
                for name in ["heard", "also heard"] { try tx.run(CaptureStore.setName(name, contact: "john", owner: owner)) }
                for number in Int64(0)..<104 {
                    try tx.run(CaptureStore.giveName("n\(number)", to: "john", at: Self.now + .minutes(number), owner: owner))
                }
                try tx.run(CaptureStore.giveName("heard", to: "john", at: Self.now, owner: owner))
                try tx.run("UPDATE contact SET row_bytes = 100000 WHERE id = 'john'")
                try tx.send(
                    """
                    INSERT INTO media_usage (account, byte_count, file_count, row_bytes) VALUES (\(owner), 0, 0, 100000)
                    ON CONFLICT (account) DO UPDATE SET row_bytes = excluded.row_bytes
                    """)
            }
            func rename(_ name: String) async throws -> Int64 {
                #expect(try await server.sendJSON("PATCH", "/contacts/known/john", ["name": name], as: ada).status == 200)
                return try #require(try await store.contact("john", owner: owner)).rowBytes
            }
            // The new name is added, and the four oldest given names beyond the last 100 are removed.
            let bytes = try await rename("Jon")
            #expect(bytes == 100_000 - 1 - 3 * StoredContact.nameBytes)
            let names: Set<String> = try await store.database.read { tx in
                Set(try tx.rows("SELECT name FROM contact_name WHERE contact = 'john'").map { try $0.get("name", as: String.self) })
            }
            let current = StoredContact.key("Jon", of: owner)
            #expect(names == Set((4..<104).map { "n\($0)" } + ["heard", "also heard", current]))
            // The names of a merged contact always lead to the contact into which it was merged.
            try await store.database.write { tx in try Self.insert("maria", owner: owner, tx) }
            _ = try await store.merge("john", into: "maria", owner: owner)
            let given = try await store.database.read { tx in
                try tx.rows("SELECT name FROM contact_name WHERE given_at IS NOT NULL").count
            }
            #expect(given == 0)
            try await store.database.write { tx in try store.library.note(rowBytes: 10, owner: owner, tx) }
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a name that the user gave a contact, and that captures mention afterwards, always leads to it", arguments: Engine.allCases)
    func mentionedNames(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let store = server.backend.features[CapturesFeature.self].store
            let key = StoredContact.key("Johnny", of: owner)
            let forgotten = try await store.database.write { tx -> Int in
                try Self.insert("john", owner: owner, tx)
                try tx.run(CaptureStore.giveName(key, to: "john", at: Self.now, owner: owner))
                for number in Int64(0)...100 {
                    try tx.run(CaptureStore.giveName("n\(number)", to: "john", at: Self.now + .minutes(number + 1), owner: owner))
                }
                try tx.run(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
                    VALUES (\(owner), 'c', \(Self.now), 'UTC', '2026-06-01', 12, \(Self.now), 'processed', 1, \(Self.now), 0)
                    """)
                try store.lockSummaries(of: owner, tx)
                let capture = try #require(try store.capture("c", owner: owner, tx))
                _ = try store.mention(["Johnny"], in: capture, tx)
                return try tx.run(CaptureStore.forgetNames(of: "john", besides: "n100", owner: owner))
            }
            let named = try await store.database.read { tx in try store.contact(named: key, owner: owner, tx)?.id }
            #expect(forgotten == 0 && named == "john")
        }
    }

    @Test("a name of a contact that is deleted, or is being deleted, counts when the user gives it another one", arguments: Engine.allCases)
    func namesOfDeleted(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let owner = ada.id
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                for id in ["jack", "maria"] { try Self.insert(id, owner: owner, tx) }
                try tx.run(CaptureStore.setName(StoredContact.key("John", of: owner), contact: nil, owner: owner))
                try tx.run(CaptureStore.setName(StoredContact.key("Jack", of: owner), contact: "jack", owner: owner))
                try tx.run(CaptureStore.hide("jack", owner: owner))
                try tx.run("UPDATE contact SET row_bytes = 100000 WHERE id = 'maria'")
                try store.library.note(rowBytes: 100_010, owner: owner, tx)
            }
            // The second time, the name `John` already leads to the contact.
            var counts: [Int64] = []
            for name in ["John", "Jack", "John"] {
                #expect(try await server.sendJSON("PATCH", "/contacts/known/maria", ["name": name], as: ada).status == 200)
                counts.append(try #require(try await store.contact("maria", owner: owner)).rowBytes - 99_999)
            }
            #expect(counts == [StoredContact.nameBytes, 2 * StoredContact.nameBytes, 2 * StoredContact.nameBytes])
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("when an account is erased, a contact goes after its names", arguments: Engine.allCases)
    func erasure(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            try await Self.fill(owner, server)
            let store = server.backend.features[CapturesFeature.self].store
            var erased = 0
            repeat {
                let names = try await Self.counts(of: "john", server)[0]
                erased = try await store.database.write { tx in try store.eraseSome(of: owner, limit: 100, tx) }
                let left = try await store.contact("john", owner: owner)
                #expect(left != nil || names == 0)
            } while erased > 0
            #expect(try await store.contact("john", owner: owner) == nil)
        }
    }

    @Test("a merge moves notes to a contact that has none, and the two count the same together", arguments: Engine.allCases)
    func notes(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                for id in ["john", "maria", "nora"] { try Self.insert(id, owner: owner, tx) }
                try tx.run("UPDATE contact SET notes = 'Likes tea.', row_bytes = 20 WHERE id = 'john'")
                try tx.run("UPDATE contact SET notes = 'Sings.', row_bytes = 16 WHERE id = 'nora'")
            }
            let merged = try #require(try await store.merge("john", into: "maria", owner: owner)).contact
            #expect(merged.notes == "Likes tea." && merged.rowBytes == 20)
            // `nora` keeps her own notes.
            let last = try #require(try await store.merge("maria", into: "nora", owner: owner)).contact
            #expect(last.notes == "Sings." && last.rowBytes == 16)
            let rows = try await store.database.read { tx in
                try tx.rows("SELECT notes, row_bytes FROM contact ORDER BY id").map { row -> String in
                    let (notes, bytes): (String?, Int64) = (try row.get("notes"), try row.get("row_bytes"))
                    return "\(notes ?? "-") \(bytes)"
                }
            }
            #expect(rows == ["- 10", "Likes tea. 20", "Sings. 16"])
        }
    }

    @Test("a contact whose deletion fails does not hold up those of others")
    func failure() async throws {
        try await TestServer.run(.sqlite) { server in
            let owner = try await server.person().id
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                for id in ["john", "maria", "nora"] {
                    try Self.insert(id, owner: owner, tx)
                    try tx.run(CaptureStore.setName(id, contact: id, owner: owner))
                    try tx.run(CaptureStore.hide(id, owner: owner))
                }
                try tx.run(
                    "CREATE TRIGGER stuck BEFORE DELETE ON contact WHEN OLD.id = 'john' BEGIN SELECT RAISE(ABORT, 'stuck'); END")
            }
            await #expect(throws: (any Error).self) { try await store.finishDeletions() }
            let left: [String] = try await store.database.read { tx in
                try tx.rows("SELECT id FROM contact").map { try $0.get("id") }
            }
            #expect(left == ["john"])
        }
    }

    @Test("a photo is that of at most 100 contacts, also after merges", arguments: Engine.allCases)
    func faces(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let owner = ada.id
            let store = server.backend.features[CapturesFeature.self].store
            #expect(try await server.uploadCapture("a", "photo.jpg", as: ada).status == 200)
            try CaptureClient(server, ada).take("a", at: "2026-05-01T08:00:00Z", "A day at the lake.")
            try await server.settle()
            try await store.database.write { tx in
                for number in 0..<100 { try Self.insert("p\(number)", face: number == 99 ? nil : "a", owner: owner, tx) }
                for id in ["q", "r"] { try Self.insert(id, owner: owner, tx) }
            }
            func choose(_ id: String) async throws -> TestServer.Answer {
                try await server.sendJSON("PATCH", "/contacts/known/\(id)", ["bestFacePhoto": "a"], as: ada)
            }
            #expect(try await choose("p99").status == 200)
            let answer = try await choose("q")
            #expect(answer.status == 409 && answer.header("Error-Field") == "bestFacePhoto", "\(answer.text)")
            // The merge moves the photo from `p0` to `q`.
            _ = try await store.merge("p0", into: "q", owner: owner)
            #expect(try await choose("r").status == 409)
            // Both contacts have the photo; the merge leaves it to one of them.
            _ = try await store.merge("p1", into: "p2", owner: owner)
            #expect(try await choose("r").status == 200)
        }
    }
}
