import Testing

@testable import Core

@Suite("Combining marks")
struct CombiningMarksTests {
    /// An accent, a mark beyond U+FFFF, an enclosing mark, a vowel sign, a halfwidth sound mark and a variation selector.
    private static let marks = ["\u{301}", "\u{1D165}", "\u{20DD}", "\u{93E}", "\u{FF9E}", "\u{FE0F}"]

    @Test("thirty in a row pass, one more does not, wherever they are", arguments: marks)
    func limit(_ mark: String) {
        let thirty = String(repeating: mark, count: CombiningMarks.limit)
        // The code reads eight bytes at a time. These prefixes move the marks to different positions among the eight.
        for before in ["", "a", "abc", "1234567", "12345678", "é", "東京"] {
            #expect(!CombiningMarks.areTooMany(in: before + thirty + "z" + thirty + "12345678"))
            #expect(CombiningMarks.areTooMany(in: before + thirty + mark))
            #expect(CombiningMarks.areTooMany(in: before + thirty + "z" + thirty + mark + "12345678"))
        }
        let bounded = CombiningMarks.bounded("a" + thirty + mark + mark + "z")
        #expect(bounded.unicodeScalars.elementsEqual(("a" + thirty + "z").unicodeScalars))
    }

    @Test(
        "ordinary texts of all kinds pass",
        arguments: [
            "", "a", "plain ASCII of more than eight bytes", "naïve Ωδή Ёлка", "שָׁלוֹם مُحَمَّد", "हिन्दी", "ภาษาไทย",
            "東京 ｶﾞｽ 한국어", "👩‍👩‍👧 👍🏽 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        ])
    func ordinary(_ text: String) throws {
        #expect(!CombiningMarks.areTooMany(in: text) && CombiningMarks.bounded(text) == text)
        try UntrustedJSON.check(text)
    }

    @Test("the table says of each scalar what Unicode's properties say")
    func table() {
        let wrong = (0...0x10_FFFF as ClosedRange<UInt32>).filter { CombiningMarks.isMark($0) != CombiningMarks.hasMarkProperties($0) }
        #expect(wrong.isEmpty, "\(wrong.prefix(20))")
    }

    @Test("marks that are percent-encoded count, and so do mixed ones")
    func percentEncoded() {
        #expect(!CombiningMarks.areTooMany(inPercentEncoded: "/a?q=" + String(repeating: "%CC%81", count: 30) + "%"))
        #expect(CombiningMarks.areTooMany(inPercentEncoded: "/a?q=" + String(repeating: "%cc%81", count: 31)))
        #expect(CombiningMarks.areTooMany(inPercentEncoded: String(repeating: "%CC%81\u{301}", count: 16)))
        #expect(!CombiningMarks.areTooMany(inPercentEncoded: String(repeating: "%CC%81%", count: 40)))
    }

    @Test("escaped marks of JSON count, and so do mixed ones and halves of surrogate pairs")
    func escaped() {
        func passes(_ json: String) -> Bool { (try? UntrustedJSON.check(json)) != nil }
        func text(of part: String, _ count: Int) -> String { #"{"a":""# + String(repeating: part, count: count) + #""}"# }
        func name(of part: String, _ count: Int) -> String { #"{""# + String(repeating: part, count: count) + #"":1}"# }
        #expect(passes(text(of: #"\u0301"#, 30)) && passes(name(of: #"\u0301"#, 30)))
        #expect(!passes(text(of: #"\u0301"#, 31)) && !passes(name(of: #"\u0301"#, 31)))
        #expect(!passes(text(of: #"\u0301"# + "\u{301}", 16)))
        #expect(!passes(text(of: #"\uD834\udd65"#, 31)))
        // A backslash followed by letters, and escapes of other characters.
        #expect(passes(text(of: #"\\u0301"#, 40)) && passes(text(of: #"\n\u0041\"\/"#, 40)))
        #expect(passes(#"{"a":"\u03"#) && passes("\\"))
    }

    @Test("JSON is UTF-8: the decoder would read other encodings, whose marks the check cannot see")
    func encodings() {
        func passes(_ bytes: [UInt8]) -> Bool { (try? bytes.withUnsafeBytes { try UntrustedJSON.check($0) }) != nil }
        #expect(passes(Array("{}".utf8)) && passes([0xEF, 0xBB, 0xBF, 0x7B, 0x7D]) && passes([]))
        for bytes in [
            [0x7B, 0, 0x7D, 0], [0, 0x7B, 0, 0x7D], [0xFF, 0xFE, 0x7B, 0], [0xFE, 0xFF, 0, 0x7B], [0x7B, 0, 0, 0], [0, 0, 0, 0x7B],
        ] as [[UInt8]] {
            #expect(!passes(bytes), "\(bytes)")
        }
    }
}
