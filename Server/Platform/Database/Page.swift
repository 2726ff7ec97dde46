/// Which page of a list is asked for.
package struct PageRequest<Key: Sendable>: Sendable {
    /// The sort key of the last row that was shown; `nil` for the first page.
    package let after: Key?
    /// Rows of a page, 1 or more.
    package let limit: Int

    package init(after: Key?, limit: Int) {
        self.after = after
        self.limit = limit
    }

    /// Rows to read: the one that is too many tells that there is another page.
    package var rowLimit: Int { limit + 1 }
}

/// One page of a list.
package struct Page<Element: Sendable, Key: Sendable>: Sendable {
    /// In the list's order.
    package let rows: [Element]
    /// Where the next page begins: the sort key of this one's last row. `nil` when this is the last page.
    package let next: Key?

    /// - Parameters:
    ///   - read: the rows from where the page begins, in order; more than `limit` where there is another page.
    ///   - limit: rows of the page, 1 or more.
    package init(_ read: consuming [Element], limit: Int, key: (Element) throws -> Key) rethrows {
        guard read.count > limit else {
            rows = read
            next = nil
            return
        }
        read.removeLast(read.count - limit)
        next = try read.last.map(key)
        rows = read
    }

    init(rows: [Element], next: Key?) {
        self.rows = rows
        self.next = next
    }

    package func map<Other: Sendable>(_ other: (Element) throws -> Other) rethrows -> Page<Other, Key> {
        Page<Other, Key>(rows: try rows.map(other), next: next)
    }
}
