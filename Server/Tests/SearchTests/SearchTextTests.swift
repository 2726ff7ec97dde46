import TestKit
import Testing

@testable import Search

@Suite("The words of a text")
struct SearchTextTests {
    private func words(_ text: String) -> [String] { SearchText(text).tokens.map(\.text) }

    @Test("words to which those of further texts are added are the words of all texts")
    func adding() {
        let texts = [("title", "The lake"), ("tags", "sea, sun"), ("name", "IMG 1.jpg")].map {
            SearchDocument.Text(field: $0.0, text: $0.1)
        }
        let (all, added) = (SearchWords(texts), SearchWords(Array(texts.prefix(2))).adding(Array(texts.suffix(1))))
        #expect(added.tokensColumn == all.tokensColumn && added.textsColumn == all.textsColumn && added.count == all.count)
        let long = SearchDocument.Text(field: "description", text: String(repeating: "a ", count: 40_000))
        #expect(SearchWords([long]).adding(texts).tokensColumn == SearchWords([long] + texts).tokensColumn)
    }

    @Test(
        "case, accents, width and Unicode normalization do not matter",
        arguments: [
            ("Café", "cafe"), ("CAFÉ", "cafe"), ("cafe\u{301}", "cafe"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("ẞ", "ss"),
            ("Ærø", "aero"), ("œuvre", "oeuvre"), ("Łódź", "lodz"), ("Đặng", "dang"), ("İstanbul", "istanbul"), ("ısı", "isi"),
            ("Reykjavíkur", "reykjavikur"), ("þórr", "thorr"), ("Ångström", "angstrom"), ("ñandú", "nandu"), ("naïve", "naive"),
            ("Ωδή", "ωδη"), ("ΟΔΟΣ", "οδοσ"), ("οδός", "οδοσ"), ("Ёлка", "елка"), ("ЙОД", "иод"), ("ﬁnal", "final"), ("Ｔｏｋｙｏ", "tokyo"),
            ("m²", "m2"), ("Ⅷ", "viii"), ("x٣", "x3"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("إسلام", "اسلام"),
            ("soft\u{AD}ware", "software"),
            ("한국어", "한국어"), ("हिन्दी", "हिन्दी"), ("IMG_2041", "img 2041"), ("don't", "don t"), ("l’été", "l ete"), ("a-b.c", "a b c"),
            ("3.5", "3 5"), ("50€", "50"), ("a\0b", "a b"), ("", ""), (" \n\t.,!?", ""), ("®", ""),
        ])
    func folding(_ text: String, _ expected: String) {
        #expect(words(text).joined(separator: " ") == expected)
    }

    @Test("scripts without spaces are split into pairs, plus the last character alone")
    func unspaced() {
        #expect(words("東京都") == ["東京", "京都", "都"])
        #expect(words("京") == ["京"])
        #expect(words("カラオケ") == words("からおけ"))
        #expect(words("ｶﾞｽ") == words("がす"))
        #expect(words("が") != words("か"))
        #expect(words("東京tower、大阪") == ["東京", "京", "tower", "大阪", "阪"])
        #expect(words("ทะเล").count == 4)
    }

    @Test("an emoji is a word of its own, whatever its skin tone and variation selector")
    func emoji() {
        #expect(words("sea🌊sun") == ["sea", "🌊", "sun"])
        #expect(words("👍🏽👍") == ["👍", "👍"])
        #expect(words("❤️ ❤") == ["❤", "❤"])
        #expect(words("👩‍👩‍👧") == ["👩‍👩‍👧"])
        #expect(words("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"])
        #expect(words("1️⃣") == ["1"])
        #expect(words("★ ☂") == ["★", "☂"])
    }

    @Test("each token has its position in Unicode scalars")
    func ranges() {
        let text = "A cafe\u{301} 👍🏽 東京 straße"
        let scalars = Array(text.unicodeScalars)
        let pieces = SearchText(text).tokens.map { String(String.UnicodeScalarView(scalars[$0.range])) }
        #expect(pieces == ["A", "cafe\u{301}", "👍🏽", "東京", "京", "straße"])
    }

    @Test("a word is indexed by its first 48 bytes, a document by its first 8,192 words and 65,536 characters")
    func limits() {
        let long = String(repeating: "é", count: 5_000)
        #expect(words(long) == [String(repeating: "e", count: 48)])
        #expect(words(String(repeating: "я", count: 100)).allSatisfy { $0.utf8.count == 48 })
        let many = SearchWords([.init(field: "note", text: String(repeating: "a b ", count: 10_000)), .init(field: "tags", text: "late")])
        #expect(many.count == 8_192 && !many.tokensColumn.contains("late"))
        let wide = SearchWords([.init(field: "note", text: String(repeating: "x", count: 65_530) + " found lost")])
        #expect(wide.tokensColumn.hasSuffix(" found"))
    }

    @Test("the tables of folded letters hold what folding without them gives")
    func tables() {
        let accents = ["", "\u{301}", "\u{308}\u{323}", "\u{FE0F}", "\u{20E3}"]
        for (number, value) in (UInt32(0x80)..<0x3_0000).enumerated() {
            guard number.isMultiple(of: 3), let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar)) + accents[number % accents.count]
            for character in text where Folding.fold(character) != Folding.slowly(character) {
                Issue.record("U+\(String(value, radix: 16)): \(Folding.fold(character)), not \(Folding.slowly(character))")
            }
        }
    }

