package import Database

/// How rows of one feature that were made before rows counted against the quota are counted. Such a row has no `row_bytes`.
package struct RowCounter: Sendable {
    /// The name under which the pass is kept: that of the table.
    package let kind: String
    /// The next rows' ids, ascending: `SELECT id FROM … WHERE id > … ORDER BY id LIMIT …`.
    package let ids: @Sendable (_ after: String, _ limit: Int) -> SQL
    /// Holds off whoever changes the row, and sets its `row_bytes` if it has none.
    /// - Returns: whose the row is, and its bytes; `nil` when it is gone or was counted.
    package let count: @Sendable (_ id: String, _ tx: WriteTransaction) throws -> (owner: String, byteCount: Int64)?

    package init(
        kind: String, ids: @escaping @Sendable (_ after: String, _ limit: Int) -> SQL,
        count: @escaping @Sendable (_ id: String, _ tx: WriteTransaction) throws -> (owner: String, byteCount: Int64)?
    ) {
        self.kind = kind
        self.ids = ids
        self.count = count
    }
}
