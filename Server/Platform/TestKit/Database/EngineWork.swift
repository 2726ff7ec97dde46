package import Database
internal import SQLiteEngine

/// The cost of a statement, independent of the machine and its load: virtual machine steps on SQLite, buffers on PostgreSQL.
package enum EngineWork {
    package static func measure(_ sql: SQL, on database: any Database) async throws -> Int {
        if let database = database as? SQLiteDatabase { return try await database.work(sql) }
        let lines = try await database.read { tx in
            try tx.rows("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) \(sql: sql)").map { try $0.get("QUERY PLAN", as: String.self) }
        }
        // The first such line belongs to the outermost plan node and includes its children.
        guard let line = lines.first(where: { $0.contains("Buffers: shared") }) else { return 0 }
        return line.matches(of: /(?:hit|read)=(\d+)/).reduce(0) { $0 + (Int($1.output.1) ?? 0) }
    }
}