    @Test("a character with thousands of combining marks is folded by its first 32 scalars")
    func manyMarks() throws {
        // The marks alternate between two combining classes, which a canonical form has to sort.
        let marks = String(repeating: "\u{94D}\u{93C}", count: 5_000)
        let letter = try #require(("क" + marks).first)
        #expect(letter.unicodeScalars.count == 10_001)
        #expect(Folding.fold(letter).unicodeScalars.count == Folding.scalarLimit)
        #expect(words("क" + marks + " a").last == "a" && words("ก" + marks).allSatisfy { $0.unicodeScalars.count <= Folding.scalarLimit })
        let symbol = try #require(("🌊" + marks).first)
        #expect(Folding.symbol(symbol)?.unicodeScalars.count == Folding.scalarLimit)
        let tone = try #require(("🏽" + String(repeating: "\u{FE0F}", count: 10_000)).first)
        #expect(Folding.symbol(tone)?.unicodeScalars.count == Folding.scalarLimit)
    }

    @Test("letters beyond U+FFFF take little more time than Cyrillic ones")
    func rareLetters() {
        func time(_ first: UInt32, _ count: UInt32) -> Duration {
            let scalars = (0..<UInt32(65_536)).compactMap { Unicode.Scalar(first + $0 % count) }
            let text = String(String.UnicodeScalarView(scalars))
            _ = SearchText(text)
            return (0..<3).map { _ in ContinuousClock().measure { _ = SearchText(text) } }.min()!
        }
        // The scripts are Deseret and Gothic. Before the tables existed, this took 30 times as long.
        #expect(time(0x10400, 80) < time(0x430, 32) * 6)
    }

    @Test("any text gives ordered tokens within its bounds, without characters that an engine could misinterpret", arguments: 0..<40)
    func hostile(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let scalars = (0..<2_000).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x1_1000, using: &random)) }
        for text in [String(decoding: bytes, as: UTF8.self), String(String.UnicodeScalarView(scalars))] {
            let count = text.unicodeScalars.count
            var before = 0
            for token in SearchText(text).tokens {
                #expect(!token.text.isEmpty && token.range.lowerBound >= before && token.range.upperBound <= count && !token.range.isEmpty)
                before = token.range.lowerBound
                let strange = token.text.unicodeScalars.filter {
                    $0.properties.isWhitespace || $0.isASCII && !("a"..."z" ~= $0 || "0"..."9" ~= $0)
                }
                #expect(strange.isEmpty, "\(token.text.debugDescription)")
                // Folding a folded text does not change it, so searching for a token finds the token.
                if !token.text.unicodeScalars.contains(where: Folding.isUnspaced) {
                    #expect(words(token.text).joined() == token.text, "\(token.text.debugDescription)")
                }
            }
        }
    }
}
