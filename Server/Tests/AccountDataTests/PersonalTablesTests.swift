import Blobs
import Core
import Database
import FeatureKit
import TestKit
import Testing
import Web

@testable import Capsules
@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import Search
@testable import keepsake

@Suite("The registry of personal tables")
struct PersonalTablesTests {
    private static var registered: [PersonalTable] { Backend.personalTables }

    @Test("every table with an owner column, and every table that refers to one, is registered", arguments: StoragePair.allCases)
    func complete(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let schema = try await Schema(server.backend.database, pair)
            let names = Self.registered.map(\.name)
            #expect(Set(names).count == names.count, "a table is registered twice")
            let forgotten = schema.personal(beside: Set(names)).subtracting(names)
            #expect(forgotten == [], "tables with somebody's rows that no room registers")
            #expect(Set(names).subtracting(schema.columns.keys) == [], "registered tables that there are not")
        }
    }

    @Test("control: an unregistered table with an owner, and one that refers to it, are reported", arguments: StoragePair.allCases)
    func control(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            try await server.backend.database.write { tx in
                try tx.run("CREATE TABLE diary (id TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL)")
                try tx.run("CREATE TABLE diary_page (number BIGINT PRIMARY KEY NOT NULL, diary TEXT NOT NULL REFERENCES diary (id))")
            }
            let schema = try await Schema(server.backend.database, pair)
            let names = Set(Self.registered.map(\.name))
            #expect(schema.personal(beside: names).subtracting(names) == ["diary", "diary_page"])
        }
    }

    @Test("every column of a personal table is either exported or excluded", arguments: StoragePair.allCases)
    func columns(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let schema = try await Schema(server.backend.database, pair)
            for table in Self.registered {
                let decided = table.columns.map(\.name)
                #expect(Set(decided).count == decided.count, "\(table.name)")
                #expect(schema.columns[table.name, default: []].subtracting(decided) == [], "\(table.name)")
            }
        }
    }

    @Test("no secret and no hash of a secret is exported")
    func secrets() {
        for table in Self.registered {
            for column in table.columns where column.form != .withheld {
                let isSecret = ["hash", "secret", "token", "private_key", "password"].contains { column.name.contains($0) }
                // These columns count the tokens of a language model, which are not secrets.
                let isCount = column.name.hasSuffix("_tokens")
                #expect(!isSecret || isCount, "\(table.name).\(column.name)")
            }
        }
    }

    @Test("a limited deletion leaves the rest and the rows of other accounts", arguments: StoragePair.allCases)
    func limited(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let database = server.backend.database
            let table = try #require(Self.registered.first { $0.name == "idempotency" })
            // The server deletes older rows as soon as it runs, so these rows are new.
            let now = server.clock.wall.now
            try await database.write { tx in
                for (account, key) in (0..<5).map({ ("a", "k\($0)") }) + [("b", "k0")] {
                    try tx.run(
                        """
                        INSERT INTO idempotency (account, route, key, attempt, lease_until, created_at)
                        VALUES (\(account), 'r', \(key), 1, 0, \(now))
                        """)
                }
            }
            var counts: [Int] = []
            for _ in 0..<4 { counts.append(try await database.run(table.deletion("a", limit: 2))) }
            #expect(counts == [2, 2, 1, 0])
            #expect(try await database.run(table.deletion("b", limit: 2)) == 1)
        }
    }

    @Test("each table is read and erased by an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let database = server.backend.database
            for table in Self.registered {
                let page = try await QueryPlan(table.page("a", after: nil, count: 10), on: database)
                let scans = page.faults.filter { $0.contains("SCAN") || $0.contains("Seq Scan") }
                #expect(scans.isEmpty, "\(table.name): \(page)")
                guard case .statement = table.ending else { continue }
                for statement in [table.deletion("a"), table.deletion("a", limit: 10)] {
                    let deletion = try await QueryPlan(statement, on: database)
                    let scans = deletion.faults.filter { $0.contains("SCAN") || $0.contains("Seq Scan") }
                    #expect(scans.isEmpty, "\(table.name): \(deletion)")
                }
            }
            // The pages of tables that grow with an account's data must not need a sort either.
            for table in Self.registered
            where ["media", "media_tag", "moment", "moment_tag", "moment_file", "capsule", "event"].contains(table.name) {
                let page = try await QueryPlan(table.page("a", after: nil, count: 10), on: database)
                #expect(page.faults.isEmpty, "\(table.name): \(page)")
            }
        }
    }
}

