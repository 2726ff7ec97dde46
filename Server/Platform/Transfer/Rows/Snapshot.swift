package import Blobs
package import Core
package import Database

/// All rows of an installation at one moment: what a backup stores in addition to the row files.
package struct Snapshot: Sendable, Codable, Equatable {
    /// The number of this format.
    static let format = 1

    package struct Table: Sendable, Codable, Equatable {
        package struct Column: Sendable, Codable, Equatable {
            package let name: String
            package let kind: StoredTable.Column.Kind
        }

        package let name: String
        package let columns: [Column]
        package let key: [String]
        package let rowCount: Int64
        package let byteCount: Int64
        /// The hash of the file with the rows.
        package let sha256: String

        /// Whether the rows fit into `table` as they are.
        func fits(_ table: StoredTable) -> Bool {
            key == table.key && columns == table.columns.map { Column(name: $0.name, kind: $0.kind) }
        }
    }

    package var format = Snapshot.format
    /// The time and a random part, so that names sort by time.
    package let id: String
    /// The id of the installation.
    package let installation: String
    /// Everything that was acknowledged before this time is in the snapshot.
    package let createdAt: Timestamp
    /// The version of keepsake.
    package let program: String
    /// The migrations that had run.
    package let migrations: [String]
    package let tables: [Table]
    package internal(set) var blobCount = 0
    package internal(set) var blobByteCount: Int64 = 0
    /// Blobs whose account was deleted while the backup ran.
    package internal(set) var missing: [BlobKey] = []
    /// Blobs whose bytes at the source did not match their rows.
    package internal(set) var damaged: [BlobKey] = []
}

extension Snapshot {
    /// The tables' rows as files in `folder`, read in one transaction.
    static func writeRows(_ tables: [StoredTable], of database: any Database, into folder: String) async throws -> [Table] {
        try await database.read { tx in
            try tables.map { table in
                // The closure may run twice; the files are then replaced.
                var writer = try RowWriter(path(of: table.name, in: folder))
                return try write(table, to: &writer, tx)
            }
        }
    }

    /// The hash and the number of the rows that the database has now.
    static func hash(_ table: StoredTable, of database: any Database) async throws -> Table {
        try await database.read { tx in
            var writer = try RowWriter(nil)
            return try write(table, to: &writer, tx)
        }
    }

    static func path(of table: String, in folder: String) -> String { "\(folder)/\(table).rows" }

    private static func write(_ table: StoredTable, to writer: inout RowWriter, _ tx: ReadTransaction) throws -> Table {
        let statements = table.statements
        let key = table.keyPositions
        var last: [SQLValue]?
        var limit = 32
        while true {
            let before = writer.byteCount
            let rows = try tx.rows(statements.rows(after: last, limit: limit))
            for row in rows { try writer.append(row.values) }
            guard rows.count == limit, let end = rows.last else { break }
            last = key.map { end.values[$0] }
            // The next page has about 1 MiB.
            let average = max(1, (writer.byteCount - before) / Int64(rows.count))
            limit = Int(min(max(1_048_576 / average, 16), 512))
        }
        let (rowCount, byteCount) = (writer.rowCount, writer.byteCount)
        return Table(
            name: table.name, columns: table.columns.map { Table.Column(name: $0.name, kind: $0.kind) }, key: table.key, rowCount: rowCount,
            byteCount: byteCount, sha256: try writer.finish())
    }
}
