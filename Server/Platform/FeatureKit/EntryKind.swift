package import Core
package import Database
package import KeepsakeWire

/// A kind of thing that people keep, and how it is read: what a feature registers for the timeline and for search results.
package struct EntryKind: Sendable {
    /// Where the next page begins: the sort key of the last entry shown.
    package typealias Position = TimeKey

    /// Which entries a timeline shows, the latest first.
    package struct Request: Sendable {
        package var owner: String
        /// Then or later.
        package var from: Timestamp?
        /// Before.
        package var to: Timestamp?
        package var tag: String?
        /// Only what stands after it.
        package var after: Position?
        /// At most so many.
        package var limit: Int

        package init(owner: String, from: Timestamp?, to: Timestamp?, tag: String?, after: Position?, limit: Int) {
            self.owner = owner
            self.from = from
            self.to = to
            self.tag = tag
            self.after = after
            self.limit = limit
        }

        /// Conditions on `column`, which holds an entry's time.
        package func range(_ column: SQL) -> SQL {
            var range: SQL = ""
            if let from { range = range + " AND \(sql: column) >= \(from)" }
            if let to { range = range + " AND \(sql: column) < \(to)" }
            return range
        }
    }

    package struct Entry: Sendable {
        package let position: Position
        package let item: TimelineItem

        package init(position: Position, item: TimelineItem) {
            self.position = position
            self.item = item
        }
    }

    /// For example `mood`.
    package let names: Set<String>
    /// The latest first, by `(at, id)`; `nil` for a kind that no timeline shows.
    package let page: (@Sendable (Request, ReadTransaction) throws -> [Entry])?
    /// The entries with these ids that exist and are the owner's.
    package let entries: @Sendable (_ ids: [String], _ owner: String, ReadTransaction) throws -> [Entry]

    /// - Parameter names: several when one statement reads several kinds.
    package init(
        _ names: Set<String>, page: (@Sendable (Request, ReadTransaction) throws -> [Entry])?,
        entries: @escaping @Sendable ([String], String, ReadTransaction) throws -> [Entry]
    ) {
        self.names = names
        self.page = page
        self.entries = entries
    }
}
