import Core
import Intelligence
import Search

/// Ranks the entries that were found for a question, in steps, because there may be 65,000 of them. Pure.
struct RankWork: Sendable {
    /// How many entries a step ranks. A step takes a few milliseconds.
    static let entriesOfStep = 8_192

    /// After the last step, the entries that may answer, the best first.
    private(set) var ranked: [AskRules.Ranked] = []
    private let question: Question
    private let found: [EntryName: EntryFinder.Found]
    /// The entries within the question's days; `nil` when the question names no days.
    private let inRange: [EntryName: Timestamp]?
    private let weights: [Double]
    private let whole: Double
    /// The indexes of the question's names among its terms and names.
    private let names: Set<Int>
    /// The next entry of `found`. It is not used if there is `inRange`.
    private var place: Dictionary<EntryName, EntryFinder.Found>.Index
    /// The next entry of `inRange`.
    private var placeInRange: Dictionary<EntryName, Timestamp>.Index

    init(_ question: Question, _ material: AskStore.Material) {
        self.question = question
        found = material.found.entries
        inRange = material.inRange
        weights = AskRules.weights(question, counts: material.found.counts, total: material.found.total)
        whole = weights.reduce(0, +)
        names = Set(question.terms.count..<weights.count)
        place = material.found.entries.startIndex
        placeInRange = (material.inRange ?? [:]).startIndex
    }

    /// - Returns: whether another step must follow.
    mutating func performStep() -> Bool {
        var left = Self.entriesOfStep
        if let inRange {
            while left > 0, placeInRange < inRange.endIndex {
                let (name, at) = inRange[placeInRange]
                add(name, at, found[name]?.terms ?? [])
                placeInRange = inRange.index(after: placeInRange)
                left -= 1
            }
            if placeInRange < inRange.endIndex { return true }
        } else {
            while left > 0, place < found.endIndex {
                let (name, entry) = found[place]
                add(name, entry.at, entry.terms)
                place = found.index(after: place)
                left -= 1
            }
            if place < found.endIndex { return true }
        }
        choose()
        return false
    }

    private mutating func add(_ name: EntryName, _ at: Timestamp, _ terms: Set<Int>) {
        // If a question names a person, only entries that name the person answer it.
        guard names.isEmpty || !names.isDisjoint(with: terms) else { return }
        // An entry that only contains the name does not answer a question that also has other terms.
        guard names.isEmpty || question.terms.isEmpty || inRange != nil || !terms.isSubset(of: names) else { return }
        let share = whole > 0 ? terms.sorted().reduce(0) { $0 + weights[$1] } / whole : 1
        // If a question names no days, an entry that has too little of the question does not answer it.
        guard inRange != nil || share >= AskRules.leastShare else { return }
        ranked.append(AskRules.Ranked(name: name, at: at, share: share))
    }

    private mutating func choose() {
        if inRange != nil {
            // Among the entries of the days, the question's words decide. If no entry contains any of the words, the entries answer only a
            // question without words, such as "What did I do?".
            let best = ranked.map(\.share).max() ?? 0
            let hasWords = !question.terms.isEmpty
            ranked = ranked.filter { $0.share >= best / 2 && (best > 0 || !hasWords) }
        }
        ranked = AskRules.ordered(ranked, question)
    }
}
