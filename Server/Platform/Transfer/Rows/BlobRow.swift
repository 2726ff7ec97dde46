import Blobs
import Database

/// A row of the table `blob`, as far as a transfer needs it.
struct BlobRow: Sendable, Hashable {
    typealias Key = BlobKey

    static let table = "blob"

    let key: BlobKey
    let sha256: String
    let byteCount: Int64
    /// A dead blob's bytes may be deleted already.
    let isLive: Bool

    /// - Parameter row: one value for each of the table's columns.
    init(_ row: [SQLValue], of table: StoredTable) throws { try self.init(row, table.columns.map(\.name)) }

    init(_ row: [SQLValue], _ columns: [String]) throws { try self.init(Row(columns: columns, values: row)) }

    init(_ row: Row) throws {
        key = try row.get("key", as: BlobKey.self)
        sha256 = try row.get("sha256")
        byteCount = try row.get("byte_count")
        isLive = try row.get("state", as: String.self) == "live"
    }

    static func key(_ value: SQLValue) -> BlobKey? { BlobKey(sqlValue: value) }
}

/// The live blobs of a snapshot, in the order of their keys.
struct BlobRows: ~Copyable {
    private var reading: RowReading
    private let columns: [String]

    init(_ snapshot: Snapshot, in folder: String) throws {
        let columns = snapshot.tables.first { $0.name == BlobRow.table }?.columns.map(\.name) ?? []
        self.columns = columns
        reading = try RowReading(Snapshot.path(of: BlobRow.table, in: folder), columnCount: columns.count)
    }

    /// At most `count`; empty only at the end.
    mutating func page(_ count: Int) throws -> [BlobRow] {
        while true {
            let rows = try reading.page(count)
            if rows.isEmpty { return [] }
            let live = try rows.map { try BlobRow($0, columns) }.filter(\.isLive)
            if !live.isEmpty { return live }
        }
    }
}
