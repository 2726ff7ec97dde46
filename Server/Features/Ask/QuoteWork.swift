import Intelligence

/// Chooses the quotes of an answer in steps, and checks that each of them is in its source. A step reads about 16 KiB at most. So a
/// question with long sources soon gives back the turn that all questions wait for. Pure.
struct QuoteWork: Sendable {
    /// The quotes that were found in their sources, in their order.
    private(set) var grounded: [Quote] = []
    private let sources: [AnswerSource]
    /// Chooses the quotes; `nil` once they are known.
    private var chooser: QuoteChooser?
    private var unchecked: ArraySlice<Quote>
    /// Which text of its source is being searched for the first unchecked quote.
    private var textIndex = 0
    /// The check of the first unchecked quote in this text; `nil` before its first part.
    private var check: SentenceCheck?
    private let most: Int

    /// Chooses quotes with `chooser`, whose sources must be `sources`.
    init(choosing chooser: QuoteChooser, in sources: [AnswerSource]) {
        self.chooser = chooser
        self.sources = sources
        unchecked = []
        most = .max
    }

    /// Checks quotes that a model has chosen, until `most` of them are found in their sources. A model may return 50 quotes that are in no
    /// source.
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

    /// Reads a part of a text of the source, to look for the first unchecked quote.
    private mutating func checkPart() {
        guard let quote = unchecked.first else { return }
        let texts = sources[quote.source].texts
        if textIndex < texts.count {
            var part = check ?? SentenceCheck([quote.sentence], in: texts[textIndex].text)
            // If `check` stayed set, it would share its arrays with `part`, and the next line would copy them.
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
