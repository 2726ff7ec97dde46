import Core
import Database
import Foundation
import SQLiteEngine
import TestKit
import Testing

@testable import Search

/// How much work a search is for the engine while the data of other accounts grows, and while the account's own data grows.
///
/// `make campaign NAME=search` runs the full size, with a million documents of other accounts, and prints figures; the test run is small.
@Suite("The cost of a search")
struct SearchCostCampaignTests {
    private static let campaign = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"]
    private static let isFull = campaign == "search"
    static let runs = campaign == nil || isFull

    @Test(
        "data of other accounts does not slow a search, for a rare word or a common one", .enabled(if: runs), arguments: Engine.allCases)
    func others(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let store = Store(home: home, engine: engine)
            try await home.put((0..<400).map { SearchHome.document("d\($0)", ["sea n\($0) day", "under the sun"], at: Int64($0)) })
            let (few, many) = Self.isFull ? (10_000, 1_000_000) : (1_000, 20_000)
            try await store.addOthers(upTo: few)
            let questions = ["n77", "sea", "sea sun", "se", "nothing"]
            var before: [Work] = []
            for q in questions { before.append(try await store.work(of: q, on: 0)) }
            try await store.addOthers(upTo: many)
            for (q, before) in zip(questions, before) {
                let after = try await store.work(of: q, on: 0)
                if Self.isFull { print("\(engine) \"\(q)\": \(before) at \(few), \(after) at \(many)") }
                // The number of SQLite's steps does not depend on other accounts' data. The number of pages depends on it slightly: FTS5
                // looks up each word in more segments and in deeper trees.
                #expect(after.steps <= before.steps + before.steps / 10, "\(q): \(before), then \(after)")
                let lookups = Double(Self.lookup * q.split(separator: " ").count)
                #expect(Double(after.pages) <= Double(before.pages) * 1.1 + lookups, "\(q): \(before), then \(after)")
            }
        }
    }

    /// The most additional pages for looking up one word, however much data there is.
    private static let lookup = 48

    @Test("an account's own data does not slow its search for a common word", .enabled(if: runs), arguments: Engine.allCases)
    func own(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let store = Store(home: home, engine: engine)
            let (few, many): (Int64, Int64) = Self.isFull ? (2, 50) : (1, 4)
            for partition in 0..<few { try await store.addPartition(partition) }
            let before = try await store.work(of: "sea", on: few - 1)
            for partition in few..<many { try await store.addPartition(partition) }
            let after = try await store.work(of: "sea", on: many - 1)
            #expect(after.steps <= before.steps + before.steps / 10, "\(before), then \(after)")
            #expect(Double(after.pages) <= Double(before.pages) * 1.1 + Double(Self.lookup), "\(before), then \(after)")
            let clock = ContinuousClock()
            for q in ["sea", "se", "n77", "sea n77", "nothing"] {
                let question = try home.question(q)
                var best = Duration.seconds(100)
                for _ in 0..<3 {
                    best = min(
                        best,
                        try await clock.measure {
                            _ = try await home.store.hits(question, after: nil, limit: 21)
                        })
                }
                if Self.isFull { print("\(engine) \"\(q)\" among \(many * OwnerPartition.size) documents of one owner: \(best)") }
            }
            if Self.isFull { print("\(engine) \"sea\": \(before) on \(few) partitions, \(after) on \(many)") }
        }
    }

    struct Work: CustomStringConvertible {
        /// Steps of SQLite's virtual machine; 0 on PostgreSQL.
        var steps = 0
        /// Pages that were read, from memory or from the disk.
        var pages = 0

        var description: String { steps > 0 ? "\(steps) steps and \(pages) pages" : "\(pages) pages" }
    }

    /// Generates documents in the engine, in large batches.
    private struct Store {
        let home: SearchHome
        let engine: Engine

        func work(of q: String, on partition: Int64) async throws -> Work {
            let question = try home.question(q)
            let sql = try await home.database.read { tx in
                SearchStore.search(question, partition...partition, lastPlace: .max, tx.tokenSearch)
            }
            if let database = home.database as? SQLiteDatabase {
                // Run it once before measuring, to fill the connection's cache.
                _ = try await database.pages(sql)
                return Work(steps: try await database.work(sql), pages: try await database.pages(sql))
            }
            // Turn sequential scans off. The planner does not use them for a large table, but it would prefer to scan a small one.
            let lines = try await home.database.write { tx in
                for other in ["seqscan"] { try tx.run("SELECT set_config('enable_' || \(other), 'off', true)") }
                return try tx.rows("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) \(sql: sql)").map {
                    try $0.get("QUERY PLAN", as: String.self)
                }
            }
            let buffers = try #require(lines.first { $0.contains("Buffers: shared") }, "\(lines)")
            let numbers = buffers.split { !$0.isNumber }.compactMap { Int($0) }
            return Work(pages: numbers.reduce(0, +))
        }

        /// Inserts documents of ten words for other accounts, a hundred for each.
        func addOthers(upTo count: Int) async throws {
            var from = try await home.count("SELECT COUNT(*) AS n FROM search_document WHERE owner = 'eve'")
            while from < count {
                let to = min(count, from + 20_000)
                try await add(
                    owner: "eve", from: from, to: to,
                    engine == .sqlite ? "printf('%08d000', i / 100)" : "lpad((i / 100)::text, 8, '0') || '000'")
                from = to
            }
            try await settle()
        }

        func addPartition(_ partition: Int64) async throws {
            let word = OwnerPartition(owner: "ada").word("", on: partition)
            let key = String(word.dropLast())
            let start = Int(partition * OwnerPartition.size)
            try await add(owner: "ada", from: start, to: start + Int(OwnerPartition.size), "CAST(\(key) AS TEXT)")
            try await settle()
        }

        private func settle() async throws {
            if engine == .postgres { _ = try await home.database.write { tx in try tx.run("ANALYZE search_document") } }
        }

        private func add(owner: String, from: Int, to: Int, _ key: SQL) async throws {
            let numbers: SQL =
                engine == .sqlite
                ? "WITH RECURSIVE numbers(i) AS (SELECT CAST(\(from) AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < \(to)) "
                : "WITH numbers AS (SELECT i FROM generate_series(\(from), \(to) - 1) AS i) "
            let words: SQL = """
                k || 'wsea ' || k || 'wday ' || k || 'wn' || (i % 997) || ' ' || k || 'wx' || i || ' ' || k || 'wy' || (i % 31) || ' '
                || k || 'wunder ' || k || 'wthe ' || k || 'wsun ' || k || 'wz' || (i % 5003) || ' ' || k || 'knote'
                """
            let places = Int64(from)
            let made: SQL = """
                INSERT INTO search_document (owner, kind, id, at, place, texts, tokens)
                \(sql: numbers) SELECT CAST(\(owner) AS TEXT), 'note', 'bulk' || i, i, i, '[]', 'sea day n' || (i % 997) || ' x' || i
                FROM numbers
                """
            let keyed: SQL = """
                SELECT number, \(sql: words) AS words FROM (
                    SELECT number, i, \(sql: key) AS k FROM (
                        SELECT number, place AS i FROM search_document
                        WHERE owner = \(owner) AND id >= 'bulk' AND id < 'bull' AND place >= \(places)) AS placed) AS keyed
                """
            let indexed: SQL =
                engine == .sqlite
                ? "INSERT INTO search_word (rowid, tokens) \(sql: keyed)"
                : """
                UPDATE search_document SET lexemes = array_to_tsvector(string_to_array(words, ' '))
                FROM (\(sql: keyed)) AS made WHERE made.number = search_document.number
                """
            try await home.database.write { tx in
                try tx.run(made)
                try tx.run(indexed)
            }
        }
    }
}
