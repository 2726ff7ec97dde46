import Core
import Foundation
import TestKit
import Testing

@testable import Intelligence

@Suite("Finding a question's words in texts")
struct QuestionFinderTests {
    /// Letters that are equal or alike: composed, decomposed, and with marks in two orders.
    private static let alphabets = [
        ["é", "e\u{301}", "e", "x"], ["ậ", "a\u{323}\u{302}", "a\u{302}\u{323}", "a", "b"], ["й", "и\u{306}", "и", "x"],
        ["각", "\u{1100}\u{1161}\u{11A8}", "가", "\u{1161}", "\u{1162}"], ["a", "b", "1", "'", "-"], ["a", "b"],
    ]

    private static func question(_ terms: [Question.Term], names: [String] = []) -> Question {
        var question = Question("", contacts: [], now: Timestamp(seconds: 0), zone: .gmt)
        question.terms = terms
        question.names = names
        return question
    }

    private static func word(_ alphabet: [String], _ random: inout SplitMix64) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in alphabet.randomElement(using: &random)! }.joined()
    }

    private static func words(_ counts: ClosedRange<Int>, _ alphabet: [String], _ random: inout SplitMix64) -> [String] {
        (0..<Int.random(in: counts, using: &random)).map { _ in word(alphabet, &random) }
    }

    private static func terms(_ alphabet: [String], _ random: inout SplitMix64) -> [Question.Term] {
        (0..<Int.random(in: 1...12, using: &random)).map { _ in
            let word = word(alphabet, &random)
            return Question.Term(word: word, forms: words(1...6, alphabet, &random), isStem: Bool.random(using: &random))
        }
    }

    /// Whether a term matches a word. `QuestionFinder` finds the same words with fewer comparisons.
    private static func matches(_ word: String, _ term: Question.Term) -> Bool {
        word == term.word
            || term.forms.enumerated().contains { index, form in
                word == form || term.isStem && index == 0 && word.hasPrefix(form)
            }
    }

    @Test("it finds what comparing each word with each form finds, also decomposed letters", arguments: 0..<8 as Range<UInt64>)
    func property(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (foundTerms, foundNames) = (0, 0)
        for round in 0..<400 {
            let alphabet = Self.alphabets[round % Self.alphabets.count]
            let terms = Self.terms(alphabet, &random)
            let names = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Self.words(1...3, alphabet, &random).joined(separator: " ")
            }
            let words = Self.words(0...12, alphabet, &random)
            let finder = QuestionFinder(Self.question(terms, names: names))
            let expected = terms.map { term in words.contains { Self.matches($0, term) } }
            #expect(finder.terms(in: words).isFound == expected, "\(terms) in \(words)")
            let text = PlainWords(words.joined(separator: " "))
            let expectedNames = names.map { text.contains(PlainWords($0)) }
            #expect(finder.names(in: text).isFound == expectedNames, "\(names) in \(words)")
            foundTerms += expected.count { $0 }
            foundNames += expectedNames.count { $0 }
        }
        #expect(foundTerms > 200 && foundNames > 20, "\(foundTerms) terms, \(foundNames) names")
    }

    @Test("a word that no word of the question begins with takes one lookup, however many terms, forms and names there are")
    func lookups() {
        let terms = (0..<12).map { term in
            Question.Term(word: "word\(term)", forms: (0..<6).map { "form\($0)of\(term)" }, isStem: true)
        }
        let finder = QuestionFinder(Self.question(terms, names: (0..<32).map { "Name\($0) Surname" }))
        // Vowels of Hangul, which Swift normalises whenever it compares or hashes them.
        let vowels = (UInt32(0x1161)...0x1175).compactMap { Unicode.Scalar($0) }.map { String(Character($0)) }
        let text = PlainWords((0..<10_000).map { vowels[$0 % vowels.count] }.joined(separator: " "))
        #expect(text.words.count == 10_000)
        let (inTerms, inNames) = (finder.terms(in: text.words), finder.names(in: text))
        // To compare each word with each form takes 840,000 comparisons, and with each name 320,000.
        #expect(inTerms.count == 0 && inTerms.lookupCount == 10_000, "\(inTerms.lookupCount)")
        #expect(inNames.count == 0 && inNames.lookupCount == 10_000, "\(inNames.lookupCount)")
        let none = QuestionFinder(Self.question([]))
        #expect(none.terms(in: text.words).lookupCount == 0 && !none.hasNames)
    }

    /// The expected quotes: reads whole texts and compares each word with each form.
    private static func compareAll(_ question: Question, _ sources: [AnswerSource], weights: [Double]) -> [Quote] {
        sources.enumerated().compactMap { index, source in
            var best: (sentence: String, tier: Int, score: Double, role: Int)?
            for text in source.texts {
                for sentence in Sentences.of(text.text) {
                    let words = Words(sentence).all.map(\.plain)
                    var score = 0.0
                    for (term, weight) in zip(question.terms, weights) where words.contains(where: { matches($0, term) }) {
                        score += weight
                    }
                    for name in question.names where PlainWords(sentence).contains(PlainWords(name)) { score += 2 }
                    let tier = score == 0 ? 0 : text.role == .label ? 1 : 2
                    let role = -text.role.rawValue
                    if best.map({ ($0.tier, $0.score, $0.role) < (tier, score, role) }) ?? true { best = (sentence, tier, score, role) }
                }
            }
            return best.map { Quote(source: index, sentence: String($0.sentence.prefix(600))) }
        }
    }

    @Test("sources that are read in parts give the quotes that they give as a whole", arguments: 0..<2 as Range<UInt64>)
    func quotes(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for alphabet in Self.alphabets {
            let terms = Self.terms(alphabet, &random)
            let question = Self.question(terms, names: [Self.word(alphabet, &random), Self.word(alphabet, &random)])
            // The first source is longer than a part. Several texts of the other sources share a part.
            let sources = [400, 0, 10, 30].enumerated().map { index, count in
                let roles: [AnswerSource.Text.Role] = [.label, .title, .sentences]
                let texts = roles.map { role in
                    let sentences = (0..<count).map { _ in Self.words(1...8, alphabet, &random).joined(separator: " ") }
                    return AnswerSource.Text(role, sentences.joined(separator: Bool.random(using: &random) ? ". " : "\n"))
                }
                return AnswerSource(kind: "memory", id: "\(index)", at: Timestamp(seconds: 0), texts: texts)
            }
            let weights = terms.map { _ in Double.random(in: 0.1...3, using: &random) }
            var chooser = QuoteChooser(question, sources, weights: weights)
            var partCount = 1
            while chooser.readPart() { partCount += 1 }
            #expect(chooser.quotes == Self.compareAll(question, sources, weights: weights), "\(question)")
            let byteCount = sources.flatMap(\.plainTexts).reduce(0) { $0 + $1.utf8.count }
            #expect(partCount > 1 && partCount <= 1 + byteCount / SentenceReader.partByteCount, "\(partCount) parts")
        }
    }
}

