import Core
import TestKit
import Testing

@testable import Database

@Suite("Keyset pagination")
struct KeysetTests {
    private static let migration = Migration(
        "suite/001-entry",
        [
            """
            CREATE TABLE entry (
                id TEXT COLLATE "C" PRIMARY KEY NOT NULL, owner TEXT COLLATE "C" NOT NULL, at BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL
            )
            """,
            "CREATE INDEX entry_by_owner ON entry (owner, at, id)", "CREATE INDEX entry_by_kind ON entry (kind, at, id)",
        ])

    private struct Entry: TableRow, Equatable {
        static let table = Table<Entry>("entry")

        let id: String
        let owner: String
        let at: Timestamp
        let kind: String

        var key: TimeKey { TimeKey(at: at, id: id) }

        init(id: String, owner: String = "ada", at: Int64, kind: String = "k") {
            (self.id, self.owner, self.at, self.kind) = (id, owner, Timestamp(microseconds: at), kind)
        }

        init(_ row: inout RowReader, writing entry: Entry?) throws {
            id = try row.next("id", entry?.id)
            owner = try row.next("owner", entry?.owner)
            at = try row.next("at", entry?.at)
            kind = try row.next("kind", entry?.kind)
        }
    }

    private static let newest = Keyset(.descending, "entry.at", "entry.id")
    private static let oldest = Keyset(.ascending, "entry.at", "entry.id")

    private func withEntries(
        _ engine: Engine, _ entries: [Entry], _ body: (any Database) async throws -> Void
    ) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate([Self.migration])
        try await database.write { tx in for entry in entries { try tx.run(Entry.table.insert(entry)) } }
        try await body(database)
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    private func page(_ keyset: Keyset, _ request: PageRequest<TimeKey>, _ database: any Database) async throws -> Page<Entry, TimeKey> {
        let statement: SQL =
            "\(sql: Entry.table.select) WHERE owner = \("ada")" + keyset.page(after: request.after?.sql, limit: request.rowLimit)
        return Page(try await database.list(statement, Entry.init), limit: request.limit, key: \.key)
    }

    @Test("A remaining row is shown exactly once, in order, whatever is added and deleted between pages", arguments: Engine.allCases)
    func stable(_ engine: Engine) async throws {
        for (seed, isNewestFirst) in [(UInt64(1), true), (2, false), (3, true), (4, false)] {
            var random = SplitMix64(seed: seed)
            // Few times and many ids, so that most rows share their time with others.
            func entry() -> Entry { Entry(id: "\(random.next() % 1_000_000)", at: Int64(random.next() % 12)) }
            var staying: [String: Entry] = [:]
            for _ in 0..<120 {
                let new = entry()
                staying[new.id] = new
            }
            try await withEntries(engine, Array(staying.values) + [Entry(id: "x", owner: "eve", at: 5)]) { database in
                var shown: [Entry] = []
                var request = PageRequest<TimeKey>(after: nil, limit: 7)
                while true {
                    let page = try await page(isNewestFirst ? Self.newest : Self.oldest, request, database)
                    #expect(page.rows.count <= 7 && (page.next == nil || page.rows.count == 7))
                    shown += page.rows
                    guard let next = page.next else { break }
                    #expect(next == page.rows.last?.key)
                    request = PageRequest(after: next, limit: 7)
                    // New rows come before the page, after it, and among the rows with the time of the page's last row. That last row is
                    // deleted too.
                    var gone = [next.id]
                    var new: [Entry] = [Entry(id: "\(random.next() % 1_000_000) new", at: next.at.microseconds)]
                    for _ in 0..<6 {
                        if random.next() % 2 == 0, let one = staying.keys.sorted().randomElement(using: &random) { gone.append(one) }
                        let added = entry()
                        if staying[added.id] == nil { new.append(Entry(id: added.id + " new", at: added.at.microseconds)) }
                    }
                    for id in gone { staying[id] = nil }
                    try await database.write { [new, gone] tx in
                        for entry in new { try tx.run(Entry.table.insert(entry) + " ON CONFLICT DO NOTHING") }
                        for id in gone { try tx.run("DELETE FROM entry WHERE id = \(id)") }
                    }
                }
                #expect(staying.count > 20)
                let shownOnce = shown.filter { staying[$0.id] == $0 }
                #expect(Set(shownOnce.map(\.id)) == Set(staying.keys))
                #expect(Set(shown.map(\.id)).count == shown.count)
                let ordered = shown.sorted { a, b in
                    let isBefore = (a.at.microseconds, a.id) < (b.at.microseconds, b.id)
                    return isBefore != isNewestFirst
                }
                #expect(shown == ordered)
                #expect(Set(shown.map(\.owner)) == ["ada"])
            }
        }
    }

