import Core
import Database
import Timeline
import Wire

/// Finds, and reads what was found. All SQL of the room but for the index's own.
///
/// A search reads the owner's shelves from the latest on until it has some 2,000 documents: a window. Within a window the best comes
/// first; when a window has been shown to its end, the next one follows. So no page costs more than a window or two, however common the
/// word and however much there is.
struct SearchStore: Sendable {
    /// A window ends with the shelf that brings it to so many documents.
    static let windowSize = 2_048
    /// So many documents of one step are taken; more than a shelf ever holds.
    static let stepLimit = 4_096
    /// Shelves looked at in one step, where words are rare.
    static let stepShelves = 16

    /// Where a page goes on.
    struct Position: Sendable, Equatable {
        /// The window's first shelf.
        let shelf: Int64
        /// Documents that took a later place came after the first page was asked for.
        let lastPlace: Int64
        /// Of the last one shown.
        let hit: SearchHit
    }

    struct Question: Sendable {
        let owner: String
        let terms: [TokenPhrase]
        let kind: String?
    }

    struct Page: Sendable {
        let items: [SearchItem]
        let next: Position?
    }

    let database: any Database
    let kinds: [EntryKind]

    func page(_ question: Question, after position: Position?, limit: Int) async throws -> Page {
        try await database.read { tx in
            // One more than asked for says whether there is another page.
            let found = try hits(question, after: position, limit: limit + 1, tx)
            let shown = found.prefix(limit)
            return Page(
                items: try items(shown.map(\.hit), question, tx), next: found.count > limit ? shown.last : nil)
        }
    }

    // MARK: Finding

    func hits(_ question: Question, after position: Position?, limit: Int, _ tx: ReadTransaction) throws -> [Position] {
        guard let extent = try tx.row(Self.extent(question.owner)),
            let firstPlace = try extent.get("first", as: Int64?.self), let newest = try extent.get("last", as: Int64?.self)
        else { return [] }
        let lastPlace = position?.lastPlace ?? newest
        let lastShelf = OwnerShelf.shelf(of: firstPlace)
        var start: Int64? = position?.shelf ?? OwnerShelf.shelf(of: newest)
        var found: [Position] = []
        while let shelf = start, found.count < limit {
            let window = try window(question, from: shelf, to: lastShelf, lastPlace: lastPlace, tx)
            let rest = window.hits.filter { hit in position.map { $0.shelf != shelf || $0.hit.precedes(hit) } ?? true }
            found += rest.sorted { $0.precedes($1) }.prefix(limit - found.count).map {
                Position(shelf: shelf, lastPlace: lastPlace, hit: $0)
            }
            start = window.next
        }
        return found
    }

    /// - Returns: what stands on the shelves from `first` down to `last`, or on as many of them as make a window, and where the next one
    ///   begins.
    private func window(
        _ question: Question, from first: Int64, to last: Int64, lastPlace: Int64, _ tx: ReadTransaction
    ) throws -> (hits: [SearchHit], next: Int64?) {
        let ranking = SearchRanking(question.terms)
        var hits: [SearchHit] = []
        var shelf = first
        var step: Int64 = 1
        while shelf >= last, hits.count < Self.windowSize {
            let shelves = max(last, shelf - step + 1)...shelf
            let rows = try tx.rows(Self.search(question, shelves, lastPlace: lastPlace, tx.tokenSearch))
            if rows.count > Self.stepLimit, shelves.count > 1 {
                // More at once than one window may hold.
                step = 1
                continue
            }
            hits += try rows.map { row in
                SearchHit(
                    score: ranking.score(try row.get("head")), at: try row.get("at"), id: try row.get("id"), kind: try row.get("kind"))
            }
            shelf = shelves.lowerBound - 1
            step = Self.nextStep(after: step, read: first - shelf, found: hits.count)
        }
        return (hits, shelf >= last ? shelf : nil)
    }

    /// As many shelves as it takes to fill the window, going by what was found so far; at first carefully.
    static func nextStep(after step: Int64, read: Int64, found: Int) -> Int64 {
        let wanted = Int64(max(windowSize - found, 0))
        return max(1, min(Int64(stepShelves), step * 4, wanted * read / Int64(max(found, 1))))
    }

    // MARK: Reading

    private func items(_ hits: [SearchHit], _ question: Question, _ tx: ReadTransaction) throws -> [SearchItem] {
        var entries: [EntryName: TimelineItem] = [:]
        var texts: [EntryName: [SearchDocument.Text]] = [:]
        for (kind, hits) in Dictionary(grouping: hits, by: \.kind) {
            let ids = hits.map(\.id)
            guard let room = kinds.first(where: { $0.names.contains(kind) }) else { continue }
            for entry in try room.entries(ids, question.owner, tx) where entry.item.kind == kind {
                entries[EntryName(kind: kind, id: entry.position.id)] = entry.item
            }
            for row in try tx.rows(Self.texts(kind: kind, ids, owner: question.owner)) {
                texts[EntryName(kind: kind, id: try row.get("id"))] = try SearchWords.texts(column: row.get("texts"))
            }
        }
        let snippets = SearchSnippets(question.terms)
        return hits.compactMap { hit in
            let name = EntryName(kind: hit.kind, id: hit.id)
            return entries[name].map { SearchItem(item: $0, snippets: snippets.snippets(of: texts[name] ?? [])) }
        }
    }

    private struct EntryName: Hashable {
        let kind: String
        let id: String
    }
}
