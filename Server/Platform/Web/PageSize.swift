import Core
package import Database

/// Limits of a page of a list: the number of rows, and the bytes of their texts.
package enum PageSize {
    /// Maximum bytes of the texts of one page. A page shows at least one row, even if that row alone is longer. As JSON, the texts may take
    /// more bytes: a control character takes six.
    package static let byteCount: Int64 = 2 << 20

    /// - Parameter limit: as the client sent it; default 20.
    /// - Throws: `.invalid` naming `limit` unless it is 1…100.
    package static func read(_ limit: Int?) throws -> Int {
        guard let limit else { return 20 }
        guard 1...100 ~= limit else { throw Problem(.invalid, "limit must be 1…100.", field: "limit") }
        return limit
    }

    /// Reads the `limit` of surface 1: 1…50, default 10; more than 50 means 50.
    /// - Throws: `.invalid` naming `limit` when it is below 1.
    package static func readUpTo50(_ limit: Int?) throws -> Int {
        guard let limit else { return 10 }
        guard limit >= 1 else { throw Problem(.invalid, "limit must be 1 or more.", field: "limit") }
        return min(limit, 50)
    }
}

extension Page {
    /// Makes a page that ends before `limit` rows if the next row would make its texts longer than `PageSize.byteCount`. A page shows at
    /// least one row.
    /// - Parameters:
    ///   - read: the rows from the beginning of the page, in order: at least `limit + 1`, unless no more rows follow, or the texts of
    ///     these rows are longer than `PageSize.byteCount`.
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
