package import Database
internal import SQLiteEngine

/// What a statement costs an engine, in its own unit, which depends neither on the machine nor on its load: SQLite's steps of its virtual
/// machine, PostgreSQL's buffers.
package enum EngineWork {
    package static func measure(_ sql: SQL, on database: any Database) async throws -> Int {
        if let database = database as? SQLiteDatabase { return try await database.work(sql) }
        let lines = try await database.read { tx in
            try tx.rows("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) \(sql: sql)").map { try $0.get("QUERY PLAN", as: String.self) }
        }
        // The first such line is the outermost step's, which counts those within it.
        guard let line = lines.first(where: { $0.contains("Buffers: shared") }) else { return 0 }
        return line.matches(of: /(?:hit|read)=(\d+)/).reduce(0) { $0 + (Int($1.output.1) ?? 0) }
    }
}
