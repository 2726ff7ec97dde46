import Core
import Database

/// Scores how well a document matches a query. Uses integers, so that every machine and engine ranks alike.
struct SearchRanking {
    /// How many Unicode scalars of a document's tokens are scored. A word that occurs only after them gets the lowest score.
    static let headLength = 2_000

    /// The part of `tokens` that is scored.
    static func head(of tokens: String) -> String { TextRules.prefix(tokens, headLength) }

    private let finder: TermFinder
    private let termCount: Int

    init(_ phrases: [TokenPhrase]) {
        finder = TermFinder(phrases)
        termCount = phrases.count
    }

    /// - Parameter head: the tokens, one line for each text, the most relevant text first.
    /// - Returns: the sum of the terms' scores, each 0…1,000. A term scores higher if it is in an earlier text, is a whole word, or is
    ///   repeated, and if the document is short. Each further repetition adds less, as in BM25.
    func score(_ head: String) -> Int {
        var head = head
        return head.withUTF8 { bytes in
            let places = Self.places(bytes)
            let damping = 8 + min(places.count, 256) / 16
            var weights = [Int](repeating: 0, count: termCount)
            for match in finder.find(places, bytes).matches {
                weights[match.term] += Self.weights[min(places[match.start].text, Self.weights.count - 1)] * match.weight
            }
            return weights.reduce(0) { sum, found in
                let weight = max(1, found)
                return sum + 1_000 * weight / (weight + damping)
            }
        }
    }

    /// The weight of a match in the first text, the second, …
    private static let weights = [8, 5, 3, 2]

    /// The tokens of a document's `head`.
    static func places(_ bytes: UnsafeBufferPointer<UInt8>) -> [TermFinder.Place] {
        var places: [TermFinder.Place] = []
        var start = 0
        var text = 0
        for index in 0...bytes.count {
            let byte = index < bytes.count ? bytes[index] : 32
            guard byte == 32 || byte == 10 else { continue }
            if index > start { places.append(TermFinder.Place(range: start..<index, text: text)) }
            if byte == 10 { text += 1 }
            start = index + 1
        }
        return places
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
