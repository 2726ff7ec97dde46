import Intelligence

/// Chooses the quotes of an answer, and checks that each is in its source, in steps. A step reads at most about 16 KiB, so a question with
/// long sources returns the turn that all questions share after a short time. Pure.
struct QuoteWork: Sendable {
    /// The quotes that are in their sources, in their order.
    private(set) var grounded: [Quote] = []
    private let sources: [AnswerSource]
    /// `nil` once the quotes are known.
    private var chooser: QuoteChooser?
    private var unchecked: ArraySlice<Quote>
    /// The index of the text, among those of its source, in which the first unchecked quote is looked for.
    private var textIndex = 0
    /// `nil` before the first part of this text.
    private var check: SentenceCheck?
    private let most: Int

    /// Chooses quotes from the sources of `chooser`, which are `sources`.
    init(choosing chooser: QuoteChooser, in sources: [AnswerSource]) {
        self.chooser = chooser
        self.sources = sources
        unchecked = []
        most = .max
    }

    /// Only checks quotes, until `most` of them are in their sources. A model may return 50 quotes that are in no source.
    init(checking quotes: [Quote], atMost most: Int, in sources: [AnswerSource]) {
        chooser = nil
        self.sources = sources
        unchecked = quotes[...]
        self.most = most
    }

    /// - Returns: whether another step must follow.
    mutating func performStep() -> Bool {
        guard let isUnfinished = chooser?.readPart() else {
            checkPart()
            return !unchecked.isEmpty
        }
        guard !isUnfinished else { return true }
        unchecked = (chooser?.quotes ?? [])[...]
        chooser = nil
        return !unchecked.isEmpty
    }

    /// Looks for the first unchecked quote in a part of a text of its source.
    private mutating func checkPart() {
        guard let quote = unchecked.first else { return }
        let texts = sources[quote.source].texts
        if textIndex < texts.count {
            var part = check ?? SentenceCheck([quote.sentence], in: texts[textIndex].text)
            // With a second owner, the next line would copy its arrays.
            check = nil
            if part.readPart() {
                check = part
                return
            }
            guard !part.standing.isEmpty else {
                textIndex += 1
                return
            }
            grounded.append(quote)
            guard grounded.count < most else {
                unchecked = []
                return
            }
        }
        unchecked = unchecked.dropFirst()
        textIndex = 0
    }
}
