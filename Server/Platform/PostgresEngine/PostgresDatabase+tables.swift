package import Database

extension PostgresDatabase {
    package func tables() async throws -> [StoredTable] {
        try await read { tx in
            var columns: [String: [StoredTable.Column]] = [:]
            var keys: [String: [(Int64, String)]] = [:]
            var generated: Set<String> = []
            for row in try tx.rows(Self.tableColumns) {
                let (table, column): (String, String) = (try row.get("a"), try row.get("b"))
                // A column of a full-text index is left out, because the index is built again from the rows.
                if try row.get("kind", as: String.self) == "tsvector" { continue }
                guard let kind = Self.kind(try row.get("kind")) else { throw DatabaseError.column("\(table).\(column)") }
                columns[table, default: []].append(StoredTable.Column(name: column, kind: kind))
                let place: Int64 = try row.get("place")
                guard place > 0 else { continue }
                keys[table, default: []].append((place, column))
                // SQLite compares texts byte by byte; another order here would make the two sides of a comparison disagree.
                guard try kind != .text || row.get("collation", as: String.self) == "C" || table == Self.migrations else {
                    throw DatabaseError.column("\(table).\(column) is part of the primary key and not COLLATE \"C\"")
                }
                if try !row.get("generated", as: String.self).isEmpty { generated.insert(table) }
            }
            var references: [String: Set<String>] = [:]
            for row in try tx.rows(Self.tableReferences) { references[try row.get("a"), default: []].insert(try row.get("b")) }
            return try columns.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { name in
                guard let key = keys[name] else { throw DatabaseError.column("\(name) has no primary key") }
                return StoredTable(
                    name: name, columns: columns[name, default: []], key: key.sorted { $0.0 < $1.0 }.map(\.1),
                    references: references[name, default: []], generatesKey: generated.contains(name))
            }
        }
    }

    /// The connections of servers, and of commands that run at the same time, to this schema.
    package func serverConnectionCount() async throws -> Int {
        let name = PostgresAddress.serverName
        return try await read { tx in
            let row = try tx.row(
                """
                SELECT COUNT(*) AS connections FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = left(\(name) || ':' || current_schema(), 63)
                """)
            return try row?.get("connections") ?? 0
        }
    }

    /// A copy compares the names in this table, and never copies its rows.
    private static let migrations = "schema_migration"

    private static func kind(_ type: String) -> StoredTable.Column.Kind? {
        switch type {
        case "bigint", "integer", "smallint": .integer
        case "double precision": .real
        case "text": .text
        case "bytea": .bytes
        default: nil
        }
    }

    private static let tableColumns: SQL = """
        SELECT CAST(c.relname AS TEXT) AS a, CAST(t.attname AS TEXT) AS b, CAST(format_type(t.atttypid, t.atttypmod) AS TEXT) AS kind,
            CAST(t.attidentity AS TEXT) AS generated, CAST(COALESCE(l.collname, '') AS TEXT) AS collation,
            CAST(COALESCE(array_position(k.conkey, t.attnum), 0) AS BIGINT) AS place
        FROM pg_class AS c
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        JOIN pg_attribute AS t ON t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped
        LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
        LEFT JOIN pg_collation AS l ON l.oid = t.attcollation
        WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema()
        ORDER BY c.relname, t.attnum
        """

    private static let tableReferences: SQL = """
        SELECT CAST(a.relname AS TEXT) AS a, CAST(b.relname AS TEXT) AS b FROM pg_constraint AS k
        JOIN pg_class AS a ON a.oid = k.conrelid JOIN pg_class AS b ON b.oid = k.confrelid
        JOIN pg_namespace AS n ON n.oid = a.relnamespace WHERE k.contype = 'f' AND n.nspname = current_schema()
        """
}
