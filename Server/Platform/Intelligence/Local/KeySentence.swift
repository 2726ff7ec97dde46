/// The sentence of a capture that says most. Pure.
package enum KeySentence {
    /// The most sentences of a text that are compared; later ones are not read. Half an hour of speech has about 400.
    static let sentenceLimit = 1_000

    /// A sentence of the transcription, otherwise of the picture's text; `nil` when there is neither.
    package static func of(_ input: CaptureInput) -> String? { of(input, NameFinder(contacts: input.contacts)) }

    /// - Parameter finder: knows the contacts. To make one takes as long as to read a long text, so there is one for all sentences.
    static func of(_ input: CaptureInput, _ finder: NameFinder) -> String? {
        [input.transcription, input.imageText].lazy.compactMap { $0.flatMap { choose($0, finder) } }.first
    }

    /// The sentence with the most names, feelings and significant words; of equals, the first.
    static func choose(_ text: String, _ finder: NameFinder) -> String? {
        let sentences = Sentences.of(text).prefix(sentenceLimit)
        guard sentences.count > 1 else { return sentences.first.map { String($0.prefix(500)) } }
        let scored = sentences.enumerated().map { index, sentence -> (sentence: String, score: Double) in
            let words = Words(sentence)
            let telling = words.all.count { $0.plain.count >= 4 && !StopWords.all.contains($0.plain) }
            let names = finder.names(in: words).count
            let feelings = Moods.find(words) == nil ? 0 : 1
            // A very long sentence is not better for its length alone.
            let score = Double(3 * names + 2 * feelings + min(telling, 12)) - (words.all.count < 3 ? 4 : 0) - 0.01 * Double(index)
            return (sentence, score)
        }
        return scored.max { $0.score < $1.score }.map { String($0.sentence.prefix(500)) }
    }
}
