import Core
import Database
import FeatureKit
import KeepsakeWire
import Web

/// Searches the index and reads the documents that it finds. Holds all SQL of the feature except the index's own.
///
/// The index divides an owner's documents into partitions, in the order in which they were added. A search reads partitions from the latest
/// backwards until it has about 2,000 matches, which are called a window. Within a window, the best matches come first; the matches of the
/// next window come after them. So a page reads one or two windows at most, no matter how frequent the word is and how many documents the
/// owner has.
struct SearchStore: Sendable {
    /// A window ends with the partition that reaches this number of matches.
    static let windowSize = 2_048
    /// The most matches that one step reads. No partition holds as many.
    static let stepLimit = 4_096
    /// The most partitions that one step reads, when words are rare.
    static let stepPartitions = 16

    /// The position after which a page continues.
    struct Position: Sendable, Equatable {
        /// The first partition of the hit's window.
        let partition: Int64
        /// The last place when the first page was read. Later pages leave out documents that were added after it.
        let lastPlace: Int64
        /// The last hit shown.
        let hit: SearchHit
    }

    struct Question: Sendable {
        let owner: String
        let terms: [TokenPhrase]
        let kind: String?
        /// Whether to search only the kinds that the search over everything leaves out.
        var isSeparate = false
    }

    /// A page of hits, whose entries together fit in one response.
    struct Found: Sendable {
        let page: Page<Position, Position>
        /// The approximate length of the entries' texts, in bytes.
        let byteCount: Int64
        /// The page's items; `nil` when the entries are long. Then wait for a turn (`WebContext.waitForTurn`), and read them with
        /// `items(of:_:)`.
        let items: [SearchItem]?
    }

    /// The most characters that are read for the snippets of a page, in total. Each document of the page gets an equal share. With 16 or
    /// fewer documents, a share is as long as a whole document.
    static let pageTextLength = 1 << 20

    let database: any Database
    let kinds: [EntryKind]
    /// Limits how many searches rank documents and make snippets at a time, on threads that serve no requests.
    let work: FairWork
    /// After a step that took longer than this, the next one reads a quarter of the partitions. Otherwise a prefix of very many words would
    /// keep a thread busy for seconds, although it finds nothing.
    var slowStep = Duration.milliseconds(50)

    /// Finds a page of hits. It reads the database in short transactions and computes between them.
    func page(_ question: Question, _ request: PageRequest<Position>) async throws -> Found {
        let hits = try await hits(question, after: request.after, limit: request.rowLimit)
        guard !hits.isEmpty else { return Found(page: Page(rows: [], next: nil), byteCount: 0, items: []) }
        let (found, read) = try await database.read { tx -> (Found, Read?) in
            let (lengths, entries) = try measure(hits.map(\.hit), question.owner, tx)
            func length(_ hit: Position) -> Int64 { lengths[EntryName(hit.hit)] ?? 0 }
            let page = Page(inBytes: hits, limit: request.limit, byteCount: length) { $0 }
            let byteCount: Int64 = page.rows.reduce(0) { $0 + length($1) }
            let found = Found(page: page, byteCount: byteCount, items: nil)
            // Long entries are read later, in the caller's turn, so that requests that wait for a turn hold no texts.
            guard byteCount <= LongWork.byteCount else { return (found, nil) }
            return (found, try self.read(page.rows.map(\.hit), entries, question.owner, tx))
        }
        guard let read else { return found }
        let items = try await items(found.page.rows.map(\.hit), read, question)
        return Found(page: found.page, byteCount: found.byteCount, items: items)
    }

    /// The items of a page whose entries are long. The caller must hold a turn for long work: like the turns of `work`, these turns limit
    /// how many searches compute at a time. Entries that were deleted after the search are missing.
    func items(of found: Found, _ question: Question) async throws -> [SearchItem] {
        let hits = found.page.rows.map(\.hit)
        let read = try await database.read { tx in try self.read(hits, [:], question.owner, tx) }
        return try await items(hits, read, question)
    }

    // MARK: Search

