import Blobs
import Core
import Database
import KeepsakeWire
import SQLiteEngine
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import keepsake

/// Lists filtered by category, group and tag read only the rows of their page, whatever the account holds.
@Suite("Lists filtered by several labels")
struct LabelListTests {
    private static let count = 9_600
    private static let blob = BlobKey(entropy: .system)
    /// The most work that an empty page may take: virtual machine steps on SQLite, buffers on PostgreSQL. It takes 20 steps and 3 buffers.
    private static func most(_ engine: Engine) -> Int { engine == .sqlite ? 100 : 30 }

    /// The account `pairs` has 400 moods and 400 files: a sixth has only the label "general", a sixth only "trip", a sixth only "summer",
    /// and a sixth has each pair of these labels. None has all three. `singles` has as many, but never two labels on one entry, and `none`
    /// has as many without these labels. All entries of `others` have all three, so statistics over all accounts say that the labels
    /// exclude hardly anything. The files of `singles` are sounds, all other files are pictures. The times at which the files were taken
    /// are not in the order of their ids.
    private func fill(_ database: any Database) async throws {
        try await database.migrate(
            AccountsFeature.migrations + BlobLedger.migrations + MediaFeature.migrations + MomentsFeature.migrations)
        let entries: SQL = """
            WITH RECURSIVE numbers(n) AS (
                SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Self.count)),
            owned(n, owner, sixth) AS (
                SELECT n, CASE n % 24 WHEN 0 THEN 'pairs' WHEN 1 THEN 'singles' WHEN 2 THEN 'none' ELSE 'others' END, n / 24 % 6 FROM numbers),
            entries(id, owner, at, category, trip, has_tag, type, taken) AS (
                SELECT 'entry-' || CAST(n AS TEXT), owner, n * 1000,
                    CASE WHEN owner = 'others' OR owner <> 'none' AND sixth = 0 OR owner = 'pairs' AND sixth IN (3, 4) THEN 'general'
                        ELSE 'work' END,
                    CASE WHEN owner = 'others' OR owner <> 'none' AND sixth = 1 OR owner = 'pairs' AND sixth IN (3, 5) THEN 'trip' END,
                    owner = 'others' OR owner <> 'none' AND sixth = 2 OR owner = 'pairs' AND sixth IN (4, 5),
                    CASE WHEN owner = 'singles' THEN 'audio/wav' ELSE 'image/jpeg' END,
                    CASE WHEN n % 5 > 0 THEN n * 7919 % \(Self.count) * 1000 END
                FROM owned)
            """
        try await database.write { tx in
            for account in ["pairs", "singles", "none", "others"] {
                try tx.run("INSERT INTO account (id, created_at) VALUES (\(account), 1)")
            }
            try tx.run(
                """
                INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                VALUES (\(Self.blob), 'others', \(String(repeating: "0", count: 64)), 1, 1, 'live', 1)
                """)
            try tx.run(
                """
                \(sql: entries) INSERT INTO moment (id, owner, kind, created_at, happened_at, category, group_id, tags, mood, interests)
                SELECT id, owner, 'mood', at, at, category, trip, CASE WHEN has_tag THEN '["summer"]' ELSE '[]' END, 'happy', '[]'
                FROM entries
                """)
            try tx.run(
                """
                \(sql: entries) INSERT INTO moment_tag (moment, owner, kind, tag, category, group_id, created_at, happened_at)
                SELECT id, owner, 'mood', 'summer', category, trip, at, at FROM entries WHERE has_tag
                """)
            try tx.run(
                """
                \(sql: entries) INSERT INTO media
                    (id, owner, blob, name, type, sha256, byte_count, category, group_id, tags, created_at, taken_at)
                SELECT id, owner, \(Self.blob), 'a.jpg', type, 'x', 1, category, trip, CASE WHEN has_tag THEN '["summer"]' ELSE '[]' END,
                    at, taken FROM entries
                """)
            try tx.run(
                """
                \(sql: entries) INSERT INTO media_tag (media, owner, tag, category, group_id, created_at, type, taken_at)
                SELECT id, owner, 'summer', category, trip, at, type, taken FROM entries WHERE has_tag
                """)
        }
        if !(database is SQLiteDatabase) { try await database.write { tx in _ = try tx.run("ANALYZE") } }
    }

    private static let pairs = [
        EntryFilter(category: "general", groupID: "trip"), EntryFilter(category: "general", tag: "summer"),
        EntryFilter(groupID: "trip", tag: "summer"),
    ]
    private static let all = EntryFilter(category: "general", groupID: "trip", tag: "summer")
    private static let singles = [EntryFilter(category: "general"), EntryFilter(groupID: "trip"), EntryFilter(tag: "summer")]

