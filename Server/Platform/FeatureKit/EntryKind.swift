package import Core
package import Database
package import KeepsakeWire

/// A kind of entry, and how to read its entries. Features register their kinds for the timeline and for search results.
package struct EntryKind: Sendable {
    /// Where the next page begins: the sort key of the last entry shown.
    package typealias Position = TimeKey

    /// Which entries a timeline shows.
    package struct Request: Sendable {
        package var owner: String
        /// Inclusive; `nil` for no lower bound.
        package var from: Timestamp?
        /// Exclusive; `nil` for no upper bound.
        package var to: Timestamp?
        package var tag: String?
        /// Only entries of these kinds; `nil` for all. Matters to an `EntryKind` with several names: one without any of these names is not
        /// asked.
        package var kinds: Set<String>?
        /// Descending: the latest first.
        package var order: Keyset.Direction
        /// Only entries that follow this position; `nil` for the first page.
        package var after: Position?
        /// Maximum number of entries.
        package var limit: Int

        package init(
            owner: String, from: Timestamp?, to: Timestamp?, tag: String?, kinds: Set<String>? = nil,
            order: Keyset.Direction = .descending, after: Position?, limit: Int
        ) {
            self.owner = owner
            self.from = from
            self.to = to
            self.tag = tag
            self.kinds = kinds
            self.order = order
            self.after = after
            self.limit = limit
        }

        /// SQL conditions that restrict `column`, an entry's time, to `from` and `to`.
        package func range(_ column: SQL) -> SQL {
            var range: SQL = ""
            // The rows after the position lie within the bound at which the list begins. With two conditions for one end, SQLite may begin
            // at the farther one.
            if let from, after == nil || order == .descending { range = range + " AND \(sql: column) >= \(from)" }
            if let to, after == nil || order == .ascending { range = range + " AND \(sql: column) < \(to)" }
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
    /// Returns a page of entries of the request's kinds, in the request's order, by `(at, id)`; `nil` for a kind that no timeline shows.
    package let page: (@Sendable (Request, ReadTransaction) throws -> [Entry])?
    /// Returns those of the entries with these ids that exist and belong to the owner.
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

    /// Whether it has entries of any of these kinds.
    /// - Parameter kinds: `nil` for all.
    package func has(anyOf kinds: Set<String>?) -> Bool { kinds.map { !names.isDisjoint(with: $0) } ?? true }
}

extension [EntryKind] {
    /// The names of all kinds, for the values of a parameter `kind`.
    private var names: [String] { flatMap(\.names).sorted() }

    /// Checks a parameter `kind` that names one kind.
    /// - Throws: `.invalid` naming `kind` when there is no such kind.
    package func kind(named text: String?) throws -> String? {
        guard let text, !names.contains(text) else { return text }
        throw Problem(.invalid, "kind must be one of \(names.joined(separator: ", ")).", field: "kind")
    }

    /// Parses a parameter `kind` that names one or several kinds, separated by commas.
    /// - Returns: `nil` without a parameter.
    /// - Throws: `.invalid` naming `kind` when there is no such kind.
    package func kinds(named text: String?) throws -> Set<String>? {
        guard let text else { return nil }
        let kinds = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        guard kinds.isSubset(of: names) else {
            throw Problem(
                .invalid, "kind must be one or several of \(names.joined(separator: ", ")), separated by commas.", field: "kind")
        }
        return kinds
    }
}
