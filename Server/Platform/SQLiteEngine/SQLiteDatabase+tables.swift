package import Database
internal import GRDB

// GRDB has types of the same names; an import of one declaration takes precedence.
package import enum Database.DatabaseError
package import struct Database.SQL

extension SQLiteDatabase {
    package func tables() async throws -> [StoredTable] {
        try await read { tx in
            let names = try tx.rows(Self.tableNames).map { try $0.get("name", as: String.self) }
            var columns: [String: [StoredTable.Column]] = [:]
            var keys: [String: [(Int64, String)]] = [:]
            for row in try tx.rows(Self.tableColumns) {
                let (table, column): (String, String) = (try row.get("a"), try row.get("b"))
                guard let kind = Self.kind(try row.get("kind")) else { throw DatabaseError.column("\(table).\(column)") }
                columns[table, default: []].append(StoredTable.Column(name: column, kind: kind))
                let place: Int64 = try row.get("place")
                if place > 0 { keys[table, default: []].append((place, column)) }
            }
            var references: [String: Set<String>] = [:]
            for row in try tx.rows(Self.tableReferences) { references[try row.get("a"), default: []].insert(try row.get("b")) }
            return try names.map { name in
                guard let key = keys[name] else { throw DatabaseError.column("\(name) has no primary key") }
                return StoredTable(
                    name: name, columns: columns[name, default: []], key: key.sorted { $0.0 < $1.0 }.map(\.1),
                    references: references[name, default: []], generatesKey: false)
            }
        }
    }

    private static func kind(_ type: String) -> StoredTable.Column.Kind? {
        switch type.uppercased() {
        case "BIGINT", "INTEGER", "SMALLINT": .integer
        case "DOUBLE PRECISION": .real
        case "TEXT": .text
        case "BYTEA": .bytes
        default: nil
        }
    }

    /// Selects ordinary tables only. A full-text index is a virtual table with shadow tables.
    private static let own: SQL = "t.schema = 'main' AND t.type = 'table' AND substr(t.name, 1, 7) <> 'sqlite_'"

    private static let tableNames: SQL = "SELECT t.name AS name FROM pragma_table_list AS t WHERE \(sql: own) ORDER BY t.name"

    private static let tableColumns: SQL = """
        SELECT t.name AS a, c.name AS b, c.type AS kind, c.pk AS place
        FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c WHERE \(sql: own)
        """

    private static let tableReferences: SQL = """
        SELECT t.name AS a, f."table" AS b FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name) AS f WHERE \(sql: own)
        """
}
