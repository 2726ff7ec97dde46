package import Core
package import Database

/// Finds entries that contain any of several terms, for features that answer questions. (`GET …/search` requires all words.)
package struct EntryFinder: Sendable {
    /// Partitions are read from the latest backwards until a term has this many entries: a rare word finds all its entries, a frequent one
    /// its latest.
    static let perTerm = 400
    /// The latest partitions that are read, of 2,048 entries each.
    static let partitions: Int64 = 256
    /// The most partitions that one statement reads.
    static let partitionsAtOnce: Int64 = 16

    package init() {}

    package struct Found: Sendable {
        package let at: Timestamp
        /// The indexes of the terms that the entry holds.
        package var terms: Set<Int>
    }

    package struct Result: Sendable {
        package var entries: [EntryName: Found] = [:]
        /// For each term, how many of the entries that were read hold it.
        package var counts: [Int] = []
        /// About how many entries the owner has.
        package var total = 0
    }

    /// The tokens of a word or a name, as the index stores them.
    package static func tokens(_ text: String) -> [String] { SearchText(text).tokens.map(\.text) }

    /// The phrase of a stem, which also matches longer words that begin with it.
    package static func stem(_ text: String) -> TokenPhrase {
        let text = SearchText(text)
        let tokens = text.tokens.map(\.text)
        // In a script without spaces, pairs of neighbouring characters match anywhere in a longer run. The last character as a prefix
        // would find the same, and take longer.
        if case .run(let characters)? = text.pieces.last, characters.count > 1 { return TokenPhrase(Array(tokens.dropLast())) }
        return TokenPhrase(tokens, isPrefix: true)
    }

    /// Finds entries in many short reads. Between two of them, other requests use the caller's thread, and a cancelled task ends. Entries
    /// that are deleted meanwhile may be found.
    /// - Parameters:
    ///   - terms: at most 16 terms, each a list of phrases. An entry holds a term when it contains one of the term's phrases. Equal terms
    ///     are looked up once.
    ///   - kind: `nil` finds all kinds.
    package func find(_ terms: [[TokenPhrase]], owner: String, kind: String?, in database: any Database) async throws -> Result {
        var result = Result()
        result.counts = terms.map { _ in 0 }
        let read = try await database.read { tx -> (extent: Extent, engine: any TokenSearch)? in
            guard let row = try tx.row(SearchStore.extent(owner)), let first = try row.get("first", as: Int64?.self),
                let last = try row.get("last", as: Int64?.self)
            else { return nil }
            return (extent: Extent(first: first, last: last), engine: tx.tokenSearch)
        }
        guard let read else { return result }
        result.total = read.extent.total
        for (phrases, indexes) in Self.lookups(terms) {
            // All postings of a prefix are read before the first entry is found, so a statement reads those of one partition.
            let atOnce = phrases.contains { $0.isPrefix } ? 1 : Self.partitionsAtOnce
            // Most entries hold one term only. They share this set, because a set of its own for each would double their memory.
            let own = Set(indexes)
            var count = 0
            var partition = read.extent.newest
            while partition >= read.extent.oldest, count < Self.perTerm {
                // Others that wait for the thread run first.
                await Task.yield()
                try Task.checkCancellation()
                let range = max(read.extent.oldest, partition - atOnce + 1)...partition
                let rows = try await database.list(Self.search(phrases, owner: owner, kind: kind, range, read.engine)) { row in
                    (name: EntryName(kind: try row.next("kind"), id: try row.next("id")), at: try row.next("at") as Timestamp)
                }
                count += rows.count
                for row in rows {
                    if result.entries[row.name]?.terms.formUnion(own) == nil { result.entries[row.name] = Found(at: row.at, terms: own) }
                }
                partition = range.lowerBound - 1
            }
            for index in indexes { result.counts[index] = count }
        }
        return result
    }

    /// The places of an owner's entries, and the partitions that are read.
    private struct Extent: Sendable {
        let total: Int
        let oldest: Int64
        let newest: Int64

        init(first: Int64, last: Int64) {
            total = Int(last - first + 1)
            newest = OwnerPartition.partition(of: last)
            oldest = max(OwnerPartition.partition(of: first), newest - EntryFinder.partitions + 1)
        }
    }

    /// The different terms with a token, in their order, each with all of its indexes.
    private static func lookups(_ terms: [[TokenPhrase]]) -> [(phrases: [TokenPhrase], indexes: [Int])] {
        let terms = terms.map { $0.filter { !$0.tokens.isEmpty } }
        return Dictionary(grouping: terms.indices) { terms[$0] }
            .filter { !$0.key.isEmpty }
            .map { (phrases: $0.key, indexes: $0.value) }
            .sorted { ($0.indexes.first ?? 0) < ($1.indexes.first ?? 0) }
    }

    /// The indexed texts of an entry, as the index stores them. Decoding long ones keeps a thread busy for milliseconds, so it is no part
    /// of the read.
    package struct StoredTexts: Sendable {
        fileprivate let column: String

        package var byteCount: Int64 { Int64(column.utf8.count) }

        package func decoded() throws -> [SearchDocument.Text] { try SearchWords.texts(column: column) }
    }

    /// The indexed texts of some entries, at most 20,000 characters of each.
    /// - Parameter names: at most 100.
    package func texts(of names: [EntryName], owner: String, _ tx: ReadTransaction) throws -> [EntryName: StoredTexts] {
        var texts: [EntryName: StoredTexts] = [:]
        for (kind, names) in Dictionary(grouping: names, by: \.kind) {
            for row in try tx.rows(SearchStore.texts(kind: kind, names.map(\.id), owner: owner, length: 20_000)) {
                texts[EntryName(kind: kind, id: try row.get("id"))] = StoredTexts(column: try row.get("texts"))
            }
        }
        return texts
    }

    static func search(
        _ phrases: [TokenPhrase], owner: String, kind: String?, _ partitions: ClosedRange<Int64>, _ engine: any TokenSearch
    ) -> SQL {
        let owned = OwnerPartition(owner: owner)
        let query = TokenQuery(
            partitions.reversed().flatMap { partition in
                phrases.map { phrase in
                    [TokenPhrase(phrase.tokens.map { owned.word($0, on: partition) }, isPrefix: phrase.isPrefix)]
                        + (kind.map { [TokenPhrase([owned.kind($0, on: partition)])] } ?? [])
                }
            })
        let limit = SearchStore.stepLimit
        // `owned`: see `SearchStore.search`.
        return """
            SELECT d.kind, d.id, d.at FROM search_document AS d
            WHERE \(sql: engine.matches("d", in: SearchIndex.words, query, limit: limit)) AND \(sql: .owned(by: owner))
            LIMIT \(limit)
            """
    }
}
