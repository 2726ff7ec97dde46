import Core

/// How many rows of a list one answer has.
package enum PageSize {
    /// - Parameter limit: as asked for; default 20.
    /// - Throws: `.invalid` naming `limit` unless it is 1…100.
    package static func read(_ limit: Int?) throws -> Int {
        guard let limit else { return 20 }
        guard 1...100 ~= limit else { throw Problem(.invalid, "limit must be 1…100.", field: "limit") }
        return limit
    }
}
