import Database
import KeepsakeWire

/// Chooses excerpts of a document that match a query, as the owner wrote them, with the matches marked.
struct SearchSnippets {
    /// How many Unicode scalars a snippet has at most, not counting the ellipses at its ends.
    static let length = 160
    /// The most snippets of one document. Each comes from a different text.
    static let limit = 3
    /// The most matches that are considered in one text.
    private static let hitLimit = 1_000

    private let terms: [TokenPhrase]
    private let finder: TermFinder
    private let beginnings: [Int]

    /// - Parameter beginnings: the lengths, in scalars, of the beginnings of a text that are tried first, in this order. Most texts contain
    ///   the terms early, and then the rest need not be tokenized. The lengths do not change the result.
    init(_ terms: [TokenPhrase], beginnings: [Int] = [2_048, 16_384]) {
        self.terms = terms
        finder = TermFinder(terms)
        self.beginnings = beginnings
    }

    func snippets(of texts: [SearchDocument.Text]) -> [SearchItem.Snippet] {
        var snippets: [SearchItem.Snippet] = []
        for text in texts where snippets.count < Self.limit {
            if let snippet = snippet(of: text) { snippets.append(snippet) }
        }
        return snippets
    }

    private struct Hit {
        var range: Range<Int>
        var term: Int
    }

    private func snippet(of text: SearchDocument.Text) -> SearchItem.Snippet? {
        let scalars = Array(text.text.unicodeScalars)
        for length in beginnings where length < scalars.count {
            // The beginning ends between two words, so that no word is cut.
            guard let end = scalars[..<length].lastIndex(where: { $0 == " " || $0 == "\n" }) else { continue }
            let hits = hits(in: SearchText(String(String.UnicodeScalarView(scalars[..<end]))).tokens)
            guard let best = bestRun(hits), best.terms == terms.count else { continue }
            let window = Self.window(around: Self.range(of: hits[best.run]), scalars)
            // In this case no later match can belong to the same run or to its window.
            if max(window.upperBound, hits[best.run.lowerBound].range.lowerBound + Self.length) <= end {
                return Self.snippet(text.field, scalars, window, hits)
            }
        }
        let hits = hits(in: SearchText(text.text).tokens)
        guard let best = bestRun(hits) else { return nil }
        return Self.snippet(text.field, scalars, Self.window(around: Self.range(of: hits[best.run]), scalars), hits)
    }

    private static func range(of hits: ArraySlice<Hit>) -> Range<Int> {
        hits.dropFirst().reduce(hits[hits.startIndex].range) { $0.joined(with: $1.range) }
    }

    private static func snippet(
        _ field: String, _ scalars: [Unicode.Scalar], _ window: Range<Int>, _ hits: [Hit]
    ) -> SearchItem.Snippet {
        var snippet = String.UnicodeScalarView(scalars[window])
        var shift = -window.lowerBound
        if window.lowerBound > 0 {
            snippet.insert("…", at: snippet.startIndex)
            shift += 1
        }
        if window.upperBound < scalars.count { snippet.append("…") }
        var marks: [Range<Int>] = []
        for hit in hits where window.lowerBound <= hit.range.lowerBound && hit.range.upperBound <= window.upperBound {
            // Matches of pairs of characters overlap, so join them.
            if let last = marks.last, hit.range.lowerBound <= last.upperBound {
                marks[marks.count - 1] = last.joined(with: hit.range)
            } else {
                marks.append(hit.range)
            }
        }
        return SearchItem.Snippet(field: field, text: String(snippet), marks: marks.map { [$0.lowerBound + shift, $0.count] })
    }

    /// The matches of all terms, in the order in which they begin in the text. Stops after about `hitLimit` matches.
    private func hits(in tokens: [SearchText.Token]) -> [Hit] {
        var bytes: [UInt8] = []
        var places: [TermFinder.Place] = []
        places.reserveCapacity(tokens.count)
        for token in tokens {
            let start = bytes.count
            bytes += token.text.utf8
            places.append(TermFinder.Place(range: start..<bytes.count, text: 0))
        }
        let found = bytes.withUnsafeBufferPointer { finder.find(places, $0, limit: Self.hitLimit) }
        return found.matches.map { match in
            let last = tokens[match.start + terms[match.term].tokens.count - 1]
            return Hit(range: tokens[match.start].range.lowerBound..<last.range.upperBound, term: match.term)
        }
    }

    /// Finds the run of neighbouring matches with the most terms that fits into one snippet. Of several such runs, it returns the first.
    private func bestRun(_ hits: [Hit]) -> (run: Range<Int>, terms: Int)? {
        var best: (run: Range<Int>, terms: Int)?
        var end = 0
        // How many hits of each term the run has, and how many different terms.
        var counts = [Int](repeating: 0, count: terms.count)
        var termCount = 0
        for start in hits.indices {
            while end < hits.count, end <= start || hits[end].range.upperBound - hits[start].range.lowerBound <= Self.length {
                counts[hits[end].term] += 1
                if counts[hits[end].term] == 1 { termCount += 1 }
                end += 1
            }
            if termCount > best?.terms ?? 0 { best = (start..<end, termCount) }
            if termCount == terms.count { break }
            counts[hits[start].term] -= 1
            if counts[hits[start].term] == 0 { termCount -= 1 }
        }
        return best
    }

    /// A range of at most `length` scalars around `hits`, with more text after them than before. It is cut between words where the text has
    /// spaces.
    private static func window(around hits: Range<Int>, _ text: [Unicode.Scalar]) -> Range<Int> {
        guard text.count > length else { return 0..<text.count }
        // A single phrase may be longer than a snippet, so the room is never negative.
        let room = max(0, length - hits.count)
        var start = max(0, hits.lowerBound - room / 3)
        var end = min(text.count, max(hits.upperBound, start + length))
        start = max(0, min(start, end - length))
        start = min(start, hits.lowerBound)
        func isSpace(_ index: Int) -> Bool { text[index].properties.isWhitespace }
        if start > 0, let space = (start..<hits.lowerBound).first(where: isSpace) { start = space + 1 }
        if end < text.count, let space = (hits.upperBound..<end).last(where: isSpace) { end = space }
        return start..<end
    }
}

extension Range<Int> {
    fileprivate func joined(with other: Range<Int>) -> Range<Int> {
        Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
    }
}
