import Core
import Database

/// Pure decisions about questions.
enum SearchRules {
    static func limit(_ limit: Int?) throws -> Int {
        guard let limit else { return 20 }
        guard 1...100 ~= limit else { throw Problem(.invalid, "limit must be 1…100.", field: "limit") }
        return limit
    }

    static func kind(_ kind: String?, known: [String]) throws -> String? {
        guard let kind else { return nil }
        guard known.contains(kind) else { throw Problem(.invalid, "kind must be one of \(known.joined(separator: ", ")).", field: "kind") }
        return kind
    }

    /// What must all be there.
    static func terms(_ question: String) throws -> [TokenPhrase] {
        let terms = try Self.terms(line: TextRules.line(question, field: "q", max: 256))
        guard !terms.isEmpty else { throw Problem(.invalid, "q has no word to look for.", field: "q") }
        return terms
    }

    /// Words between white space stand alone; what is in quotes stands as it is written, and so do the parts of one word ("don't").
    private static func terms(line: String) -> [TokenPhrase] {
        var terms: [TokenPhrase] = []
        var lastMayGoOn = false
        for (index, part) in line.split(omittingEmptySubsequences: false, whereSeparator: quotes.contains).enumerated() {
            let isQuoted = !index.isMultiple(of: 2)
            for chunk in isQuoted ? [part] : part.split(whereSeparator: \.isWhitespace) {
                let new = phrases(SearchText(String(chunk)))
                guard !new.isEmpty else { continue }
                terms += new
                lastMayGoOn = !isQuoted
            }
        }
        if lastMayGoOn, let last = terms.popLast() {
            terms.append(TokenPhrase(last.tokens, isPrefix: last.isPrefix || last.tokens.last.map(mayBegin) ?? false))
        }
        var seen: Set<TokenPhrase> = []
        return terms.filter { seen.insert($0).inserted }
    }

    /// Whether the last word of a question may be the beginning of one.
    private static func mayBegin(_ token: String) -> Bool {
        let scalars = token.unicodeScalars
        guard let first = scalars.first else { return false }
        // A pair of characters is not the beginning of a word: it is found anywhere in one.
        if Folding.isUnspaced(first) { return false }
        // Nor is one letter of an alphabet: a good part of all words begin with it, and an engine would read the places of all of them.
        return scalars.count > 1 || first.value >= firstSyllable
    }

    /// Below are alphabets (Unicode's blocks up to Georgian); from Hangul on, one character may be a syllable, a word or a sign.
    private static let firstSyllable: UInt32 = 0x1100

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
                // One alone is the beginning of a pair, or the last of its run.
                phrases.append(pairs.isEmpty ? TokenPhrase(characters.map(\.text), isPrefix: true) : TokenPhrase(pairs.map(\.text)))
            }
        }
        if !words.isEmpty { phrases.append(TokenPhrase(words)) }
        return phrases
    }

    private static let quotes: Set<Character> = ["\"", "“", "”", "„", "«", "»"]
}
