package import Core
package import Database

/// Finds entries that contain any of several terms, for features that answer questions. (`GET …/search` requires all words.)
package struct EntryFinder: Sendable {
    /// Partitions are read from the latest backwards until a term has this many entries: a rare word finds all its entries, a frequent one
    /// its latest.
    static let perTerm = 400
    /// The latest partitions that are read, of 2,048 entries each.
    static let partitions: Int64 = 256
    /// Partitions that one statement reads.
    static let partitionsAtOnce: Int64 = 16

    package init() {}

    package struct Name: Hashable, Sendable {
        package let kind: String
        package let id: String

        package init(kind: String, id: String) {
            self.kind = kind
            self.id = id
        }
    }

    package struct Found: Sendable {
        package let at: Timestamp
        /// The indexes of the terms that the entry holds.
        package var terms: Set<Int>
    }

    package struct Result: Sendable {
        package var entries: [Name: Found] = [:]
        /// For each term, how many of the entries that were read hold it.
        package var counts: [Int] = []
        /// About how many entries the owner has.
        package var total = 0
    }

    /// The tokens of a word or a name, as the index stores them.
    package static func tokens(_ text: String) -> [String] { SearchText(text).tokens.map(\.text) }

    /// - Parameters:
    ///   - terms: at most 16 terms, each a list of phrases. An entry holds a term when it contains one of the term's phrases.
    ///   - kind: `nil` finds all kinds.
    package func find(_ terms: [[TokenPhrase]], owner: String, kind: String?, _ tx: ReadTransaction) throws -> Result {
        var result = Result()
        guard let extent = try tx.row(SearchStore.extent(owner)), let first = try extent.get("first", as: Int64?.self),
            let last = try extent.get("last", as: Int64?.self)
        else {
            result.counts = terms.map { _ in 0 }
            return result
        }
        result.total = Int(last - first + 1)
        let newest = OwnerPartition.partition(of: last)
        let oldest = max(OwnerPartition.partition(of: first), newest - Self.partitions + 1)
        for (index, phrases) in terms.enumerated() {
            let phrases = phrases.filter { !$0.tokens.isEmpty }
            var count = 0
            var partition = phrases.isEmpty ? oldest - 1 : newest
            while partition >= oldest, count < Self.perTerm {
                let range = max(oldest, partition - Self.partitionsAtOnce + 1)...partition
                let rows = try tx.rows(Self.search(phrases, owner: owner, kind: kind, range, tx.tokenSearch))
                count += rows.count
                for row in rows {
                    let name = Name(kind: try row.get("kind"), id: try row.get("id"))
                    let at: Timestamp = try row.get("at")
                    result.entries[name, default: Found(at: at, terms: [])].terms.insert(index)
                }
                partition = range.lowerBound - 1
            }
            result.counts.append(count)
        }
        return result
    }

    /// The indexed texts of some entries, at most 20,000 characters of each.
    /// - Parameter names: at most 100.
    package func texts(of names: [Name], owner: String, _ tx: ReadTransaction) throws -> [Name: [SearchDocument.Text]] {
        var texts: [Name: [SearchDocument.Text]] = [:]
        for (kind, names) in Dictionary(grouping: names, by: \.kind) {
            for row in try tx.rows(SearchStore.texts(kind: kind, names.map(\.id), owner: owner, length: 20_000)) {
                let column: String = try row.get("texts")
                texts[Name(kind: kind, id: try row.get("id"))] = try SearchWords.texts(column: column)
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
