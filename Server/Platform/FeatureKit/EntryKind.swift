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
        /// Only entries of these kinds; `nil` for all. An `EntryKind` with a single name may ignore it, because the caller skips every
        /// `EntryKind` that has none of these names.
        package var kinds: Set<String>?
        /// Descending: the latest first.
        package var order: Keyset.Direction
        /// Only entries that follow this position; `nil` for the first page.
        package var after: Position?
        /// Maximum number of entries.
        package var limit: Int
        /// Whether only the kinds and positions of the entries are wanted. If so, the statement reads nothing else.
        package var positionsOnly: Bool

        package init(
            owner: String, from: Timestamp?, to: Timestamp?, tag: String?, kinds: Set<String>? = nil,
            order: Keyset.Direction = .descending, after: Position?, limit: Int, positionsOnly: Bool = false
        ) {
            self.owner = owner
            self.from = from
            self.to = to
            self.tag = tag
            self.kinds = kinds
            self.order = order
            self.after = after
            self.limit = limit
            self.positionsOnly = positionsOnly
        }

        /// SQL conditions that restrict `column`, an entry's time, to `from` and `to`.
        package func range(_ column: SQL) -> SQL {
            var range: SQL = ""
            // All rows that follow the position `after` satisfy the bound at which the list begins, so that bound is left out. If a
            // statement has two conditions for the same end, SQLite may begin its scan at the farther one.
            if let from, after == nil || order == .descending { range = range + " AND \(sql: column) >= \(from)" }
            if let to, after == nil || order == .ascending { range = range + " AND \(sql: column) < \(to)" }
            return range
        }
    }

    package struct Entry: Sendable {
        package let position: Position
        /// For example `mood`.
        package let kind: String
        /// The approximate length of its texts, in bytes.
        package let byteCount: Int64
        private let render: @Sendable () -> TimelineItem

        /// Renders the entry again for each call. Use it outside of a read transaction, because rendering a long entry keeps a thread busy
        /// for long.
        package var item: TimelineItem { render() }

        /// - Parameter byteCount: default 1,024.
        package init(position: Position, byteCount: Int64 = 1_024, item: TimelineItem) {
            self.init(position: position, kind: item.kind, byteCount: byteCount) { item }
        }

        /// - Parameter render: renders the entry. It is called only when a response certainly shows the entry.
        package init(position: Position, kind: String, byteCount: Int64, render: @escaping @Sendable () -> TimelineItem) {
            self.position = position
            self.kind = kind
            self.byteCount = byteCount
            self.render = render
        }
    }

    /// An entry of a list. A short entry is already read; a long one must still be read with `entries`.
    package struct Listed: Sendable {
        package let position: Position
        /// For example `mood`.
        package let kind: String
        /// The approximate length of the entry's texts, in bytes; 0 if only positions were wanted.
        package let byteCount: Int64
        package let entry: Entry?

        package init(_ entry: Entry) {
            position = entry.position
            kind = entry.kind
            byteCount = entry.byteCount
            self.entry = entry
        }

        package init(position: Position, kind: String, byteCount: Int64) {
            self.position = position
            self.kind = kind
            self.byteCount = byteCount
            entry = nil
        }
    }

    /// For example `mood`.
    package let names: Set<String>
    /// Lists entries of the request's kinds, sorted by `(at, id)` in the request's order; `nil` for a kind that no timeline shows. If the
    /// texts are longer than a page (`PageSize.currentByteCount`), the list may have fewer entries than the request's limit. A list of
    /// positions only is never shortened in this way.
    package let list: (@Sendable (Request, ReadTransaction) throws -> [Listed])?
    /// Returns those of the entries with these ids that exist and belong to the owner.
    package let entries: @Sendable (_ ids: [String], _ owner: String, ReadTransaction) throws -> [Entry]
    /// Returns the approximate lengths of the texts of the entries with these ids, in bytes, by id, without reading the texts. `nil` for a
    /// kind whose entries are short: a hundred of them can be read together.
    package let lengths: (@Sendable (_ ids: [String], _ owner: String, ReadTransaction) throws -> [String: Int64])?

    /// Creates a kind whose entries are short.
    /// - Parameters:
    ///   - names: several when one statement reads several kinds.
    ///   - page: returns a page of entries of the request's kinds, as `list` does.
    package init(
        _ names: Set<String>, page: (@Sendable (Request, ReadTransaction) throws -> [Entry])?,
        entries: @escaping @Sendable ([String], String, ReadTransaction) throws -> [Entry]
    ) {
        self.names = names
        self.entries = entries
        lengths = nil
        guard let page else {
            list = nil
            return
        }
        list = { request, tx in try page(request, tx).map { Listed($0) } }
    }

    /// Creates a kind whose entries may be so long that a hundred of them do not fit into one response.
    /// - Parameters:
    ///   - list: reads the positions and the lengths of the entries, and not their texts.
    ///   - lengths: reads the lengths of the entries with these ids, and not their texts.
    package init(
        _ names: Set<String>, list: @escaping @Sendable (Request, ReadTransaction) throws -> [Listed],
        lengths: @escaping @Sendable ([String], String, ReadTransaction) throws -> [String: Int64],
        entries: @escaping @Sendable ([String], String, ReadTransaction) throws -> [Entry]
    ) {
        self.names = names
        self.list = list
        self.lengths = lengths
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
