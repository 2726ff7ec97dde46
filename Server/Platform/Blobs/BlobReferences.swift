package import Database

/// A column that holds blob keys, each of them one reference; `BlobAudit` counts them. It needs an index.
package struct BlobReferences: Sendable {
    /// `table.column`
    package let name: String
    private let table: SQL
    private let column: SQL

    package init(table: StaticString, column: StaticString) {
        name = "\(table).\(column)"
        self.table = SQL(stringLiteral: table)
        self.column = SQL(stringLiteral: column)
    }

    package func counts(from first: BlobKey, through last: BlobKey) -> SQL {
        """
        SELECT \(sql: column) AS key, COUNT(*) AS refs FROM \(sql: table)
        WHERE \(sql: column) >= \(first) AND \(sql: column) <= \(last)
        GROUP BY \(sql: column)
        """
    }

    package func dangling(after key: String, count: Int) -> SQL {
        """
        SELECT DISTINCT \(sql: column) AS key FROM \(sql: table)
        WHERE \(sql: column) > \(key)
            AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.key = \(sql: table).\(sql: column) AND blob.state = 'live')
        ORDER BY \(sql: column) LIMIT \(count)
        """
    }
}
