/// Chooses the sentences that answer a question, without a model. Pure.
package enum QuoteChooser {
    /// The sentence of each source with the most weight of the question's words; of equals, the first.
    /// - Parameter weights: of each term of the question.
    package static func quotes(_ question: Question, _ sources: [AnswerSource], weights: [Double]) -> [Quote] {
        let names = question.names.map { PlainWords($0) }
        return sources.enumerated().compactMap { index, source in
            var best: (sentence: String, score: Double)?
            for sentence in source.texts.lazy.flatMap({ Sentences.of($0) }) {
                let score = score(sentence, question, names, weights)
                if best.map({ score > $0.score }) ?? true { best = (sentence, score) }
            }
            return best.map { Quote(source: index, sentence: String($0.sentence.prefix(600))) }
        }
    }

    private static func score(_ sentence: String, _ question: Question, _ names: [PlainWords], _ weights: [Double]) -> Double {
        let words = Words(sentence).all.map(\.plain)
        var score = 0.0
        for (term, weight) in zip(question.terms, weights) where words.contains(where: { matches($0, term) }) { score += weight }
        guard !names.isEmpty else { return score }
        let plain = PlainWords(sentence)
        for name in names where plain.contains(name) { score += 2 }
        return score
    }

    /// Whether a word of an entry is one that a term asks for.
    package static func matches(_ word: String, _ term: Question.Term) -> Bool {
        word == term.word
            || term.forms.enumerated().contains { index, form in
                word == form || term.isStem && index == 0 && word.hasPrefix(form)
            }
    }
}
