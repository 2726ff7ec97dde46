import Intelligence

/// Chooses the sentences of a file's text that contain the most of a question's words. Of sentences with equally many, it prefers the
/// earlier ones. If the question is empty, it chooses the first sentence. It reads the text in parts. Pure.
struct FileSentences: Sendable {
    private struct Scored: Sendable {
        let score: Int
        let sentence: String
    }

    private let text: String
    private let question: Question
    private let finder: QuestionFinder
    /// `nil` before the first part.
    private var reader: SentenceReader?
    private var consideredCount = 0
    /// The sentences found so far, the best first; at most `FileQuotes.perFile`.
    private var best: [Scored] = []

    init(_ text: String, _ question: Question) {
        self.text = text
        self.question = question
        finder = QuestionFinder(question)
    }

    /// The sentences chosen from the parts that have been read.
    var chosen: [String] { best.map(\.sentence) }

    /// - Returns: whether another part must be read.
    mutating func readPart() -> Bool {
        var sentences = reader ?? SentenceReader(text)
        for sentence in sentences.read(byteCount: SentenceReader.partByteCount).prefix(FileQuotes.mostConsidered - consideredCount) {
            consideredCount += 1
            consider(sentence)
        }
        reader = sentences
        let isDecided = question.isEmpty && !best.isEmpty
        return !isDecided && !sentences.isAtEnd && consideredCount < FileQuotes.mostConsidered
    }

    private mutating func consider(_ sentence: String) {
        guard !question.isEmpty else {
            if best.isEmpty { best.append(Scored(score: 0, sentence: sentence)) }
            return
        }
        let words = PlainWords(sentence)
        let termCount = finder.terms(in: words.words).count
        let nameCount = finder.names(in: words).count
        let score = termCount + 2 * nameCount
        // Require at least half of the question's words: a sentence with one common word answers nothing.
        guard score > 0, 2 * (termCount + nameCount) >= question.terms.count + question.names.count else { return }
        let place = best.firstIndex { $0.score < score } ?? best.endIndex
        best.insert(Scored(score: score, sentence: sentence), at: place)
        if best.count > FileQuotes.perFile { best.removeLast() }
    }
}
