package import Database
internal import Foundation

/// What a statement costs an engine, in its own unit, which depends neither on the machine nor on its load: SQLite's steps of its virtual
/// machine, PostgreSQL's buffers.
package enum EngineWork {
    package static func measure(_ sql: SQL, on database: any Database) async throws -> Int {
        if let database = database as? SQLiteDatabase { return try await database.work(sql) }
        let text = try await database.read { tx in
            try tx.row("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(sql: sql)")?.get("QUERY PLAN", as: String.self) ?? "[]"
        }
        let explained = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        guard let plan = explained?.first?["Plan"] as? [String: Any], let hit = plan["Shared Hit Blocks"] as? Int,
            let read = plan["Shared Read Blocks"] as? Int
        else { throw DatabaseError.column("QUERY PLAN") }
        return hit + read
    }
}
