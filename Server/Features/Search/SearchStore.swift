import Core
import Database
import FeatureKit
import KeepsakeWire

/// Finds, and reads what was found. All SQL of the room but for the index's own.
///
/// A search reads the owner's partitions from the latest on until it has some 2,000 documents: a window. Within a window the best comes
/// first; when a window has been shown to its end, the next one follows. So no page costs more than a window or two, however common the
/// word and however much there is.
struct SearchStore: Sendable {
    /// A window ends with the partition that brings it to so many documents.
    static let windowSize = 2_048
    /// So many documents of one step are taken; more than a partition ever holds.
    static let stepLimit = 4_096
    /// Shelves looked at in one step, where words are rare.
    static let stepShelves = 16

    /// Where a page goes on.
    struct Position: Sendable, Equatable {
        /// The window's first partition.
        let partition: Int64
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

    struct Found: Sendable {
        let items: [SearchItem]
        /// As `Page.next`.
        let next: Position?
    }

    /// Characters of texts that are read for the snippets of a page, in all. Each of its documents has the same part of them: with 16 or
    /// fewer, all that a document keeps.
    static let pageTextLength = 1 << 20

    let database: any Database
    let kinds: [EntryKind]
    /// Ranks and cuts snippets, on threads that serve no request.
    let work: FairWork

    /// The store is asked in short reads; what is computed of their rows is computed between them.
    func page(_ question: Question, _ request: PageRequest<Position>) async throws -> Found {
        let page = Page(try await hits(question, after: request.after, limit: request.rowLimit), limit: request.limit) { $0 }
        return Found(items: try await items(page.rows.map(\.hit), question), next: page.next)
    }

    // MARK: Finding

    func hits(_ question: Question, after position: Position?, limit: Int) async throws -> [Position] {
        var found: [Position] = []
        var place = position.map { Place(partition: $0.partition, lastPlace: $0.lastPlace) }
        while found.count < limit {
            guard let window = try await database.read({ [place] tx in try window(question, from: place, tx) }) else { break }
            let wanted = limit - found.count
            found += try await work.compute {
                let ranking = SearchRanking(question.terms)
                let hits = window.candidates.map { candidate in
                    SearchHit(score: ranking.score(candidate.head), at: candidate.at, id: candidate.id, kind: candidate.kind)
                }
                let rest = hits.filter { hit in position.map { $0.partition != window.place.partition || $0.hit.precedes(hit) } ?? true }
                return rest.sorted { $0.precedes($1) }.prefix(wanted).map {
                    Position(partition: window.place.partition, lastPlace: window.place.lastPlace, hit: $0)
                }
            }
            guard let next = window.next else { break }
            place = Place(partition: next, lastPlace: window.place.lastPlace)
        }
        return found
    }

    /// Where a window begins.
    private struct Place: Sendable {
        let partition: Int64
        let lastPlace: Int64
    }

    private struct Window: Sendable {
        let place: Place
        var candidates: [Candidate] = []
        /// The partition where the next window begins.
        var next: Int64?
    }

    /// A document that holds the words, before it is ranked.
    private struct Candidate: Sendable {
        let kind: String
        let id: String
        let at: Timestamp
        let head: String
    }

    /// What stands on the partitions from a place down, or on as many of them as make a window.
    /// - Parameter place: `nil` begins with the latest.
    /// - Returns: `nil` where the owner has nothing.
    private func window(_ question: Question, from place: Place?, _ tx: ReadTransaction) throws -> Window? {
        guard let extent = try tx.row(Self.extent(question.owner)),
            let firstPlace = try extent.get("first", as: Int64?.self), let newest = try extent.get("last", as: Int64?.self)
        else { return nil }
        let place = place ?? Place(partition: OwnerPartition.partition(of: newest), lastPlace: newest)
        let last = OwnerPartition.partition(of: firstPlace)
        var window = Window(place: place)
        var partition = place.partition
        var step: Int64 = 1
        while partition >= last, window.candidates.count < Self.windowSize {
            let partitions = max(last, partition - step + 1)...partition
            let rows = try tx.rows(Self.search(question, partitions, lastPlace: place.lastPlace, tx.tokenSearch))
            if rows.count > Self.stepLimit, partitions.count > 1 {
                // More at once than one window may hold.
                step = 1
                continue
            }
            window.candidates += try rows.map { row in
                Candidate(kind: try row.get("kind"), id: try row.get("id"), at: try row.get("at"), head: try row.get("head"))
            }
            partition = partitions.lowerBound - 1
            step = Self.nextStep(after: step, read: place.partition - partition, found: window.candidates.count)
        }
        window.next = partition >= last ? partition : nil
        return window
    }

    /// As many partitions as it takes to fill the window, going by what was found so far; at first carefully.
    static func nextStep(after step: Int64, read: Int64, found: Int) -> Int64 {
        let wanted = Int64(max(windowSize - found, 0))
        return max(1, min(Int64(stepShelves), step * 4, wanted * read / Int64(max(found, 1))))
    }

    // MARK: Reading

    private func items(_ hits: [SearchHit], _ question: Question) async throws -> [SearchItem] {
        guard !hits.isEmpty else { return [] }
        let read = try await database.read { tx in
            var entries: [EntryName: TimelineItem] = [:]
            var columns: [EntryName: String] = [:]
            for (kind, hits) in Dictionary(grouping: hits, by: \.kind) {
                guard let room = kinds.first(where: { $0.names.contains(kind) }) else { continue }
                for entry in try room.entries(hits.map(\.id), question.owner, tx) where entry.item.kind == kind {
                    entries[EntryName(kind: kind, id: entry.position.id)] = entry.item
                }
            }
            for (name, column) in try texts(of: hits, question.owner, tx) { columns[name] = column }
            return (entries: entries, columns: columns)
        }
        return try await work.compute {
            let snippets = SearchSnippets(question.terms)
            return try hits.compactMap { hit in
                let name = EntryName(kind: hit.kind, id: hit.id)
                guard let entry = read.entries[name] else { return nil }
                let texts = try read.columns[name].map { try SearchWords.texts(column: $0) } ?? []
                return SearchItem(item: entry, snippets: snippets.snippets(of: texts))
            }
        }
    }

    /// The texts of a page's documents as they are kept, each cut where its part of the page's length ends.
    func texts(of hits: [SearchHit], _ owner: String, _ tx: ReadTransaction) throws -> [(EntryName, String)] {
        let length = Self.pageTextLength / max(hits.count, 1)
        return try Dictionary(grouping: hits, by: \.kind).flatMap { kind, hits in
            try tx.rows(Self.texts(kind: kind, hits.map(\.id), owner: owner, length: length)).map { row in
                (EntryName(kind: kind, id: try row.get("id")), try row.get("texts", as: String.self))
            }
        }
    }

    struct EntryName: Hashable, Sendable {
        let kind: String
        let id: String
    }
}
