import Core
import Database

/// Scores how well a document matches a query. Uses integers, so that every machine and engine ranks alike.
struct SearchRanking {
    /// Unicode scalars of a document's tokens that are scored. A word that occurs only after them gets the lowest score.
    static let headLength = 2_000

    /// The part of `tokens` that is scored.
    static func head(of tokens: String) -> String {
        // A text of as many bytes has no more scalars.
        tokens.utf8.count <= headLength ? tokens : String(String.UnicodeScalarView(tokens.unicodeScalars.prefix(headLength)))
    }

    private struct Term {
        /// The spellings of the word. Each is a list of tokens.
        let spellings: [[[UInt8]]]
        let isPrefix: Bool
    }

    private let terms: [Term]

    init(_ phrases: [TokenPhrase]) {
        terms = phrases.map { Term(spellings: $0.spellings.map { $0.map { Array($0.utf8) } }, isPrefix: $0.isPrefix) }
    }

    /// - Parameter head: the tokens, one line for each text, the most relevant text first.
    /// - Returns: the sum of the terms' scores, each 0…1,000. A term scores higher in an earlier text, as a whole word, if it is repeated,
    ///   and in a short document. As in BM25, each repetition adds less.
    func score(_ head: String) -> Int {
        var head = head
        return head.withUTF8 { bytes in
            let tokens = Self.tokens(bytes)
            let damping = 8 + min(tokens.count, 256) / 16
            return terms.reduce(0) { sum, term in
                let weight = max(1, weight(of: term, in: tokens, bytes))
                return sum + 1_000 * weight / (weight + damping)
            }
        }
    }

    private struct Place {
        var range: Range<Int>
        var text: Int
    }

    private static func tokens(_ bytes: UnsafeBufferPointer<UInt8>) -> [Place] {
        var places: [Place] = []
        var start = 0
        var text = 0
        for index in 0...bytes.count {
            let byte = index < bytes.count ? bytes[index] : 32
            guard byte == 32 || byte == 10 else { continue }
            if index > start { places.append(Place(range: start..<index, text: text)) }
            if byte == 10 { text += 1 }
            start = index + 1
        }
        return places
    }

    private func weight(of term: Term, in places: [Place], _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var weight = 0
        for tokens in term.spellings {
            for start in places.indices.dropLast(tokens.count - 1) {
                guard let isWhole = match(tokens, isPrefix: term.isPrefix, at: start, places, bytes) else { continue }
                weight += Self.weights[min(places[start].text, Self.weights.count - 1)] * (isWhole ? 2 : 1)
            }
        }
        return weight
    }

    /// The weight of a match in the first text, the second, …
    private static let weights = [8, 5, 3, 2]

    /// - Returns: whether the last word matches as a whole and not as a prefix; `nil` when the term does not match here.
    private func match(
        _ tokens: [[UInt8]], isPrefix: Bool, at start: Int, _ places: [Place], _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool? {
        for (offset, token) in tokens.enumerated() {
            let place = places[start + offset]
            guard place.text == places[start].text, place.range.count >= token.count else { return nil }
            for index in token.indices where bytes[place.range.lowerBound + index] != token[index] { return nil }
            if place.range.count == token.count { continue }
            guard isPrefix, offset == tokens.count - 1 else { return nil }
            return false
        }
        return true
    }
}

/// A document found, with the values that order it in the result.
struct SearchHit: Sendable, Equatable {
    let score: Int
    let at: Timestamp
    let id: String
    let kind: String

    /// Best score first, then newest; kind and id only make the order total.
    func precedes(_ other: SearchHit) -> Bool { (score, at, id, kind) > (other.score, other.at, other.id, other.kind) }
}
