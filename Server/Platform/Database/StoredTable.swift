/// A table as the engine's catalogue describes it: what a copy of all rows needs to know. The columns of one engine only, such as those of
/// a full-text index, are left out.
package struct StoredTable: Sendable, Equatable {
    package struct Column: Sendable, Equatable {
        /// What the column stores, the same on both engines.
        package enum Kind: String, Sendable, Codable, CaseIterable {
            case integer, real, text, bytes
        }

        package let name: String
        package let kind: Kind

        package init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package let name: String
    /// Sorted by name, so that both engines list them in the same order: `ALTER TABLE` adds columns in the order in which migrations ran.
    package let columns: [Column]
    /// The columns of the primary key, in its order. Texts in it are compared byte by byte.
    package let key: [String]
    /// The tables that its foreign keys refer to, sorted.
    package let references: [String]
    /// Whether the engine generates the key. Then an INSERT that contains a key needs OVERRIDING SYSTEM VALUE.
    let generatesKey: Bool

    package init(name: String, columns: [Column], key: [String], references: Set<String>, generatesKey: Bool) {
        self.name = name
        self.columns = columns.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        self.key = key
        self.references = references.sorted()
        self.generatesKey = generatesKey
    }

    /// The positions of the key's columns in `columns`.
    package var keyPositions: [Int] { key.compactMap { name in columns.firstIndex { $0.name == name } } }

    /// The statements that read and change any rows of the table. Make it once: the engines cache statements by these texts.
    package var statements: Statements { Statements(self) }
}

extension StoredTable {
    /// Statements for a table whose name is known only while the program runs. All names come from the engine's catalogue, and are quoted.
    package struct Statements: Sendable {
        private let select: SQL
        private let selectKeys: SQL
        private let keyColumns: SQL
        private let order: SQL
        private let insertion: SQL
        private let conflict: SQL
        private let deletion: SQL
        private let first: SQL
        /// The most rows of one INSERT. With more rows, it would bind too many values to be kept prepared on PostgreSQL.
        private let rowsOfPut: Int
        /// For a key that the engine generates: makes the engine continue after the largest stored key. `nil` on SQLite, which does so by
        /// itself.
        package let continuation: SQL?

        init(_ table: StoredTable) {
            func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
            let name = quoted(table.name)
            let all = table.columns.map { quoted($0.name) }.joined(separator: ", ")
            let key = table.key.map(quoted)
            let keys = key.joined(separator: ", ")
            select = SQL(joining: "SELECT \(all) FROM \(name) WHERE 0 = 0")
            selectKeys = SQL(joining: "SELECT \(keys) FROM \(name) WHERE 0 = 0")
            keyColumns = SQL(joining: key.count == 1 ? keys : "(\(keys))")
            order = SQL(joining: " ORDER BY \(keys) LIMIT ")
            let overriding = table.generatesKey ? " OVERRIDING SYSTEM VALUE" : ""
            insertion = SQL(joining: "INSERT INTO \(name) (\(all))\(overriding) VALUES (")
            let others = table.columns.map(\.name).filter { !table.key.contains($0) }.map { "\(quoted($0)) = excluded.\(quoted($0))" }
            conflict = SQL(
                joining: others.isEmpty
                    ? ") ON CONFLICT (\(keys)) DO NOTHING"
                    : ") ON CONFLICT (\(keys)) DO UPDATE SET \(others.joined(separator: ", "))")
            deletion = SQL(joining: "DELETE FROM \(name) WHERE ")
            first = SQL(joining: "SELECT \(keys) FROM \(name) LIMIT 1")
            rowsOfPut = max(1, 128 / table.columns.count)
            continuation =
                table.generatesKey
                ? SQL(
                    joining: """
                        SELECT setval(pg_get_serial_sequence('\(name.replacing("'", with: "''"))', '\(table.key[0])'),
                        COALESCE((SELECT MAX(\(keys)) FROM \(name)), 0) + 1, false) AS next
                        """) : nil
        }

        /// The rows after the key `last`, in the order of the key.
        /// - Parameter end: the last key, included; `nil` for no end.
        package func rows(after last: [SQLValue]?, through end: [SQLValue]? = nil, limit: Int) -> SQL {
            select + range(last, end) + order + "\(limit)"
        }

        /// The same rows, but only the columns of the key.
        package func keys(after last: [SQLValue]?, through end: [SQLValue]?, limit: Int) -> SQL {
            selectKeys + range(last, end) + order + "\(limit)"
        }

        private func range(_ last: [SQLValue]?, _ end: [SQLValue]?) -> SQL {
            var range: SQL = ""
            if let last { range = range + " AND " + keyColumns + " > " + Self.tuple(last) }
            if let end { range = range + " AND " + keyColumns + " <= " + Self.tuple(end) }
            return range
        }

        private static func tuple(_ values: [SQLValue]) -> SQL { values.count == 1 ? SQL(bound: values) : "(" + SQL(bound: values) + ")" }

        /// Inserts rows, or replaces the rows with the same keys. There are at most two different texts: an engine keeps both prepared.
        /// - Parameter rows: of different keys, with one value for each of the table's columns.
        package func put(_ rows: [[SQLValue]]) -> [SQL] {
            var statements: [SQL] = []
            var rest = rows[...]
            while !rest.isEmpty {
                let count = rest.count >= rowsOfPut ? rowsOfPut : 1
                statements.append(insertion + SQL(rows: rest.prefix(count)) + conflict)
                rest = rest.dropFirst(count)
            }
            return statements
        }

        package func delete(_ key: [SQLValue]) -> SQL { deletion + keyColumns + " = " + Self.tuple(key) }

        /// One row, if there is any.
        package var any: SQL { first }
    }
}