    func hits(_ question: Question, after position: Position?, limit: Int) async throws -> [Position] {
        let ranking = SearchRanking(question.terms)
        var found: [Position] = []
        var place = position.map { Place(partition: $0.partition, lastPlace: $0.lastPlace) }
        var hasBegun = false
        while found.count < limit {
            guard let window = try await window(question, from: place) else { break }
            let wanted = limit - found.count
            let start = window.place
            let candidates = window.candidates
            let best = try await work.compute(
                [SearchHit](), inStepsOf: candidates, hasBegun: hasBegun, byteCount: \.head.utf8.count
            ) { best, step in
                let hits = step.map { candidate in
                    SearchHit(score: ranking.score(candidate.head), at: candidate.at, id: candidate.id, kind: candidate.kind)
                }
                best += hits.filter { hit in position.map { $0.partition != start.partition || $0.hit.precedes(hit) } ?? true }
                best.sort { $0.precedes($1) }
                best = Array(best.prefix(wanted))
            }
            hasBegun = true
            found += best.map { Position(partition: start.partition, lastPlace: start.lastPlace, hit: $0) }
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
        private(set) var candidates: [Candidate] = []
        /// The partition where the next step or window begins.
        private(set) var next: Int64?

        init(place: Place) { self.place = place }

        /// - Parameter last: the owner's oldest partition, which the search reads last.
        mutating func add(_ found: [Candidate], of partitions: ClosedRange<Int64>, last: Int64) {
            candidates += found
            next = partitions.lowerBound > last ? partitions.lowerBound - 1 : nil
        }
    }

    /// A matching document that has not been ranked.
    private struct Candidate: Sendable {
        let kind: String
        let id: String
        let at: Timestamp
        let head: String

        init(_ row: inout RowReader) throws {
            kind = try row.next("kind")
            id = try row.next("id")
            at = try row.next("at")
            head = try row.next("head")
        }
    }

    /// Reads matches from `place` backwards, until they fill a window or no partition is left. Each step is a separate read: between two
    /// steps, other requests use the caller's thread, and a cancelled search ends.
    /// - Parameter place: where the window begins; `nil` begins with the latest partition.
    /// - Returns: `nil` when the owner has no documents.
    private func window(_ question: Question, from place: Place?) async throws -> Window? {
        let clock = ContinuousClock()
        var start = clock.now
        guard let begun = try await database.read({ tx in try begin(question, from: place, tx) }) else { return nil }
        var window = begun.window
        var step = Self.nextStep(after: 1, read: 1, found: window.candidates.count, isSlow: clock.now - start > slowStep)
        while let partition = window.next, window.candidates.count < Self.windowSize {
            await Task.yield()
            try Task.checkCancellation()
            let partitions = max(begun.last, partition - step + 1)...partition
            let statement = Self.search(question, partitions, lastPlace: window.place.lastPlace, begun.engine)
            start = clock.now
            let found = try await database.list(statement) { row in try Candidate(&row) }
            let isSlow = clock.now - start > slowStep
            if found.count > Self.stepLimit, partitions.count > 1 {
                // The step found more matches than it may read, so read one partition at a time.
                step = 1
                continue
            }
            window.add(found, of: partitions, last: begun.last)
            let read = window.place.partition - partitions.lowerBound + 1
            step = Self.nextStep(after: step, read: read, found: window.candidates.count, isSlow: isSlow)
        }
        return window
    }

    /// A window with the matches of its first partition.
    private struct Begun: Sendable {
        var window: Window
        /// The owner's oldest partition, which is read last.
        let last: Int64
        let engine: any TokenSearch
    }

    private func begin(_ question: Question, from place: Place?, _ tx: ReadTransaction) throws -> Begun? {
        guard let extent = try tx.row(Self.extent(question.owner)),
            let firstPlace = try extent.get("first", as: Int64?.self), let newest = try extent.get("last", as: Int64?.self)
        else { return nil }
        let place = place ?? Place(partition: OwnerPartition.partition(of: newest), lastPlace: newest)
        let last = OwnerPartition.partition(of: firstPlace)
        var begun = Begun(window: Window(place: place), last: last, engine: tx.tokenSearch)
        guard place.partition >= last else { return begun }
        let partitions = place.partition...place.partition
        let statement = Self.search(question, partitions, lastPlace: place.lastPlace, begun.engine)
        let found = try tx.list(statement) { row in try Candidate(&row) }
        begun.window.add(found, of: partitions, last: last)
        return begun
    }

    /// How many partitions should fill the window, estimated from the matches so far. The number grows fourfold a step at most.
    /// After a slow step, it is a quarter.
    static func nextStep(after step: Int64, read: Int64, found: Int, isSlow: Bool = false) -> Int64 {
        guard !isSlow else { return max(1, step / 4) }
        let wanted = Int64(max(windowSize - found, 0))
        return max(1, min(Int64(stepPartitions), step * 4, wanted * read / Int64(max(found, 1))))
    }

    // MARK: Reading

    /// The entries and texts from which a page's items are made.
    private struct Read: Sendable {
        let entries: [EntryName: EntryKind.Entry]
        let columns: [EntryName: String]
    }

    /// The lengths of the hits' entries, in bytes, and the entries of the kinds whose entries are short.
    private func measure(
        _ hits: [SearchHit], _ owner: String, _ tx: ReadTransaction
    ) throws -> (lengths: [EntryName: Int64], entries: [EntryName: EntryKind.Entry]) {
        var lengths: [EntryName: Int64] = [:]
        var entries: [EntryName: EntryKind.Entry] = [:]
        for (kind, hits) in Dictionary(grouping: hits, by: \.kind) {
            guard let entryKind = kinds.first(where: { $0.names.contains(kind) }) else { continue }
            if let read = entryKind.lengths {
                for (id, length) in try read(hits.map(\.id), owner, tx) { lengths[EntryName(kind: kind, id: id)] = length }
            } else {
                for entry in try entryKind.entries(hits.map(\.id), owner, tx) where entry.kind == kind {
                    let name = EntryName(kind: kind, id: entry.position.id)
                    lengths[name] = entry.byteCount
                    entries[name] = entry
                }
            }
        }
        return (lengths, entries)
    }

    /// - Parameter known: entries that have been read already.
    private func read(
        _ hits: [SearchHit], _ known: [EntryName: EntryKind.Entry], _ owner: String, _ tx: ReadTransaction
    ) throws -> Read {
        var entries = known
        for (kind, hits) in Dictionary(grouping: hits, by: \.kind) {
            let ids = hits.filter { known[EntryName($0)] == nil }.map(\.id)
            guard !ids.isEmpty, let entryKind = kinds.first(where: { $0.names.contains(kind) }) else { continue }
            for entry in try entryKind.entries(ids, owner, tx) where entry.kind == kind {
                entries[EntryName(kind: kind, id: entry.position.id)] = entry
            }
        }
        let columns = Dictionary(try texts(of: hits, owner, tx)) { first, _ in first }
        return Read(entries: entries, columns: columns)
    }

    private func items(_ hits: [SearchHit], _ read: Read, _ question: Question) async throws -> [SearchItem] {
        let snippets = SearchSnippets(question.terms)
        func byteCount(_ hit: SearchHit) -> Int { read.columns[EntryName(hit)]?.utf8.count ?? 0 }
        // The hits were ranked before, so the search has begun.
        return try await work.compute([SearchItem](), inStepsOf: hits, hasBegun: true, byteCount: byteCount) { items, step in
            for hit in step {
                let name = EntryName(hit)
                guard let entry = read.entries[name] else { continue }
                let texts = try read.columns[name].map { try SearchWords.texts(column: $0) } ?? []
                items.append(SearchItem(item: entry.item, snippets: snippets.snippets(of: texts)))
            }
        }
    }

    /// The stored texts of a page's documents, each cut to its share of `pageTextLength`.
    func texts(of hits: [SearchHit], _ owner: String, _ tx: ReadTransaction) throws -> [(EntryName, String)] {
        let length = Self.pageTextLength / max(hits.count, 1)
        return try Dictionary(grouping: hits, by: \.kind).flatMap { kind, hits in
            try tx.rows(Self.texts(kind: kind, hits.map(\.id), owner: owner, length: length)).map { row in
                (EntryName(kind: kind, id: try row.get("id")), try row.get("texts", as: String.self))
            }
        }
    }
}