@Suite("Sentences of long texts")
struct SentenceReaderTests {
    /// The expected sentences: cuts the whole text into lines, and each line into words.
    private static func cutAll(_ text: String) -> [String] {
        var sentences: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            var words: [Substring] = []
            func end() {
                if words.contains(where: { $0.contains(where: \.isLetter) }) { sentences.append(words.joined(separator: " ")) }
                words = []
            }
            for word in line.split(whereSeparator: \.isWhitespace) {
                words.append(word)
                let length = words.reduce(0) { $0 + $1.count + 1 }
                if Sentences.endsSentence(word) || length > Sentences.longest { end() }
            }
            end()
        }
        return sentences
    }

    @Test("a text that is read in parts has the sentences of the whole text", arguments: 0..<4 as Range<UInt64>)
    func parts(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "a", "sea.", "Dr.", "“Oh!”", "東京。", "123", "…", "e\u{301}", "👩‍👩‍👧", " ", " ", " ", " ", "  ", "\n", "\r\n", "\t",
            "\u{2028}", " \u{301}", String(repeating: "long ", count: 120),
        ]
        for _ in 0..<200 {
            let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
            let expected = Self.cutAll(text)
            #expect(Sentences.of(text) == expected, "\(text)")
            let byteCount = Int.random(in: 1...200, using: &random)
            var reader = SentenceReader(text)
            var sentences: [String] = []
            while !reader.isAtEnd {
                let before = reader.unreadByteCount
                sentences += reader.read(byteCount: byteCount)
                #expect(before - reader.unreadByteCount >= byteCount || reader.isAtEnd)
            }
            #expect(sentences == expected, "\(text)")
        }
    }

    @Test("a part of a text ends with a sentence, or between words when the sentence is very long")
    func bound() {
        // 400,000 bytes.
        let text = String(repeating: "\u{1161} ", count: 100_000)
        var reader = SentenceReader(text)
        var partCount = 0
        while !reader.isAtEnd {
            let before = reader.unreadByteCount
            _ = reader.read(byteCount: SentenceReader.partByteCount)
            #expect(before - reader.unreadByteCount <= SentenceReader.partByteCount + 1_000)
            partCount += 1
        }
        #expect(partCount > 20 && partCount <= 25, "\(partCount)")
    }

    @Test("sentences that are looked for in parts of a text are found as in the whole text", arguments: 0..<4 as Range<UInt64>)
    func check(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let words = ["a", "B", "é", "e\u{301}", "c.", "—"]
        var found = 0
        for round in 0..<40 {
            func sentence(_ counts: ClosedRange<Int>) -> String {
                (0..<Int.random(in: counts, using: &random)).map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
            }
            // Every tenth text is longer than a part.
            let text = sentence(round.isMultiple(of: 10) ? 9_000...10_000 : 0...30)
            let sentences = (0..<4).map { _ in sentence(0...5) } + [sentence(12...14)]
            var check = SentenceCheck(sentences, in: text)
            while check.readPart() {}
            let expected = sentences.filter { Grounding.stands($0, in: [text]) }
            #expect(check.standing == expected, "\(sentences) in \(text)")
            found += expected.count
        }
        #expect(found > 20)
        // A sentence that is not in the text is searched in all parts, and one at the beginning only in the first part.
        let text = "The boat. " + String(repeating: "Oh yes. ", count: 10_000)
        for (sentence, parts) in [("The boat.", 1...1), ("No boat.", 5...6)] {
            var check = SentenceCheck([sentence], in: text)
            var partCount = 1
            while check.readPart() { partCount += 1 }
            #expect(parts.contains(partCount), "\(partCount) parts")
        }
    }
}