    private func statements(
        _ filter: EntryFilter, of owner: String, order: Keyset.Direction = .descending, after: TimeKey? = nil
    ) -> [SQL] {
        var files = MediaSelection()
        (files.labels, files.order) = (filter, order)
        return [
            MomentStore.listStatement(.mood, owner: owner, filter, order: order, after: after, limit: 21),
            MediaStore.listStatement(owner: owner, files, after: after, limit: 21),
        ]
    }

    /// The first page and a later one, in both orders.
    private func pages(_ filter: EntryFilter, of owner: String) -> [SQL] {
        let (start, end) = (
            TimeKey(at: Timestamp(microseconds: 0), id: "entry-"),
            TimeKey(at: Timestamp(microseconds: Int64(Self.count) * 1_000), id: "entry-")
        )
        return statements(filter, of: owner) + statements(filter, of: owner, after: end)
            + statements(filter, of: owner, order: .ascending) + statements(filter, of: owner, order: .ascending, after: start)
    }

    @Test("a page costs the same when each label is common but no entry has all of them", arguments: Engine.allCases)
    func cost(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await fill(database)
        for (owner, filters) in [("pairs", [Self.all]), ("singles", Self.pairs), ("none", Self.singles + Self.pairs)] {
            for filter in filters {
                for statement in pages(filter, of: owner) {
                    #expect(try await database.read { tx in try tx.rows(statement).isEmpty })
                    let plan = try await QueryPlan(statement, on: database)
                    #expect(plan.faults.isEmpty, "\(filter): \(plan)")
                    #expect(try await EngineWork.measure(statement, on: database) < Self.most(engine), "\(filter): \(plan)")
                }
            }
        }
        // These pages have rows. For each row, the engine looks up the entry of the tag's row.
        for (owner, filters) in [("pairs", Self.pairs + Self.singles), ("singles", Self.singles), ("others", [Self.all])] {
            for filter in filters {
                for statement in pages(filter, of: owner) {
                    #expect(try await database.read { tx in try tx.rows(statement).count } == 21)
                    #expect(try await QueryPlan(statement, on: database).faults.isEmpty)
                    #expect(try await EngineWork.measure(statement, on: database) < (engine == .sqlite ? 1_500 : 120), "\(filter)")
                }
            }
        }
        // Control: without an index of both labels, the engine looks up each of the account's entries that has one of them.
        let walk: SQL = """
            SELECT media.id FROM media_tag JOIN media ON media.id = media_tag.media
            WHERE media_tag.owner = 'singles' AND media_tag.tag = 'summer' AND media.category = 'general'
            ORDER BY media_tag.created_at DESC, media_tag.media DESC LIMIT 21
            """
        #expect(try await EngineWork.measure(walk, on: database) > 2 * Self.most(engine))
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("a page of a label with a type, by time taken or both costs the same, whatever the account holds", arguments: Engine.allCases)
    func typesAndTimes(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await fill(database)
        let (start, end) = (
            TimeKey(at: Timestamp(microseconds: 0), id: "entry-"),
            TimeKey(at: Timestamp(microseconds: Int64(Self.count) * 1_000), id: "entry-")
        )
        let lists: [(owner: String, type: MediaType.Kind?, sort: MediaSelection.Sort, count: Int)] = [
            ("none", .image, .createdAt, 0), ("none", .image, .takenAt, 0), ("none", nil, .takenAt, 0),
            ("singles", .image, .createdAt, 0), ("singles", .image, .takenAt, 0), ("pairs", .video, .createdAt, 0),
            ("singles", .audio, .createdAt, 21), ("singles", .audio, .takenAt, 21), ("singles", nil, .takenAt, 21),
            ("pairs", .image, .createdAt, 21), ("pairs", .image, .takenAt, 21), ("pairs", nil, .takenAt, 21),
        ]
        for list in lists {
            // A page without a type merges a page of each type.
            let isMerged = list.type == nil
            let most = engine == .sqlite ? (isMerged ? 4_000 : 1_500) : (isMerged ? 200 : 120)
            for label in Self.singles {
                for (order, after) in [(.descending, nil), (.descending, end), (.ascending, nil), (.ascending, start)]
                    as [(Keyset.Direction, TimeKey?)]
                {
                    var selection = MediaSelection()
                    (selection.labels, selection.type, selection.sort, selection.order) = (label, list.type, list.sort, order)
                    let statement = MediaStore.listStatement(owner: list.owner, selection, after: after, limit: 21)
                    let assets = try await database.read { tx in try tx.list(statement, Asset.init) }
                    #expect(assets.count == list.count, "\(list) \(label)")
                    let times = assets.map { selection.key($0).at }
                    #expect(order == .ascending ? times == times.sorted() : times == times.sorted().reversed(), "\(list) \(label)")
                    let plan = try await QueryPlan(statement, on: database)
                    #expect(plan.faults(mayMerge: isMerged).isEmpty, "\(list) \(label): \(plan)")
                    let work = try await EngineWork.measure(statement, on: database)
                    #expect(work < (list.count == 0 ? Self.most(engine) : most), "\(list) \(label): \(work), \(plan)")
                }
            }
        }
        // Control: without an index of the tag and the type, the engine looks up each of the account's entries that has the tag.
        let walk: SQL = """
            SELECT media.id FROM media_tag JOIN media ON media.id = media_tag.media
            WHERE media_tag.owner = 'singles' AND media_tag.tag = 'summer' AND media.type LIKE 'image%'
            ORDER BY media_tag.created_at DESC, media_tag.media DESC LIMIT 21
            """
        #expect(try await EngineWork.measure(walk, on: database) > 2 * Self.most(engine))
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("labels that make the same text when they are joined are not mistaken for each other", arguments: Engine.allCases)
    func ambiguousLabels(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let labels = [("a", "b c"), ("a b", "c"), ("1 a", "1 b"), ("1", "a1 b"), ("é", "\n1 é"), ("é\n1", "é")]
            var made: [String] = []
            for (category, tag) in labels {
                made.append(try await server.mood([("mood", "x"), ("category", category), ("tags", tag), ("groupId", tag)], as: ada).id)
            }
            let store = server.backend.features[MomentsFeature.self].store
            for (id, (category, label)) in zip(made, labels) {
                // The server trims labels, and it trims the filters of requests in the same way.
                let category = try MediaRules.category(category)
                let label = try #require(try MediaRules.groupID(label))
                for filter in [
                    EntryFilter(category: category, tag: label), EntryFilter(category: category, groupID: label),
                    EntryFilter(groupID: label, tag: label), EntryFilter(category: category, groupID: label, tag: label),
                ] {
                    let page = try await store.list(.mood, owner: ada.id, filter, PageRequest(after: nil, limit: 20))
                    #expect(page.rows.map(\.id) == [id], "\(filter)")
                }
            }
        }
    }

    @Test("tags that were stored before their rows held the category and the group are found by them", arguments: Engine.allCases)
    func migration(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        let all = AccountsFeature.migrations + BlobLedger.migrations + MediaFeature.migrations + MomentsFeature.migrations
        let new: Set = ["media/008-label-pairs", "moments/004-label-pairs"]
        try #require(new.isSubset(of: all.map(\.name)))
        try await database.migrate(all.filter { !new.contains($0.name) })
        try await database.write { tx in
            try tx.run("INSERT INTO account (id, created_at) VALUES ('ada', 1)")
            try tx.run(
                """
                INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                VALUES ('blob', 'ada', \(String(repeating: "0", count: 64)), 1, 1, 'live', 1)
                """)
            for (id, category, group) in [("a", "work", "g"), ("b", "work", nil), ("c", "general", "g")] as [(String, String, String?)] {
                try tx.run(
                    """
                    INSERT INTO moment (id, owner, kind, created_at, happened_at, category, group_id, tags, mood, interests)
                    VALUES (\(id), 'ada', 'mood', 1, 1, \(category), \(group), '["t"]', 'calm', '[]')
                    """)
                try tx.run(
                    """
                    INSERT INTO moment_tag (moment, owner, kind, tag, created_at, happened_at) VALUES (\(id), 'ada', 'mood', 't', 1, 1)
                    """)
                try tx.run(
                    """
                    INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, group_id, tags, created_at)
                    VALUES (\(id), 'ada', 'blob', 'a.jpg', 'image/jpeg', 'x', 1, \(category), \(group), '["t"]', 1)
                    """)
                try tx.run("INSERT INTO media_tag (media, owner, tag, created_at) VALUES (\(id), 'ada', 't', 1)")
            }
        }
        try await database.migrate(all)
        for (filter, expected) in [
            (EntryFilter(category: "work", tag: "t"), ["b", "a"]), (EntryFilter(groupID: "g", tag: "t"), ["c", "a"]),
            (EntryFilter(category: "work", groupID: "g"), ["a"]), (EntryFilter(category: "general", groupID: "g", tag: "t"), ["c"]),
            (EntryFilter(category: "work"), ["b", "a"]), (EntryFilter(groupID: "g"), ["c", "a"]), (EntryFilter(tag: "t"), ["c", "b", "a"]),
        ] {
            for statement in statements(filter, of: "ada") {
                let ids = try await database.read { tx in try tx.rows(statement).map { try $0.get("id", as: String.self) } }
                #expect(ids == expected, "\(filter)")
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
