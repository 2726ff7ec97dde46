package import Database

/// A column that holds blob keys. Each value is one reference to a blob; `BlobAudit` counts the references. The column needs an index.
package struct BlobReferences: Sendable {
    /// `table.column`
    package let name: String
    private let table: SQL
    private let column: SQL
    private let age: SQL?

    /// - Parameter newestBy: an indexed column that sorts the rows by age, the newest last; `nil` if there is none.
    package init(table: StaticString, column: StaticString, newestBy age: StaticString? = nil) {
        name = "\(table).\(column)"
        self.table = SQL(stringLiteral: table)
        self.column = SQL(stringLiteral: column)
        self.age = age.map { SQL(stringLiteral: $0) }
    }

    /// The keys in the newest rows; `nil` if no column sorts the rows by age.
    package func newest(count: Int) -> SQL? {
        guard let age else { return nil }
        return "SELECT \(sql: column) AS key FROM \(sql: table) ORDER BY \(sql: age) DESC LIMIT \(count)"
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
