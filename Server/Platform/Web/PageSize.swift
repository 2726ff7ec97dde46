import Core

/// The number of rows in a page of a list.
package enum PageSize {
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
