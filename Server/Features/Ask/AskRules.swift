import Core
import Database
import Intelligence
import KeepsakeWire
import Search

/// Ranks entries by what they share with a question. Pure.
enum AskRules {
    static let textLength = 1_000
    /// The most sources that a model may choose from, and the most sources of an answer about days.
    static let offeredCount = 8
    /// How many entries of a question's days are read. Those of them that contain sentences are offered first.
    static let dayCount = 40
    /// How many entries can be ranked without a turn: that keeps a thread busy for a few milliseconds.
    static let fewEntries = 4_096
    /// How many of the ranked entries are kept. This is more than are read afterwards. Each term may find thousands of entries, and sorting
    /// them all would take far longer than choosing these.
    static let rankedCount = 64
    /// The share of a question's weight that an entry must have to answer it. Below this share, too much of the question is about something
    /// else.
    static let leastShare = 0.6
    /// A name weighs this many times as much as a word that is as rare.
    private static let nameWeight = 1.5

    /// The most sources of an answer by the local engine. For a question with words or names, the few best entries answer it; for a
    /// question about days, everything of those days does.
    static func sourceCount(_ question: Question) -> Int { question.isAboutDays ? offeredCount : 3 }

    /// The most sources of an answer by a model.
    static func citedCount(_ question: Question) -> Int { question.isAboutDays ? offeredCount : 5 }

    /// At most `offeredCount` of the entries: first those that say something, then the others, both in the order of `ranked`.
    static func telling(_ ranked: [Ranked], _ saysSomething: (EntryName) -> Bool) -> [Ranked] {
        let telling = ranked.filter { saysSomething($0.name) }
        let others = ranked.filter { !saysSomething($0.name) }
        return Array((telling + others).prefix(offeredCount))
    }

    /// Whether an entry has more texts than tags and names.
    static func saysSomething(_ texts: [AnswerSource.Text]) -> Bool { texts.contains { $0.role != .label } }

    /// - Throws: `.invalid` naming `text`.
    static func text(_ text: String) throws -> String {
        let line = try TextRules.line(text, field: "text", max: textLength)
        guard !line.isEmpty else { throw Problem(.invalid, "text must not be empty.", field: "text") }
        return line
    }

    /// The phrases to look for: for each term and then for each name, the phrases that match it.
    ///
    /// To find words that begin with a stem, an engine reads all postings of all these words. So no stem that is looked up begins with
    /// another one: then the engine reads each posting for one stem only.
    static func phrases(_ question: Question) -> [[TokenPhrase]] {
        let stems = question.terms.map { term in term.isStem ? term.forms.first.map { EntryFinder.stem($0) } : nil }
        let kept = withoutContinuations(stems.compactMap { $0 })
        let terms = zip(question.terms, stems).map { term, stem -> [TokenPhrase] in
            guard let stem else { return words(term.forms) }
            // The question has "bookshop" and "book", for example. Then "bookshop" is looked up only as whole words. Entries with
            // "bookshops" are still found by "book".
            guard kept.contains(stem) else { return words([term.forms.first ?? term.word, term.word] + term.forms.dropFirst()) }
            // The question has "build" and "building", for example. The index is read once for both, so both also find "built".
            let others = zip(question.terms, stems).filter { $0.1 == stem }.flatMap { $0.0.forms.dropFirst() }
            return [stem] + words(others)
        }
        return terms + question.names.prefix(4).map { [TokenPhrase(EntryFinder.tokens($0))] }
    }

    /// The phrases of whole words, without repetitions.
    private static func words(_ words: some Sequence<String>) -> [TokenPhrase] {
        var seen: Set<TokenPhrase> = []
        return words.map { TokenPhrase(EntryFinder.tokens($0)) }.filter { seen.insert($0).inserted }
    }

    /// The stems, without those that begin with another stem. Compares bytes, as the engines do.
    private static func withoutContinuations(_ stems: [TokenPhrase]) -> Set<TokenPhrase> {
        func beginning(_ stem: TokenPhrase) -> String.UTF8View { (stem.tokens.last ?? "").utf8 }
        var prefixes: [TokenPhrase] = []
        for stem in stems.filter(\.isPrefix).sorted(by: { beginning($0).count < beginning($1).count })
        where !prefixes.contains(where: { beginning(stem).starts(with: beginning($0)) }) {
            prefixes.append(stem)
        }
        return Set(prefixes + stems.filter { !$0.isPrefix })
    }

