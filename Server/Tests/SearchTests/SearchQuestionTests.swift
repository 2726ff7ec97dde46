import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Search

@Suite("Search queries")
struct SearchQuestionTests {
    private func terms(_ q: String) throws -> [String] {
        try SearchRules.terms(q).map { $0.tokens.joined(separator: " ") + ($0.isPrefix ? "*" : "") }
    }

    @Test("words are terms, the last may be a prefix; quoted words, and a word split by punctuation, form a phrase")
    func words() throws {
        #expect(try terms("Sea sun") == ["sea", "sun*"])
        #expect(try terms("sea sea sea ") == ["sea", "sea*"])
        #expect(try terms("\"the old house\" win") == ["the old house", "win*"])
        #expect(try terms("win \"the old\"") == ["win", "the old"])
        #expect(try terms("“old house") == ["old house"])
        #expect(try terms("don't") == ["don t"])
        #expect(try terms("🌊 love❤you") == ["🌊", "love ❤ you*"])
    }

    @Test("a script without spaces is searched by pairs, and a single character as the prefix of a pair")
    func unspaced() throws {
        #expect(try terms("東京都 京") == ["東京 京都", "京*"])
        #expect(try terms("東京tower") == ["東京", "tower*"])
    }

    @Test("one letter of an alphabet is a word and not a prefix; one character of another script may be either")
    func oneLetter() throws {
        for q in ["s", "É", "я", "ع", "sea s", "7"] { #expect(try !SearchRules.terms(q).contains { $0.isPrefix }, "\(q)") }
        for q in ["se", "ня", "東", "가", "s 東", "77"] { #expect(try SearchRules.terms(q).last?.isPrefix == true, "\(q)") }
    }

    @Test("the first sixteen words count; quoted words are one, and so is a word that is repeated")
    func manyWords() throws {
        let words = (10..<95).map(String.init)
        func q(_ count: Int) -> String { words.prefix(count).joined(separator: " ") }
        #expect(try terms(q(16)) == Array(words.prefix(15)) + ["25*"])
        // Here the sixteenth word is not the last one, so it is not a prefix.
        #expect(try terms(q(17)) == Array(words.prefix(16)))
        #expect(try terms(q(85)) == Array(words.prefix(16)))
        #expect(try terms("\"\(q(80))\" sea") == [q(80), "sea*"])
        #expect(try terms(String(repeating: "sea ", count: 40) + "\"sun\"") == ["sea", "sun"])
        let letters = "abcdefghijklmnopqrstuvwxyz".map { String($0) }
        #expect(try terms(letters.joined(separator: " ")) == Array(letters.prefix(16)))
        // A word that mixes two scripts is split into many words.
        #expect(try terms(letters.map { "東" + $0 }.joined()) == ["東*"] + Array(letters.prefix(15)))
    }

    @Test("a prefix of a word of another term is not looked up: whatever matches that term matches it, too")
    func decidingTerms() throws {
        func deciding(_ q: String) throws -> [String] {
            try SearchStore.deciding(SearchRules.terms(q)).map { $0.tokens.joined(separator: " ") + ($0.isPrefix ? "*" : "") }
        }
        #expect(try deciding("seaside se") == ["seaside"])
        #expect(try deciding("\"the seaside\" sea") == ["the seaside"])
        #expect(try deciding("sea seaside") == ["sea", "seaside*"])
        #expect(try deciding("sea sea") == ["sea"])
        #expect(try deciding("sun sea") == ["sun", "sea*"])
        // In UTF-8, each of these words is a prefix of the next, which has one more combining mark. So only the longest is looked up.
        let marks = (0..<8).map { "ก" + String(repeating: "\u{e48}", count: $0) }
        let terms = try SearchRules.terms(marks.joined(separator: " "))
        #expect(terms.count > 1 && terms.filter(\.isPrefix).count == terms.count)
        #expect(SearchStore.deciding(terms).count == 1)
        // The first word has two spellings. Both begin with "mu", but only one begins with "mun".
        #expect(try deciding("München mu") == ["munchen"])
        #expect(try deciding("München mun") == ["munchen", "mun*"])
    }

    @Test("operators of other search engines are separators")
    func operators() throws {
        #expect(try terms("a AND b") == ["a", "and", "b"])
        #expect(try terms("NEAR(a b, 2)") == ["near a", "b", "2"])
        #expect(try terms("title:sea* -sun ^x {a}:b") == ["title sea", "sun", "x", "a b"])
        #expect(try terms("a' & !b | (c):* <-> \\ d") == ["a", "b", "c", "d"])
    }

    @Test(
        "a query without a word, too long or with a NUL is refused, and the error names the field",
        arguments: ["", " ", "\"\"", "* - !", "®", "\u{301}", "a\0b"])
    func refused(_ q: String) {
        #expect { try SearchRules.terms(q) } throws: { ($0 as? Problem)?.kind == .invalid && ($0 as? Problem)?.field == "q" }
    }

    @Test("a query of 256 characters is accepted, one of 257 is not")
    func length() throws {
        #expect(try SearchRules.terms(String(repeating: "é", count: 256)).count == 1)
        #expect(try SearchRules.terms(String(repeating: "東", count: 256)).first?.tokens.count == 255)
        #expect { try SearchRules.terms(String(repeating: "é", count: 257)) } throws: { ($0 as? Problem)?.field == "q" }
    }
}

@Suite("Snippets")
struct SearchSnippetTests {
    private func snippets(_ q: String, _ texts: [(String, String)]) throws -> [(field: String, shown: String)] {
        try SearchSnippets(SearchRules.terms(q)).snippets(of: texts.map { .init(field: $0.0, text: $0.1) }).map { snippet in
            let scalars = Array(snippet.text.unicodeScalars)
            var shown = ""
            var place = 0
            for mark in snippet.marks {
                #expect(mark.count == 2 && mark[0] >= place && mark[1] > 0 && mark[0] + mark[1] <= scalars.count)
                shown += String(String.UnicodeScalarView(scalars[place..<mark[0]]))
                shown += "[" + String(String.UnicodeScalarView(scalars[mark[0]..<mark[0] + mark[1]])) + "]"
                place = mark[0] + mark[1]
            }
            return (snippet.field, shown + String(String.UnicodeScalarView(scalars[place...])))
        }
    }

    @Test("words are marked as they were written, only in the texts that contain them")
    func marks() throws {
        let found = try snippets("strasse caf", [("title", "Die STRAẞE"), ("note", "nothing"), ("tags", "Cafe\u{301}s, 👍")])
        #expect(found.map(\.field) == ["title", "tags"])
        #expect(found.map(\.shown) == ["Die [STRAẞE]", "[Cafe\u{301}s], 👍"])
        #expect(try snippets("\"new york\" 👍", [("note", "new new York 👍🏽!")]).map(\.shown) == ["new [new York] [👍🏽]!"])
        #expect(try snippets("東京都", [("note", "今、東京都へ")]).map(\.shown) == ["今、[東京都]へ"])
        #expect(try snippets("京", [("note", "東京 京都")]).map(\.shown) == ["東[京] [京都]"])
        #expect(try snippets("sea", [("note", "search")]).map(\.shown) == ["[search]"])
        #expect(try snippets("\"sea\"", [("note", "search")]).isEmpty)
        #expect(try snippets("muenchen", [("note", "in München")]).map(\.shown) == ["in [München]"])
    }

    @Test("a snippet is the same whether it needs only the head of a text or all of it", arguments: 0..<4 as Range<UInt64>)
    func beginnings(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let vocabulary = ["sea", "seaside", "sun", "day", "東京", "都東京に", "🌊", "cafe\u{301}", "a\r\nb", "\n", "longer-words", "x"]
        var early = 0
        for _ in 0..<150 {
            let text = (0..<Int.random(in: 1...900, using: &random)).map { _ in
                // Most words do not match, so that the matches are far apart.
                Int.random(in: 0..<100, using: &random) == 0 ? vocabulary.randomElement(using: &random)! : "word"
            }.joined(separator: Bool.random(using: &random) ? " " : "  ")
            let terms = try SearchRules.terms(["sea", "sea sun", "東京", "\"sea day\"", "cafe 🌊"].randomElement(using: &random)!)
            let texts = [SearchDocument.Text(field: "note", text: text)]
            let whole = SearchSnippets(terms, beginnings: []).snippets(of: texts)
            #expect(SearchSnippets(terms, beginnings: [64, 300, 2_048]).snippets(of: texts) == whole)
            if text.unicodeScalars.count > 3_000, !whole.isEmpty { early += 1 }
        }
        #expect(early > 0)
    }

    @Test("a snippet shows about 160 characters of a long text, around most of the words, and at most three texts of a document")
    func length() throws {
        let long =
            String(repeating: "word ", count: 200) + "sun " + String(repeating: "more ", count: 200) + "sea and sun "
            + String(repeating: "rest ", count: 200)
        let found = try snippets("sea sun", [("a", long), ("b", "sun"), ("c", "sea"), ("d", "sea sun")])
        #expect(found.map(\.field) == ["a", "b", "c"])
        let shown = try #require(found.first?.shown)
        #expect(shown.contains("[sea] and [sun]") && shown.hasPrefix("…more") && shown.hasSuffix("rest…"))
        #expect(shown.unicodeScalars.count <= 160 + 2 + 4)
        let run = String(repeating: "東", count: 1_000)
        #expect(try snippets("東東", [("note", run)])[0].shown.unicodeScalars.count <= 164)
        let phrase = String(repeating: "ab ", count: 80)
        #expect(try snippets("\"\(phrase)\"", [("note", "x " + phrase + "y")]).count == 1)
    }
}
