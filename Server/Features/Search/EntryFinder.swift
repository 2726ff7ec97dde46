package import Core
package import Database

/// Finds entries that contain any of several terms, for features that answer questions. (`GET …/search` requires all words.)
package struct EntryFinder: Sendable {
    /// A term's lookup reads partitions from the latest backwards, until it has found at least this many entries. So it finds all entries
    /// with a rare word, and the latest ones with a frequent word.
    static let perTerm = 400
    /// How many of the latest partitions are read. A partition holds 2,048 entries, or fewer long ones.
    static let partitions: Int64 = 256
    /// The most partitions that one statement reads.
    static let partitionsAtOnce: Int64 = 16

    package init() {}

    package struct Found: Sendable {
        package let at: Timestamp
        /// The indexes of the terms that the entry contains.
        package var terms: Set<Int>
    }

    package struct Result: Sendable {
        package var entries: [EntryName: Found] = [:]
        /// For each term, how many of the entries that were read contain it.
        package var counts: [Int] = []
        /// About how many entries the owner has. Long entries count for several.
        package var total = 0
    }

    /// The tokens of a word or a name, as the index stores them.
    package static func tokens(_ text: String) -> [String] { SearchText(text).tokens.map(\.text) }

    /// A phrase that matches a stem, and longer words that begin with it.
    package static func stem(_ text: String) -> TokenPhrase {
        let text = SearchText(text)
        let tokens = text.tokens.map(\.text)
        // In a script without spaces, pairs of neighbouring characters match anywhere in a longer run. The last character as a prefix would
        // add no matches, and would take longer.
        if case .run(let characters)? = text.pieces.last, characters.count > 1 { return TokenPhrase(Array(tokens.dropLast())) }
        return TokenPhrase(tokens, isPrefix: true)
    }

    /// Finds entries in many short reads. Between two reads, other requests use the caller's thread, and a cancelled task ends. An entry
    /// that is deleted during the search may still be found.
    /// - Parameters:
    ///   - terms: at most 16 terms, each a list of phrases. An entry contains a term when it contains one of the term's phrases. Equal
    ///     terms are looked up once.
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
            // For a prefix, the engine reads all postings before it finds the first entry. So a statement with a prefix reads one partition
            // only.
            let atOnce = phrases.contains { $0.isPrefix } ? 1 : Self.partitionsAtOnce
            // Most entries contain one term only. They share this set, because separate sets would double the entries' memory.
            let own = Set(indexes)
            var count = 0
            var partition = read.extent.newest
            while partition >= read.extent.oldest, count < Self.perTerm {
                // Let other tasks run first that wait for the thread.
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

    /// The number of an owner's entries, and the partitions that are read.
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

    /// The different terms, each with its indexes in `terms`. Phrases without a token are left out, and so are terms without such a phrase.
    private static func lookups(_ terms: [[TokenPhrase]]) -> [(phrases: [TokenPhrase], indexes: [Int])] {
        let terms = terms.map { $0.filter { !$0.tokens.isEmpty } }
        return Dictionary(grouping: terms.indices) { terms[$0] }
            .filter { !$0.key.isEmpty }
            .map { (phrases: $0.key, indexes: $0.value) }
            .sorted { ($0.indexes.first ?? 0) < ($1.indexes.first ?? 0) }
    }

    /// The indexed texts of an entry, in the form in which the index stores them. Decoding long texts keeps a thread busy for milliseconds,
    /// so the read does not decode them.
    package struct StoredTexts: Sendable {
        fileprivate let column: String

        package var byteCount: Int64 { Int64(column.utf8.count) }

        package func decoded() throws -> [SearchDocument.Text] { try SearchWords.texts(column: column) }
    }

    /// The indexed texts of some entries, 20,000 characters of each at most.
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
        // `SearchStore.search` explains why the condition on the owner is `owned`.
        return """
            SELECT d.kind, d.id, d.at FROM search_document AS d
            WHERE \(sql: engine.matches("d", in: SearchIndex.words, query, limit: limit)) AND \(sql: .owned(by: owner))
            LIMIT \(limit)
            """
    }
}
