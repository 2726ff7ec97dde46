package import Core

/// The order of a list that is read in pages (keyset pagination): each page begins after the last row of the previous page. An index must
/// have the same columns, after those that the statement compares with `=`. Then every page costs the same, and a row that is not deleted
/// is shown exactly once, whatever is added or deleted in between.
///
///     static let newestFirst = Keyset(.descending, "media.created_at", "media.id")
///     "SELECT … FROM media WHERE media.owner = \(owner)\(sql: newestFirst.page(after: key?.sql, limit: request.rowLimit))"
package struct Keyset: Sendable {
    package enum Direction: Sendable {
        case ascending, descending
    }

    private let count: Int
    private let condition: SQL
    private let conditionEnd: SQL
    private let order: SQL

    /// - Parameter columns: at least one. Together they must be unique among the rows of the list.
    package init(_ direction: Direction, _ columns: StaticString...) { self.init(direction, columns) }

    init(_ direction: Direction, _ columns: [StaticString]) {
        precondition(!columns.isEmpty, "a list needs an order")
        let names = columns.map { SQL(stringLiteral: $0) }
        count = names.count
        let comparison: SQL = direction == .ascending ? " > " : " < "
        let suffix: SQL = direction == .ascending ? "" : " DESC"
        if names.count == 1 {
            condition = " AND \(sql: names[0])\(sql: comparison)"
            conditionEnd = ""
        } else {
            condition = (" AND (\(sql: .series(names)))\(sql: comparison)(" as SQL).joined()
            conditionEnd = ")"
        }
        order = (" ORDER BY \(sql: .series(names.map { "\(sql: $0)\(sql: suffix)" })) LIMIT " as SQL).joined()
    }

    /// The end of a statement that has a WHERE clause: it selects the rows after `key`, in the list's order.
    /// - Parameters:
    ///   - key: the key of the last row shown, one value for each column: `"\(at), \(id)"`; `nil` for the first page.
    ///   - limit: maximum number of rows. One more than a page shows (`PageRequest.rowLimit`) indicates whether there is a next page.
    package func page(after key: SQL?, limit: Int) -> SQL {
        guard let key else { return order + "\(limit)" }
        precondition(key.values.count == count, "a key has a value for each column of the order")
        return condition + key + conditionEnd + order + "\(limit)"
    }
}

/// One order in both directions. The same index serves both.
package struct TwoWayKeyset: Sendable {
    private let ascending: Keyset
    private let descending: Keyset

    /// - Parameter columns: as those of a `Keyset`.
    package init(_ columns: StaticString...) {
        ascending = Keyset(.ascending, columns)
        descending = Keyset(.descending, columns)
    }

    package subscript(direction: Keyset.Direction) -> Keyset { direction == .ascending ? ascending : descending }
}

/// The sort key of most lists: a time, and an id that orders equal times.
package struct TimeKey: Sendable, Equatable {
    package let at: Timestamp
    package let id: String

    package init(at: Timestamp, id: String) {
        self.at = at
        self.id = id
    }

    /// In the form that `Keyset.page` takes.
    package var sql: SQL { "\(at), \(id)" }

    /// Whether a list that shows the latest first shows this row before `other`: by time, then by the id's bytes, as the engines compare.
    package func isLater(than other: Self) -> Bool {
        at != other.at ? at > other.at : other.id.utf8.lexicographicallyPrecedes(id.utf8)
    }

    /// Whether a list in this direction shows this row before `other`.
    package func precedes(_ other: Self, in direction: Keyset.Direction) -> Bool {
        direction == .descending ? isLater(than: other) : other.isLater(than: self)
    }
}
