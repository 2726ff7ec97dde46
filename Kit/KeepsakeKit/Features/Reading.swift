public import KeepsakeWire

/// Entries of all kinds in chronological order.
public struct Timeline: Sendable {
    let client: Client

    /// The entries that match all filters, latest first.
    /// - Parameters:
    ///   - from: a `Date`, or a `CalendarDay` in the account's time zone.
    ///   - to: a `Date`, which is excluded, or a `CalendarDay`, which is included.
    ///   - kinds: values of `TimelineItem.kind`; empty for all kinds.
    ///   - isAscending: whether to reverse the order, so that the oldest entry comes first.
    ///   - limit: the most entries on a page, 1…100; 20 by default.
    public func entries(
        from: (any TimeBound)? = nil, to: (any TimeBound)? = nil, tag: String? = nil, kinds: [String] = [], isAscending: Bool = false,
        limit: Int? = nil
    ) -> Pages<TimelineItem> {
        let (from, to) = (from?.rangeText, to?.rangeText)
        return Pages { [client] cursor in
            let page = try await client.send(TimelineEndpoints.timeline) {
                TimelineInput(
                    userId: $0, from: from, to: to, tag: tag, kind: kinds.isEmpty ? nil : kinds.joined(separator: ","),
                    order: isAscending ? "asc" : nil, limit: limit, cursor: cursor)
            }
            return Pages.Page(items: page.items, nextCursor: page.pagination.nextCursor)
        }
    }
}

/// Full-text search.
public struct SearchService: Sendable {
    let client: Client

    /// The entries that match all words, the best match first. Call it as `keepsake.search("sea")`.
    /// - Parameters:
    ///   - words: a result contains all of them. Accents and case do not matter. The last word may be only the beginning of a word.
    ///   - kind: only results of this kind: `mood`, `memory`, `event`, `capsule`, `file` or `capture`.
    ///   - limit: the most items on a page, 1…100; 20 by default.
    public func callAsFunction(_ words: String, kind: String? = nil, limit: Int? = nil) -> Pages<SearchItem> {
        Pages { [client] cursor in
            let page = try await client.send(SearchEndpoints.search) {
                SearchInput(userId: $0, q: words, kind: kind, limit: limit, cursor: cursor)
            }
            return Pages.Page(items: page.items, nextCursor: page.pagination.nextCursor)
        }
    }
}

/// Questions about the caller's own entries.
public struct Questions: Sendable {
    let client: Client

    /// Asks a question. Call it as `keepsake.ask("…")`.
    /// - Parameters:
    ///   - text: at most 1,000 characters.
    ///   - from: the earliest time of the entries, as in `Timeline.entries`. If you pass `from` or `to`, the server ignores the days that
    ///     the text names.
    ///   - to: the end of the time range, as in `Timeline.entries`.
    ///   - kind: as in `SearchService`, for example `memory`; `nil` for all kinds.
    public func callAsFunction(
        _ text: String, from: (any TimeBound)? = nil, to: (any TimeBound)? = nil, kind: String? = nil
    ) async throws -> AskResponse {
        let (from, to) = (from?.rangeText, to?.rangeText)
        return try await client.send(AskEndpoints.ask) { AskInput(userId: $0, text: text, from: from, to: to, kind: kind) }
    }
}
