import Core
package import Database

/// The number of rows in a page of a list, and their length.
package enum PageSize {
    /// The texts of one page, in bytes, at most. A page shows at least one row, which may be longer. JSON may take more: six bytes for a
    /// control character.
    package static let byteCount: Int64 = 2 << 20

    /// - Parameter limit: as the client sent it; default 20.
    /// - Throws: `.invalid` naming `limit` unless it is 1…100.
    package static func read(_ limit: Int?) throws -> Int {
        guard let limit else { return 20 }
        guard 1...100 ~= limit else { throw Problem(.invalid, "limit must be 1…100.", field: "limit") }
        return limit
    }

    /// As surface 1 reads it: 1…50, default 10; more than 50 means 50.
    /// - Throws: `.invalid` naming `limit` when it is below 1.
    package static func readUpTo50(_ limit: Int?) throws -> Int {
        guard let limit else { return 10 }
        guard limit >= 1 else { throw Problem(.invalid, "limit must be 1 or more.", field: "limit") }
        return min(limit, 50)
    }
}

extension Page {
    /// A page that also ends before the row with which its texts would be longer than `PageSize.byteCount`. It shows at least one row.
    /// - Parameters:
    ///   - read: the rows from the beginning of the page, in order. If it holds fewer rows than the page's limit although more follow, its
    ///     rows together are longer than `PageSize.byteCount`.
    ///   - limit: maximum number of rows of the page, 1 or more.
    ///   - byteCount: the approximate length of a row's texts.
    package init(inBytes read: [Element], limit: Int, byteCount: (Element) -> Int64, key: (Element) -> Key) {
        var total: Int64 = 0
        let fitting = read.prefix(limit).prefix { row in
            total += byteCount(row)
            return total <= PageSize.byteCount
        }
        let count = max(fitting.count, min(1, read.count))
        guard count < read.count else {
            self.init(rows: read, next: nil)
            return
        }
        self.init(rows: Array(read[..<count]), next: key(read[count - 1]))
    }
}
