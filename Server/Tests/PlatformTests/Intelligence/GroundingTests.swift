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
}
