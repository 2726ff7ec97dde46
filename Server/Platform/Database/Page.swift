/// A request for one page of a list.
package struct PageRequest<Key: Sendable>: Sendable {
    /// The sort key of the last row shown; `nil` for the first page.
    package let after: Key?
    /// Maximum number of rows of the page, 1 or more.
    package let limit: Int

    package init(after: Key?, limit: Int) {
        self.after = after
        self.limit = limit
    }

    /// Number of rows to read: one more than `limit`, which indicates whether there is a next page.
    package var rowLimit: Int { limit + 1 }
}

/// One page of a list.
package struct Page<Element: Sendable, Key: Sendable>: Sendable {
    /// In the list's order.
    package let rows: [Element]
    /// The sort key after which the next page begins, usually that of this page's last row. `nil` when this is the last page.
    package let next: Key?

    /// - Parameters:
    ///   - read: the rows from the beginning of the page, in order; more than `limit` if there is a next page.
    ///   - limit: maximum number of rows of the page, 1 or more.
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

    package init(rows: [Element], next: Key?) {
        self.rows = rows
        self.next = next
    }

    package func map<Other: Sendable>(_ other: (Element) throws -> Other) rethrows -> Page<Other, Key> {
        Page<Other, Key>(rows: try rows.map(other), next: next)
    }
}
