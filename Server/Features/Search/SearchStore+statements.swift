import Core
import Database

extension SearchStore {
    /// The owner's first and last place; both `NULL` when the owner has no documents.
    static func extent(_ owner: String) -> SQL {
        """
        SELECT (SELECT place FROM search_document WHERE owner = \(owner) ORDER BY place LIMIT 1) AS first,
            (SELECT place FROM search_document WHERE owner = \(owner) ORDER BY place DESC LIMIT 1) AS last
        """
    }

    /// The owner's documents on these partitions that match all terms, up to `stepLimit` + 1 of them.
    static func search(_ question: Question, _ partitions: ClosedRange<Int64>, lastPlace: Int64, _ engine: any TokenSearch) -> SQL {
        search(query(question, partitions), owner: question.owner, lastPlace: lastPlace, engine)
    }

    /// Neither engine knows how frequent a word is, and starting with the word index is never slower. So `owned` and `+ 0` keep both
    /// engines from starting with the index on the owner or the place.
    static func search(_ query: TokenQuery, owner: String, lastPlace: Int64, _ engine: any TokenSearch) -> SQL {
        let limit = stepLimit + 1
        return """
            SELECT d.kind, d.id, d.at,
                COALESCE((SELECT h.head FROM search_head AS h WHERE h.number = d.number), substr(d.tokens, 1, 2000)) AS head
            FROM search_document AS d
            WHERE \(sql: engine.matches("d", in: SearchIndex.words, query, limit: limit)) AND \(sql: .owned(by: owner))
                AND d.place + 0 <= \(lastPlace)
            LIMIT \(limit)
            """
    }

    static func query(_ question: Question, _ partitions: ClosedRange<Int64>) -> TokenQuery {
        let owner = OwnerPartition(owner: question.owner, isSeparate: question.isSeparate)
        let terms = deciding(question.terms)
        return TokenQuery(
            partitions.reversed().map { partition in
                terms.map { term in
                    TokenPhrase(
                        term.tokens.map { owner.word($0, on: partition) }, isPrefix: term.isPrefix,
                        otherSpellings: term.otherSpellings.map { $0.map { owner.word($0, on: partition) } })
                } + (question.kind.map { [TokenPhrase([owner.kind($0, on: partition)])] } ?? [])
            })
    }

    /// Leaves out each prefix that a word of another term begins with. A document with "seaside" also matches "se…", and for the prefix an
    /// engine would read all postings of all words that begin with "se". So no prefix that the engine reads begins with another one, except
    /// for spellings of one word.
    static func deciding(_ terms: [TokenPhrase]) -> [TokenPhrase] {
        terms.filter { term in
            guard term.isPrefix, term.spellings.count == 1, term.tokens.count == 1, let beginning = term.tokens.first else { return true }
            return !terms.contains { other in
                other != term
                    && other.spellings.allSatisfy { words in words.contains { $0.utf8.starts(with: beginning.utf8) } }
            }
        }
    }

    /// - Parameter length: how many characters to read of each document's texts.
    static func texts(kind: String, _ ids: [String], owner: String, length: Int) -> SQL {
        // The list repeats the last id until it has one of a few lengths, so that there are only a few statements to prepare.
        let count = [1, 4, 20, 100].first { $0 >= ids.count } ?? ids.count
        var list: SQL = "\(ids[0])"
        for index in 1..<max(count, 1) { list = list + ", \(ids[min(index, ids.count - 1)])" }
        return """
            SELECT id, substr(texts, 1, CAST(\(length) AS INTEGER)) AS texts FROM search_document
            WHERE owner = \(owner) AND kind = \(kind) AND id IN (\(sql: list))
            """
    }
}
