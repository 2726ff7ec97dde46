import Core
import Database

/// Validation and parsing of queries. Pure functions.
enum SearchRules {
    /// The most terms of a query that count; the server ignores the others. Each term costs a lookup in the index for each partition.
    static let termLimit = 16

    static func limit(_ limit: Int?) throws -> Int {
        guard let limit else { return 20 }
        guard 1...100 ~= limit else { throw Problem(.invalid, "limit must be 1…100.", field: "limit") }
        return limit
    }

    /// The first terms of a query, `termLimit` of them at most. A document must match them all.
    static func terms(_ question: String) throws -> [TokenPhrase] {
        let terms = try Self.terms(line: TextRules.line(question, field: "q", max: 256))
        guard !terms.isEmpty else { throw Problem(.invalid, "q contains no searchable word.", field: "q") }
        return terms
    }

    /// Splits a query at white space; each word is a term. Quoted words form one term, a phrase, and so do the parts of a word ("don't").
    private static func terms(line: String) -> [TokenPhrase] {
        var terms: [TokenPhrase] = []
        var lastMayGoOn = false
        for (index, part) in line.split(omittingEmptySubsequences: false, whereSeparator: quotes.contains).enumerated() {
            let isQuoted = !index.isMultiple(of: 2)
            for chunk in isQuoted ? [part] : part.split(whereSeparator: \.isWhitespace) {
                let new = spelled(String(chunk))
                guard !new.isEmpty else { continue }
                terms += new
                lastMayGoOn = !isQuoted
            }
        }
        if lastMayGoOn, let last = terms.popLast() {
            var open = last
            open.isPrefix = last.isPrefix || last.tokens.last.map(mayBegin) ?? false
            terms.append(open)
        }
        var seen: Set<TokenPhrase> = []
        return Array(terms.filter { seen.insert($0).inserted }.prefix(termLimit))
    }

    /// Whether the query's last word also matches longer words that begin with it.
    private static func mayBegin(_ token: String) -> Bool {
        let scalars = token.unicodeScalars
        guard let first = scalars.first else { return false }
        // A pair of characters is found anywhere in a text, so it is never a prefix.
        if Folding.isUnspaced(first) { return false }
        // A single letter of an alphabet is not a prefix either: many words begin with it, and an engine would read all their entries.
        return scalars.count > 1 || first.value >= firstSyllable
    }

    /// Unicode blocks before this one are alphabets (up to Georgian). From Hangul on, one character may be a syllable, a word or a sign.
    private static let firstSyllable: UInt32 = 0x1100

    /// The phrases of a word, including other spellings of German umlauts: "München" also finds "Muenchen", and the other way round.
    private static func spelled(_ word: String) -> [TokenPhrase] {
        let phrases = phrases(SearchText(word))
        let others = GermanSpelling.others(word).map { Self.phrases(SearchText($0)) }.filter { $0.count == phrases.count }
        return phrases.enumerated().map { index, phrase in
            var spelled = phrase
            for other in others.map({ $0[index].tokens })
            where other.count == phrase.tokens.count && !spelled.spellings.contains(other) { spelled.otherSpellings.append(other) }
            return spelled
        }
    }

    private static func phrases(_ text: SearchText) -> [TokenPhrase] {
        var phrases: [TokenPhrase] = []
        var words: [String] = []
        for piece in text.pieces {
            switch piece {
            case .word(let token): words.append(token.text)
            case .run(let characters):
                if !words.isEmpty { phrases.append(TokenPhrase(words)) }
                words = []
                let pairs = SearchText.pairs(characters)
                // A single character matches the beginning of a pair, and the last character of a run.
                phrases.append(pairs.isEmpty ? TokenPhrase(characters.map(\.text), isPrefix: true) : TokenPhrase(pairs.map(\.text)))
            }
        }
        if !words.isEmpty { phrases.append(TokenPhrase(words)) }
        return phrases
    }

    private static let quotes: Set<Character> = ["\"", "“", "”", "„", "«", "»"]
}
