/// Chooses the sentences that answer a question, without a model. Reads the sources in parts, because long ones take a processor tens of
/// milliseconds. Pure.
package struct QuoteChooser: Sendable {
    private struct Text: Sendable {
        /// The source's index.
        let source: Int
        let role: AnswerSource.Text.Role
        let text: String
    }

    private struct Best: Sendable {
        let sentence: String
        let rank: Rank
    }

    private let finder: QuestionFinder
    private let weights: [Double]
    private var unread: ArraySlice<Text>
    /// Reads the first unread text; `nil` before its first part.
    private var reader: SentenceReader?
    /// The best sentence of each source among the texts that have been read so far.
    private var best: [Best?]

    /// - Parameter weights: the weight of each term of the question, in the order of `question.terms`.
    package init(_ question: Question, _ sources: [AnswerSource], weights: [Double]) {
        finder = QuestionFinder(question)
        self.weights = weights
        var texts: [Text] = []
        for (index, source) in sources.enumerated() {
            texts += source.texts.map { Text(source: index, role: $0.role, text: $0.text) }
        }
        unread = texts[...]
        best = [Best?](repeating: nil, count: sources.count)
    }

    /// - Returns: whether another part must be read.
    package mutating func readPart() -> Bool {
        var byteCount = SentenceReader.partByteCount
        while byteCount > 0, let text = unread.first {
            var sentences = reader ?? SentenceReader(text.text)
            let before = sentences.unreadByteCount
            for sentence in sentences.read(byteCount: byteCount) { consider(sentence, of: text) }
            byteCount -= before - sentences.unreadByteCount
            if sentences.isAtEnd {
                reader = nil
                unread = unread.dropFirst()
            } else {
                reader = sentences
            }
        }
        return !unread.isEmpty
    }

    /// For each source, the sentence whose words of the question have the highest total weight, or the first of several such sentences. A
    /// title is quoted only when it weighs more than any sentence, and a label only when no word of the question is in a sentence or the
    /// title.
    package var quotes: [Quote] {
        best.enumerated().compactMap { index, best in
            best.map { Quote(source: index, sentence: String($0.sentence.prefix(600))) }
        }
    }

    private struct Rank: Comparable, Sendable {
        /// 0 when nothing of the question is in the text.
        let score: Double
        let role: AnswerSource.Text.Role

        private var tier: Int { score == 0 ? 0 : role == .label ? 1 : 2 }

        static func < (first: Rank, second: Rank) -> Bool {
            (first.tier, first.score, -first.role.rawValue) < (second.tier, second.score, -second.role.rawValue)
        }
    }

    private mutating func consider(_ sentence: String, of text: Text) {
        let rank = Rank(score: score(sentence), role: text.role)
        if let earlier = best[text.source], !(earlier.rank < rank) { return }
        best[text.source] = Best(sentence: sentence, rank: rank)
    }

    private func score(_ sentence: String) -> Double {
        var score = 0.0
        let terms = finder.terms(in: Words(sentence).all.map(\.plain))
        for (isFound, weight) in zip(terms.isFound, weights) where isFound { score += weight }
        guard finder.hasNames else { return score }
        for isFound in finder.names(in: PlainWords(sentence)).isFound where isFound { score += 2 }
        return score
    }
}
