import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Search

@Suite("Finding a query's words in a document")
struct TermFinderTests {
    /// - Parameter column: the tokens, one line for each text.
    private func find(_ terms: [TokenPhrase], in column: String, limit: Int = .max) -> TermFinder.Found {
        var column = column
        return column.withUTF8 { bytes in TermFinder(terms).find(SearchRanking.places(bytes), bytes, limit: limit) }
    }

    private struct Token {
        let bytes: [UInt8]
        let text: Int
    }

    /// Finds the same matches by comparing each token with each word.
    private func compareAll(_ terms: [TokenPhrase], in column: String) -> [TermFinder.Match] {
        let lines = column.split(separator: "\n", omittingEmptySubsequences: false)
        let tokens = lines.enumerated().flatMap { line in
            line.element.split(separator: " ").map { Token(bytes: Array($0.utf8), text: line.offset) }
        }
        var matches: [TermFinder.Match] = []
        for start in tokens.indices {
            for (number, term) in terms.enumerated() {
                var weight = 0
                for spelling in term.spellings where start + spelling.count <= tokens.count {
                    let words = spelling.map { Array($0.utf8) }
                    let here = tokens[start..<start + words.count]
                    guard here.allSatisfy({ $0.text == tokens[start].text }) else { continue }
                    let bytes = here.map(\.bytes)
                    if bytes == words {
                        weight += 2
                    } else if term.isPrefix, let last = bytes.last, let word = words.last, last.starts(with: word),
                        bytes.dropLast().elementsEqual(words.dropLast())
                    {
                        weight += 1
                    }
                }
                if weight > 0 { matches.append(TermFinder.Match(start: start, term: number, weight: weight)) }
            }
        }
        return matches
    }

    @Test("it finds what comparing each token with each word finds", arguments: 0..<8 as Range<UInt64>)
    func property(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let all = ["a", "ab", "abc", "b", "ba", "sea", "seaside", "се", "сеа", "東", "東京", "京", "🌊", "1", "é", "e\u{301}"]
        var found = 0
        for round in 0..<200 {
            // Use only two words, so that phrases repeat and overlap.
            let vocabulary = round.isMultiple(of: 4) ? Array(all.prefix(2)) : all
            func words(_ count: Int) -> [String] { (0..<count).map { _ in vocabulary.randomElement(using: &random)! } }
            let terms = (0..<Int.random(in: 1...16, using: &random)).map { _ in
                let count = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 2...5, using: &random) : 1
                let others = (0..<Int.random(in: 0...2, using: &random)).map { _ in words(count) }
                return TokenPhrase(words(count), isPrefix: Int.random(in: 0..<3, using: &random) == 0, otherSpellings: others)
            }
            let column = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                words(Int.random(in: 0...30, using: &random)).joined(separator: " ")
            }.joined(separator: "\n")
            let expected = compareAll(terms, in: column)
            #expect(find(terms, in: column).matches == expected, "\(terms) in \(column)")
            found += expected.count
        }
        #expect(found > 1_000)
    }

    @Test("a document takes at most five comparisons a token for sixteen words, and one for a single word")
    func comparisons() throws {
        let letters = (0..<32).compactMap { Unicode.Scalar(UInt32(0x10D0 + $0)) }.map { String(Character($0)) }
        let column = (0..<1_000).map { letters[$0 % letters.count] }.joined(separator: " ")
        let many = find(try SearchRules.terms(letters.joined(separator: " ")), in: column)
        // All letters begin with the same byte. Comparing each term with each token would take 16,000 comparisons, and 32,000 if the number
        // of terms had no limit.
        #expect(many.matches.count == 504 && many.comparisons <= 5_000, "\(many.comparisons)")
        let one = find(try SearchRules.terms(letters[0]), in: column)
        #expect(one.matches.count == 32 && one.comparisons <= 1_000, "\(one.comparisons)")
        // A prefix is compared only with tokens that begin with the same byte.
        let words = (0..<1_000).map { $0.isMultiple(of: 10) ? "seaside" : "day" }.joined(separator: " ")
        let prefix = find(try SearchRules.terms("sea"), in: words)
        #expect(prefix.matches.count == 100 && prefix.comparisons == 100, "\(prefix.comparisons)")
    }

    @Test("a phrase takes at most two comparisons more a token, whatever it repeats")
    func phrases() throws {
        let column = String(repeating: "a ", count: 1_000) + "b"
        let phrase = "\"" + String(repeating: "a ", count: 120) + "b\""
        let found = find(try SearchRules.terms(phrase), in: column)
        // Comparing the phrase from its beginning at each token would take 120,000 comparisons.
        #expect(found.matches == [TermFinder.Match(start: 880, term: 0, weight: 2)] && found.comparisons <= 4_004, "\(found.comparisons)")
        let run = find(try SearchRules.terms(String(repeating: "東", count: 200) + "京"), in: String(repeating: "東東 ", count: 1_000))
        #expect(run.matches.isEmpty && run.comparisons <= 4_000, "\(run.comparisons)")
    }

    @Test("the search for matches ends at a limit, with all matches of the last token")
    func limit() throws {
        let found = find(try SearchRules.terms("sea \"sea sun\""), in: "sea sun sea sun sea", limit: 3)
        #expect(found.matches.map(\.start) == [0, 0, 2, 2])
        #expect(found.matches.map(\.term) == [0, 1, 0, 1])
    }
}

@Suite("The excerpt with the most words")
struct SearchSnippetRunTests {
    @Test("an excerpt shows most of sixteen words, wherever they stand", arguments: [0, 40, 300])
    func manyWords(_ before: Int) throws {
        let words = (10..<26).map(String.init)
        // First two of the words occur many times, far apart from each other. Then all sixteen words stand close together.
        let few = String(repeating: "10 10 11 " + String(repeating: "filler ", count: 30), count: before)
        let text = few + words.joined(separator: " ") + String(repeating: " filler", count: 100)
        let terms = try SearchRules.terms(words.joined(separator: " "))
        let snippet = try #require(SearchSnippets(terms).snippets(of: [.init(field: "note", text: text)]).first)
        #expect(snippet.marks.count == 16 && snippet.text.contains(words.joined(separator: " ")), "\(snippet)")
    }
}
