import Core
package import Web

extension EntryKind.Position {
    /// - Throws: `.invalid` unless `cursor` was made here, for the same list.
    package init(_ cursor: String, _ cursors: Cursors, purpose: String, scope: [String]) throws {
        let key = try cursors.open(cursor, purpose: purpose, scope: scope, count: 2)
        guard let microseconds = Int64(key[0]) else { throw Cursors.unreadable }
        self.init(at: Timestamp(microseconds: microseconds), id: key[1])
    }

    package func cursor(_ cursors: Cursors, purpose: String, scope: [String]) -> String {
        cursors.make([String(at.microseconds), id], purpose: purpose, scope: scope)
    }
}
