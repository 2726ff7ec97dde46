import Database
import SQLiteEngine

/// Moods of many people, made within the engine. Every hundredth is one person's, who has a hundredth of all whatever their number;
/// everybody else has some hundred. As in life, moods of all come in between each other.
struct MomentCrowd {
    /// Who has a hundredth of everything.
    static let collector = "01900000-0000-7000-8000-collector000"
    /// One of those who were there from the start.
    static let ordinary = person(5)

    let database: any Database
    private(set) var count = 0
    private var people = 0

    init(_ database: any Database) { self.database = database }

    /// - Parameter count: a multiple of 1,000.
    mutating func grow(to count: Int, progress: (Int) -> Void = { _ in }) async throws {
        let known = people
        people = count / 100
        try await addPeople(from: known, to: people)
        // A page of an index is written once for each batch that touches it: millions are made in large batches, held in memory. Not on
        // PostgreSQL, where a statement that takes longer than the client waits would be taken for lost, and run beside itself.
        let isSQLite = database is SQLiteDatabase
        let batch = isSQLite ? max(50_000, count / 20) : 50_000
        let patience: SQL = isSQLite ? "PRAGMA cache_size = -4000000" : "SET LOCAL statement_timeout = 0"
        while self.count < count {
            let next = min(count, self.count + batch)
            try await addMoods(from: self.count, to: next, filesFrom: count - 10_000, newPeopleFrom: known, patience)
            self.count = next
            progress(next)
        }
        // As autovacuum does it now and then. SQLite keeps no statistics in this product.
        if !(database is SQLiteDatabase) { try await database.write { tx in _ = try tx.run("ANALYZE") } }
    }

    static func person(_ number: Int) -> String { "01900000-0000-7000-8000-\(String(1_000_000_000_000 + number).dropFirst())" }

    private func addPeople(from: Int, to: Int) async throws {
        try await database.write { tx in
            if from == 0 {
                try tx.run("INSERT INTO account (id, created_at) VALUES (\(Self.collector), 1)")
                let hash = String(repeating: "0", count: 64)
                try tx.run(
                    """
                    INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                    VALUES ('blob', \(Self.collector), \(hash), 1, 1, 'live', 1)
                    """)
            }
            try tx.run("\(sql: Self.numbers(from, to)) INSERT INTO account (id, created_at) SELECT \(sql: Self.id("n")), 1 FROM numbers")
        }
    }

    /// A tenth of all moods has files, and of the newest those of the two whose pages are looked at, each a hundred.
    private func addMoods(from: Int, to: Int, filesFrom newest: Int, newPeopleFrom first: Int, _ patience: SQL) async throws {
        let (count, first, newest) = (Int64(people - first), Int64(first), Int64(newest))
        // `n / 100` because `n % 100` tells the collector's from the others'.
        let moods: SQL = """
            \(sql: Self.numbers(from, to)), moods(n, id, owner, at, category, trip, has_tag, has_files) AS (
                SELECT n, \(sql: Self.id("n")),
                    CASE WHEN n % 100 = 0 THEN \(Self.collector) ELSE \(sql: Self.id("\(first) + n % \(count)")) END,
                    1700000000000000 + n * 1000000, CASE WHEN n / 100 % 3 = 0 THEN 'work' ELSE 'general' END,
                    'trip-' || CAST(n / 100 % 4 AS TEXT), n / 100 % 4 = 0,
                    n / 100 % 10 = 0 OR n >= \(newest) AND n % 100 IN (0, 5) FROM numbers)
            """
        try await database.write { tx in
            try tx.run(patience)
            try tx.run(
                """
                \(sql: moods) INSERT INTO moment (id, owner, kind, created_at, happened_at, category, group_id, tags, mood, note, interests,
                    intensity, pictures, voice)
                SELECT id, owner, 'mood', at, at, category, trip, CASE WHEN has_tag THEN '["summer"]' ELSE '[]' END, 'happy',
                    'A good day by the lake, and nobody was in a hurry.', '["music"]', 7,
                    CASE WHEN has_files THEN '["' || id || '-0","' || id || '-1"]' ELSE '[]' END, CASE WHEN has_files THEN id || '-2' END
                FROM moods
                """)
            try tx.run(
                """
                \(sql: moods) INSERT INTO moment_tag (moment, owner, kind, tag, created_at, happened_at)
                SELECT id, owner, 'mood', 'summer', at, at FROM moods WHERE has_tag
                """)
            let files: SQL = """
                \(sql: moods), files(id, moment, owner, at, position) AS (
                    SELECT id || '-' || CAST(position AS TEXT), id, owner, at, position
                    FROM moods CROSS JOIN (SELECT 0 AS position UNION ALL SELECT 1 UNION ALL SELECT 2) AS positions WHERE has_files)
                """
            try tx.run(
                """
                \(sql: files) INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at)
                SELECT id, owner, 'blob', 'a.jpg', 'image/jpeg', 'x', 1, 'mood', '[]', at FROM files
                """)
            try tx.run(
                """
                \(sql: files) INSERT INTO moment_file (moment, position, role, media, owner)
                SELECT moment, position, CASE WHEN position = 2 THEN 'voice' ELSE 'picture' END, id, owner FROM files
                """)
        }
    }

    // MARK: Within the engine

    private static func numbers(_ from: Int, _ to: Int) -> SQL {
        """
        WITH RECURSIVE numbers(n) AS (
            SELECT CAST(\(Int64(from)) AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < \(Int64(to)))
        """
    }

    /// - Parameter number: of something, below 10¹².
    private static func id(_ number: SQL) -> SQL {
        "'01900000-0000-7000-8000-' || substr(CAST(1000000000000 + (\(sql: number)) AS TEXT), 2)"
    }
}
