package import Database

/// How to count one feature's rows that were created before rows counted against the quota. Such a row has no `row_bytes`.
package struct RowCounter: Sendable {
    /// The name of the table. The progress of the counting is stored under this name.
    package let kind: String
    /// The ids of the next rows, ascending: `SELECT id FROM … WHERE id > … ORDER BY id LIMIT …`.
    package let ids: @Sendable (_ after: String, _ limit: Int) -> SQL
    /// Locks the row against concurrent changes, and sets its `row_bytes` if it has none.
    /// - Returns: the row's owner and its size in bytes; `nil` when the row no longer exists or was already counted.
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
