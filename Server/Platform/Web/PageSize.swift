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
}