    @Test("The rows are cut to the page size, and there is a next key only if there are more rows", arguments: [0, 1, 2, 3, 4, 9])
    func cutting(_ count: Int) {
        let page = Page(Array((1...10).prefix(count)), limit: 3) { "\($0)" }
        #expect(page.rows == Array([1, 2, 3].prefix(count)))
        #expect(page.next == (count > 3 ? "3" : nil))
        let twice = page.map { $0 * 2 }
        #expect(twice.rows == Array([2, 4, 6].prefix(count)) && twice.next == page.next)
        #expect(PageRequest<String>(after: nil, limit: 3).rowLimit == 4)
    }

    @Test("One, two and three columns, forwards and backwards, use an index in order", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await withEntries(engine, []) { database in
            let key = TimeKey(at: Timestamp(seconds: 1), id: "x")
            let statements: [SQL] = [
                "\(sql: Entry.table.select) WHERE owner = 'ada'" + Self.newest.page(after: key.sql, limit: 3),
                "\(sql: Entry.table.select) WHERE owner = 'ada'" + Self.oldest.page(after: key.sql, limit: 3),
                "\(sql: Entry.table.select) WHERE owner = 'ada'" + Self.newest.page(after: nil, limit: 3),
                "\(sql: Entry.table.select) WHERE kind <> 'x'" + Keyset(.ascending, "id").page(after: "\("x")", limit: 3),
                "\(sql: Entry.table.select) WHERE kind <> 'x'" + Keyset(.descending, "id").page(after: "\("x")", limit: 3),
                "\(sql: Entry.table.select) WHERE owner <> 'x'"
                    + Keyset(.ascending, "kind", "at", "id").page(after: "\("k"), \(key.at), \(key.id)", limit: 3),
            ]
            for statement in statements {
                let plan = try await QueryPlan(statement, on: database)
                #expect(plan.faults == [], "\(plan)")
            }
        }
    }

    @Test("A list of values finds each, and an empty one finds nothing", arguments: Engine.allCases)
    func lists(_ engine: Engine) async throws {
        try await withEntries(engine, [Entry(id: "a", at: 1), Entry(id: "b", at: 2), Entry(id: "c", at: 3)]) { database in
            for ids in [[], ["b"], ["a", "c"], ["x"]] {
                let found: [String] = try await database.list("SELECT id FROM entry WHERE id IN (\(sql: .list(ids))) ORDER BY id") {
                    try $0.next("id")
                }
                #expect(found == ids.filter { $0 != "x" })
            }
        }
    }

    @Test("The SQL equals handwritten SQL, and two queries of one shape are one statement")
    func text() {
        func statement(_ keyset: Keyset, _ key: TimeKey?) -> SQL {
            "SELECT id FROM entry WHERE owner = 'a'" + keyset.page(after: key?.sql, limit: 3)
        }
        func text(_ sql: SQL) -> String { sql.text { "$\($0)" } }
        let key = TimeKey(at: Timestamp(seconds: 1), id: "x")
        let start = "SELECT id FROM entry WHERE owner = 'a'"
        #expect(
            text(statement(Self.newest, key))
                == "\(start) AND (entry.at, entry.id) < ($1, $2) ORDER BY entry.at DESC, entry.id DESC LIMIT $3")
        #expect(text(statement(Self.oldest, nil)) == "\(start) ORDER BY entry.at, entry.id LIMIT $1")
        #expect(text(Keyset(.ascending, "id").page(after: "\("x")", limit: 3)) == " AND id > $1 ORDER BY id LIMIT $2")
        for (direction, keyset) in [(Keyset.Direction.descending, Self.newest), (.ascending, Self.oldest)] {
            #expect(statement(TwoWayKeyset("entry.at", "entry.id")[direction], key).pieces == statement(keyset, key).pieces)
        }
        let again = Keyset(.descending, "entry.at", "entry.id")
        #expect(statement(again, key).pieces == statement(Self.newest, key).pieces)
        #expect(Set([statement(again, key).pieces, statement(Self.newest, key).pieces, statement(Self.oldest, key).pieces]).count == 2)
    }
}