    struct Ranked: Sendable, Equatable {
        let name: EntryName
        let at: Timestamp
        /// Which share of the question's weight the entry has, 0…1.
        let share: Double
    }

    /// The weight of each term and name. The fewer of the owner's entries contain it, the greater is its weight.
    static func weights(_ question: Question, counts: [Int], total: Int) -> [Double] {
        counts.enumerated().map { index, count in
            let rarity = logarithm(1 + Double(max(total, 1)) / (Double(count) + 0.5))
            return index < question.terms.count ? rarity : nameWeight * rarity
        }
    }

    /// The entries that may answer, the best first.
    static func ranked(_ question: Question, _ material: AskStore.Material) -> [Ranked] {
        var work = RankWork(question, material)
        while work.performStep() {}
        return work.ranked
    }

    /// The best `rankedCount` entries, the best first. Entries of the time that the question is about come first, then entries with a
    /// larger share.
    static func ordered(_ ranked: [Ranked], _ question: Question) -> [Ranked] {
        guard ranked.count > rankedCount else { return ranked.sorted { precedes($0, $1, question) } }
        var best: [Ranked] = []
        for entry in ranked {
            if best.count == rankedCount, let last = best.last {
                guard precedes(entry, last, question) else { continue }
                best.removeLast()
            }
            let place = best.firstIndex { precedes(entry, $0, question) } ?? best.endIndex
            best.insert(entry, at: place)
        }
        return best
    }

    private static func precedes(_ first: Ranked, _ second: Ranked, _ question: Question) -> Bool {
        let fits = (first: isFitting(first.at, question), second: isFitting(second.at, question))
        if fits.first != fits.second { return fits.first }
        if first.share != second.share { return first.share > second.share }
        // Of future appointments, the earliest comes first.
        let prefersEarliest = question.prefersEarliest || question.tense == .future && fits.first
        // A file has only a title and tags; an entry with the same words says more.
        if !prefersEarliest, (first.name.kind == "file") != (second.name.kind == "file") { return second.name.kind == "file" }
        if first.at != second.at { return (first.at < second.at) == prefersEarliest }
        return (first.name.kind, first.name.id) < (second.name.kind, second.name.id)
    }

    private static func isFitting(_ at: Timestamp, _ question: Question) -> Bool {
        switch question.tense {
        case .past: at <= question.now
        case .future: at >= question.now
        case nil: true
        }
    }

    /// The words of a sentence that match the question, each as its offset and length in Unicode scalars.
    /// - Parameter finder: finds the terms of the question.
    static func marks(_ sentence: String, _ question: Question, _ finder: QuestionFinder) -> [[Int]] {
        let wanted = Set(question.names.flatMap { $0.lowercased().split(separator: " ").map(String.init) })
        var marks: [[Int]] = []
        var word: [Unicode.Scalar] = []
        func flush(_ end: Int) {
            let text = String(String.UnicodeScalarView(word)).lowercased()
            if wanted.contains(text) || finder.terms(in: [text]).count > 0 {
                marks.append([end - word.count, word.count])
            }
            word = []
        }
        let scalars = Array(sentence.unicodeScalars)
        for (offset, scalar) in scalars.enumerated() {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                word.append(scalar)
            } else if !word.isEmpty {
                flush(offset)
            }
        }
        if !word.isEmpty { flush(scalars.count) }
        return marks
    }

    /// A text of the search index, in the form for quotes.
    static func quotable(_ text: SearchDocument.Text) -> AnswerSource.Text {
        switch text.field {
        case "note", "reason", "description", "transcript", "text": AnswerSource.Text(.sentences, text.text)
        case "title": AnswerSource.Text(.title, text.text)
        default: AnswerSource.Text(.label, text.text)
        }
    }

    /// The links to the pictures of an entry, as other responses contain them.
    static func images(_ item: TimelineItem) -> [String] {
        if let urls = item.mood?.imageUrls ?? item.memory?.imageUrls ?? item.event?.imageUrls { return urls }
        if let file = item.file { return file.type.hasPrefix("image/") ? [file.url] : [] }
        guard case .object(let members)? = item.other, case .string(let url)? = members["photoURL"] else { return [] }
        return [url]
    }
}
