/// Chooses the sentences that answer a question, without a model. Pure.
package enum QuoteChooser {
    /// Of each source, the sentence with the highest total weight of words of the question; of equals, the first. A title is quoted only
    /// when it weighs more than any sentence, and a label only when no word of the question is in a sentence or the title.
    /// - Parameter weights: the weight of each term of the question, in the order of `question.terms`.
    package static func quotes(_ question: Question, _ sources: [AnswerSource], weights: [Double]) -> [Quote] {
        let names = question.names.map { PlainWords($0) }
        return sources.enumerated().compactMap { index, source in
            var best: (sentence: String, rank: Rank)?
            for text in source.texts {
                for sentence in Sentences.of(text.text) {
                    let rank = Rank(score: score(sentence, question, names, weights), role: text.role)
                    if best.map({ $0.rank < rank }) ?? true { best = (sentence, rank) }
                }
            }
            return best.map { Quote(source: index, sentence: String($0.sentence.prefix(600))) }
        }
    }

    private struct Rank: Comparable {
        /// 0 when nothing of the question is in the text.
        let score: Double
        let role: AnswerSource.Text.Role

        private var tier: Int { score == 0 ? 0 : role == .label ? 1 : 2 }

        static func < (first: Rank, second: Rank) -> Bool {
            (first.tier, first.score, -first.role.rawValue) < (second.tier, second.score, -second.role.rawValue)
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