extension PersonalTablesTests {
    private static let file = OriginalFile(
        id: "f", name: "f", blob: BlobKey(entropy: .system), byteCount: 1, createdAt: Timestamp(seconds: 1))

    @Test("statements that erase rows in batches find them by an index, in order", arguments: StoragePair.allCases)
    func steps(_ pair: StoragePair) async throws {
        let steps: [SQL] = [
            MediaStore.first(of: "a", limit: 10), MediaStore.originals(of: "a", after: nil, limit: 10),
            MediaStore.originals(of: "a", after: Self.file, limit: 10), MediaStore.served("m", owner: "a"),
            MediaStore.served("m", owner: "a", copy: "stripped-1"),
            CapsuleStore.uploadable("c", owner: "a", linkMadeAt: Timestamp(seconds: 1)),
            MomentStore.first(of: "a", limit: 10), CapsuleStore.first(of: "a", limit: 10), SearchIndex.first(of: "a", limit: 10),
            MediaStore.removeCopies(storedAs: Self.file.blob), MediaStore.anyOwner(of: Self.file.blob),
            MediaStore.fileCount(of: Self.file.blob),
            BlobLedger.dead(of: "a", count: 10), BlobLedger.live(of: "a"),
            BlobLedger.abandonment("a", now: Timestamp(seconds: 1)), UploadJournal.uploads(of: "a", count: 10),
        ]
        try await TestServer.run(pair, tables: nil) { server in
            for step in steps {
                let plan = try await QueryPlan(step, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }
}

/// The tables of a migrated database, as the engine's catalog lists them.
private struct Schema {
    var columns: [String: Set<String>] = [:]
    /// Pairs of a table and a table that it refers to.
    var references: [(String, String)] = []

    init(_ database: any Database, _ pair: StoragePair) async throws {
        let (columns, references): (SQL, SQL) =
            switch pair.engine {
            case .sqlite:
                (
                    "SELECT m.name AS a, p.name AS b FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p WHERE m.type = 'table'",
                    #"SELECT m.name AS a, f."table" AS b FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'"#
                )
            case .postgres:
                (
                    """
                    SELECT CAST(table_name AS TEXT) AS a, CAST(column_name AS TEXT) AS b FROM information_schema.columns
                    WHERE table_schema = current_schema()
                    """,
                    """
                    SELECT CAST(a.relname AS TEXT) AS a, CAST(b.relname AS TEXT) AS b FROM pg_constraint AS k
                    JOIN pg_class AS a ON a.oid = k.conrelid JOIN pg_class AS b ON b.oid = k.confrelid
                    JOIN pg_namespace AS n ON n.oid = a.relnamespace WHERE k.contype = 'f' AND n.nspname = current_schema()
                    """
                )
            }
        let pairs = try await database.read { tx in
            try [columns, references].map { sql in
                try tx.rows(sql).map { (try $0.get("a", as: String.self), try $0.get("b", as: String.self)) }
            }
        }
        for (table, column) in pairs[0] { self.columns[table, default: []].insert(column) }
        self.references = pairs[1]
    }

    func personal(beside known: Set<String>) -> Set<String> {
        let owners: Set = ["owner", "account", "account_id", "user", "user_id", "owner_id"]
        var personal = known.union(columns.filter { !$0.value.isDisjoint(with: owners) }.keys)
        while true {
            let more = personal.union(references.filter { personal.contains($0.1) }.map(\.0))
            if more == personal { return personal }
            personal = more
        }
    }
}
