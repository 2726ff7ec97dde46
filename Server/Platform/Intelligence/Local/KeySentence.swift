/// The sentence of a capture that says most. Pure.
package enum KeySentence {
    /// A sentence of the transcription, otherwise of the picture's text; `nil` when there is neither.
    package static func of(_ input: CaptureInput) -> String? {
        [input.transcription, input.imageText].lazy.compactMap { $0.flatMap { choose($0, contacts: input.contacts) } }.first
    }

    /// The sentence with the most names, feelings and significant words; of equals, the first.
    static func choose(_ text: String, contacts: [String]) -> String? {
        let sentences = Sentences.of(text)
        guard sentences.count > 1 else { return sentences.first.map { String($0.prefix(500)) } }
        let scored = sentences.enumerated().map { index, sentence -> (sentence: String, score: Double) in
            let words = Words(sentence).all
            let telling = words.count { $0.plain.count >= 4 && !StopWords.all.contains($0.plain) }
            let names = NameFinder(contacts: contacts).names(in: sentence).count
            let feelings = Moods.find(sentence) == nil ? 0 : 1
            // A very long sentence is not better for its length alone.
            let score = Double(3 * names + 2 * feelings + min(telling, 12)) - (words.count < 3 ? 4 : 0) - 0.01 * Double(index)
            return (sentence, score)
        }
        return scored.max { $0.score < $1.score }.map { String($0.sentence.prefix(500)) }
    }
}
