import Testing

@testable import Intelligence

@Suite("Grounding")
struct GroundingTests {
    @Test("a sentence stands in a text when its words follow each other there, whatever their case and punctuation")
    func stands() {
        let text = "He said: “Nora’s boat leaks!” — and left. Über Nacht kam Schnee."
        for sentence in ["nora's boat LEAKS", "he said", "Schnee", "über nacht", "leaks and left", "Schnee."] {
            #expect(Grounding.stands(sentence, in: ["Other.", text]), "\(sentence)")
        }
        for sentence in ["boat is leaking", "said Nora boat", "ora", "left Über Schnee", "", "!?", text + " more"] {
            #expect(!Grounding.stands(sentence, in: ["Other.", text]), "\(sentence)")
        }
        #expect(!Grounding.stands("he", in: []) && !PlainWords("").contains(PlainWords("")))
        #expect(PlainWords("a b a b c").contains(PlainWords("A, B. C")))
    }

    @Test("a text is read word by word as it is split, and found runs are those at which all words are equal")
    func words() {
        for text in ["", "…", "a", " a,b ", "“Nora’s boat” — 3½ ÉTÉ e\u{301}te\u{301}!", "ab\r\ncd\n\nef."] {
            #expect(Array(WordReader(text)) == PlainWords(text).words, "\(text)")
        }
        // Tests all texts of up to seven words and all runs of up to four words that consist of two different words.
        func all(_ length: Int) -> [[Int]] { (0..<1 << length).map { bits in (0..<length).map { bits >> $0 & 1 } } }
        for text in (0...7).flatMap(all) {
            for run in (1...4).flatMap(all) {
                let starts = text.indices.filter { text[$0...].starts(with: run) }
                #expect(text.containsRun(run) == !starts.isEmpty, "\(run) in \(text)")
            }
        }
    }

    /// A word that counts how often it is compared.
    private struct CountedWord: Equatable {
        final class Count { var value = 0 }

        let word: String
        let count: Count

        static func == (a: CountedWord, b: CountedWord) -> Bool {
            a.count.value += 1
            return a.word == b.word
        }
    }

    @Test("a text that repeats the beginning of a sentence is compared at most three times, and read only up to the sentence")
    func comparisons() {
        let count = CountedWord.Count()
        func words(_ number: Int, then last: String) -> [CountedWord] {
            (Array(repeating: "x", count: number) + [last]).map { CountedWord(word: $0, count: count) }
        }
        let (text, run) = (words(16_000, then: "y"), words(150, then: "z"))
        #expect(!text.containsRun(run))
        // To compare `run` from its beginning at each position would take 2,400,000 comparisons.
        #expect(count.value <= 3 * (text.count + run.count), "\(count.value)")

        var read = 0
        let sentence = words(150, then: "y")
        let counted = (text + text).lazy.map { word -> CountedWord in
            read += 1
            return word
        }
        let isFound = counted.containsRun(sentence)
        #expect(isFound && read == text.count, "\(read)")
    }
}
