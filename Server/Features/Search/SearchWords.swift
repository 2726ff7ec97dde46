import Core
import Foundation

/// A document's texts and their tokens, cut to the limits of the index.
package struct SearchWords: Sendable {
    private var texts: [SearchDocument.Text] = []
    private var tokens: [[String]] = []
    private(set) var count = 0
    /// The characters (Unicode scalars) of the texts.
    private var scalarCount = 0

    /// How many of a partition's places the document takes: one for each `wordsPerPlace` words. An engine reads all words of a partition
    /// that begin with a prefix, so their number has to be limited.
    var placeCount: Int { max(1, (count + Self.wordsPerPlace - 1) / Self.wordsPerPlace) }

    /// Most entries have fewer words. All words of a partition with one prefix take SQLite at most about 0.2 s.
    static let wordsPerPlace = 256

    package init(_ all: [SearchDocument.Text]) { append(all) }

    /// These words, and those of further texts. For several documents that have most of their texts in common.
    package func adding(_ more: [SearchDocument.Text]) -> SearchWords {
        var words = self
        words.append(more)
        return words
    }

    private mutating func append(_ more: [SearchDocument.Text]) {
        for text in more where scalarCount < SearchText.scalarLimit && count < SearchText.tokenLimit {
            let kept = TextRules.prefix(text.text, SearchText.scalarLimit - scalarCount)
            scalarCount += kept.unicodeScalars.count
            let found = SearchText(kept).tokens.prefix(SearchText.tokenLimit - count).map(\.text)
            guard !found.isEmpty else { continue }
            count += found.count
            texts.append(SearchDocument.Text(field: text.field, text: kept))
            tokens.append(found)
        }
    }

    /// Reads the tokens of a stored document. It reads no texts.
    init(tokensColumn: String) {
        tokens = tokensColumn.split(separator: "\n", omittingEmptySubsequences: true).map { line in
            line.split(separator: " ").map(String.init)
        }
        count = tokens.reduce(0) { $0 + $1.count }
    }

    /// The tokens with their prefixes, as the index stores them.
    func indexed(kind: String, _ owner: OwnerPartition, on partition: Int64) -> [String] {
        var all: [String] = []
        all.reserveCapacity(count + tokens.count + 1)
        // The prefix is made once, because every token begins with it.
        let (prefix, boundary) = (owner.word("", on: partition), owner.boundary(on: partition))
        for text in tokens {
            for token in text { all.append(prefix + token) }
            all.append(boundary)
        }
        all.append(owner.kind(kind, on: partition))
        return all
    }

    /// The tokens for ranking. Each line holds the tokens of one text.
    var tokensColumn: String { tokens.map { $0.joined(separator: " ") }.joined(separator: "\n") }

    /// The texts for snippets, as JSON. No SQL statement parses it.
    var textsColumn: String { "[" + texts.map { TextList.encode([$0.field, $0.text]) }.joined(separator: ",") + "]" }

    /// - Parameter column: the whole column, or its beginning. An incomplete last text is dropped.
    static func texts(column: String) throws -> [SearchDocument.Text] {
        let column = TruncatedJSON.closed(column)
        return try JSONDecoder().decode([[String]].self, from: Data(column.utf8)).compactMap { pair in
            pair.count == 2 ? SearchDocument.Text(field: pair[0], text: pair[1]) : nil
        }
    }
}
