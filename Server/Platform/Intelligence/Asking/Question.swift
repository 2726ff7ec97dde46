package import Core
package import Foundation

/// What a question asks for: days, people, and significant words. Pure.
package struct Question: Sendable, Equatable {
    package struct Term: Sendable, Equatable {
        /// The word as it was asked.
        package let word: String
        /// Forms of the word that an entry may use instead, in lower case, the word itself included.
        package let forms: [String]
        /// Whether an entry may also continue one of the forms: `cook` finds `cooking`.
        package let isStem: Bool

        package init(word: String, forms: [String], isStem: Bool) {
            self.word = word
            self.forms = forms
            self.isStem = isStem
        }
    }

    /// The significant words, without days and names; at most 12.
    package var terms: [Term]
    /// The names of people, as the question writes them.
    package var names: [String]
    /// `nil` when the question names no day.
    package var range: TimeRange? {
        didSet { comingRange = nil }
    }
    /// The days that the question means if an earlier question was about the future.
    private var comingRange: TimeRange?

    /// The time that a question is about.
    package enum Tense: Sendable { case past, future }

    /// The tense that the verbs and words such as "next" show; `nil` when they show none. Like all rules for questions, this one knows only
    /// English.
    package var tense: Tense?
    /// When it was asked.
    package let now: Timestamp

    /// Whether the earliest of equally good entries answers best: "Who is Yara?", "When did I first …?"
    package var prefersEarliest: Bool

    /// Whether nothing in the question distinguishes one entry from another.
    package var isEmpty: Bool { terms.isEmpty && names.isEmpty && range == nil }

    /// - Parameters:
    ///   - contacts: the names of the user's contacts.
    ///   - now: "today" is the day of this time in the zone.
    package init(_ text: String, contacts: [String], now: Timestamp, zone: TimeZone) {
        let read = Words(text)
        let asked = read.all
        let tense = Self.tense(asked)
        let days = DayPhrase(text, now: now, zone: zone, isFuture: tense == .future)
        comingRange = tense == nil && days.range != nil ? DayPhrase(text, now: now, zone: zone, isFuture: true).range : nil
        let names = NameFinder(contacts: contacts, in: read).names(in: read).filter { !days.words.contains($0.lowercased()) }
        self.names = names
        let words = asked.map(\.plain)
        self.now = now
        self.tense = tense
        prefersEarliest = words.first == "who" && ["is", "was", "are"].contains(words.dropFirst().first) || words.contains("first")
        let inNames = Set(names.flatMap { Words($0).all.map(\.plain) })
        var seen: Set<String> = []
        let terms = words.filter { word in
            !StopWords.all.contains(word) && !Self.asking.contains(word) && !days.words.contains(word) && !inNames.contains(word)
                && seen.insert(word).inserted
        }
        .prefix(12).map(Self.term)
        // "What is next?", "Which events are coming up?"
        let asksForNext =
            tense == .future && names.isEmpty && days.range == nil && words.contains { Self.nextWords.contains($0) }
            && terms.allSatisfy { Self.eventWords.contains($0.word) }
        self.terms = asksForNext ? [] : terms
        range = asksForNext ? TimeRange(from: now + .microseconds(1), to: nil) : days.range
    }

    /// Whether only the time determines the entries that answer: "What did I do yesterday?", "What is next?"
    package var isAboutDays: Bool { terms.isEmpty && names.isEmpty && range != nil }

    /// Fills in what the question lacks from an earlier one: "And on Sunday?" keeps the earlier question's person, "Who else was there?"
    /// its day.
    package func completed(from earlier: Question) -> Question {
        var completed = self
        guard range == nil || names.isEmpty else { return self }
        completed.tense = tense ?? earlier.tense
        if tense == nil, earlier.tense == .future, let comingRange { completed.range = comingRange }
        if range == nil, names.isEmpty {
            completed.range = earlier.range
            completed.names = earlier.names
        } else if names.isEmpty, terms.isEmpty {
            completed.names = earlier.names
            completed.terms = earlier.terms
        } else if range == nil, terms.isEmpty {
            completed.range = earlier.range
            completed.terms = earlier.terms
        }
        return completed
    }

    /// The first significant word decides: "What did we plan for the next trip?" is about the past.
    private static func tense(_ words: [Words.Word]) -> Tense? {
        for (index, word) in words.enumerated() {
            let next = index + 1 < words.count ? words[index + 1].plain : ""
            if pastWords.contains(word.plain) || index == 0 && perfectWords.contains(word.plain) { return .past }
            let isWhen = word.plain == "when" && (word.isPossessive || next == "is" || next == "are")
            // "Who is next to me?"
            if word.plain == "next", next == "to" { continue }
            if futureWords.contains(word.plain) || word.plain.hasSuffix("'ll") || word.plain == "going" && next == "to" || isWhen {
                return .future
            }
        }
        return isPlan(words) ? .future : nil
    }

    /// Whether the question asks for plans: "What is on Sunday?", "What do we have on 3 March?"
    private static func isPlan(_ words: [Words.Word]) -> Bool {
        let isPresent = words.prefix(2).contains { presentWords.contains($0.plain) || $0.isPossessive && askingWords.contains($0.plain) }
        guard isPresent else { return false }
        return zip(words, words.dropFirst()).contains { $0.plain == "on" && DayPhrase.isDay($1.plain) }
    }

    private static let presentWords = Words.set("is are do")
    /// "What's on Sunday?"
    private static let askingWords = Words.set("what who where")
    private static let nextWords = Words.set("next upcoming coming")
    /// Words for future events in general. They do not describe a particular one.
    private static let eventWords = Words.set("event events appointment appointments plan plans date dates")

    private static let pastWords = Words.set(
        "was were wasn't weren't did didn't had hadn't been went came gave took saw said told met bought wrote ate")
    /// As the first word of a question: "Have we visited the museum?"
    private static let perfectWords = Words.set("have has haven't hasn't")
    private static let futureWords = Words.set("will won't shall next upcoming coming happens tomorrow tonight soon")

    private static func term(_ word: String) -> Term {
        var forms = [word]
        for family in irregular where family.contains(word) { forms += family.filter { $0 != word } }
        let stem = Self.stem(word)
        let isStem = stem.count >= 4
        if isStem { forms = [stem] + forms.filter { !$0.hasPrefix(stem) } }
        return Term(word: word, forms: Array(forms.prefix(6)), isStem: isStem)
    }

    /// The word without an ending; at least 4 characters stay, otherwise the word is kept.
    private static func stem(_ word: String) -> String {
        for ending in ["ings", "ing", "ies", "ied", "ed", "es", "s", "y", "e"]
        where word.hasSuffix(ending) && word.count - ending.count >= 4 {
            var stem = String(word.dropLast(ending.count))
            // planned → plan
            if ending == "ed" || ending == "ing", stem.count > 4, let last = stem.last, stem.dropLast().last == last,
                !"aeiouls".contains(last)
            {
                stem.removeLast()
            }
            return stem
        }
        return word
    }

    /// Words of questions that describe no entry.
    private static let asking = Words.set(
        """
        what's when's where's who's tell show find remember remind list give describe summarize summarise mention mentioned entries entry
        note notes photo photos picture pictures memory memories moment moments capture captures recording recordings write wrote written day
        days date happened happening anything something long many often ever last first else again talk talked talking said mean name names
        called kind sort feel felt feeling think thought please latest recent recently main favourite favorite upcoming
        coming happens
        """)

    private static let irregular: [[String]] = [
        ["buy", "bought", "buying"], ["eat", "ate", "eaten", "eating"], ["meet", "met", "meeting"], ["swim", "swam", "swum"],
        ["drive", "drove", "driven"], ["fly", "flew", "flown", "flight"], ["sing", "sang", "sung"], ["lose", "lost"], ["win", "won"],
        ["run", "ran", "running"], ["sell", "sold"], ["teach", "taught"], ["catch", "caught"], ["break", "broke", "broken"],
        ["speak", "spoke", "spoken"], ["sleep", "slept", "asleep"], ["see", "saw", "seen"], ["fall", "fell"], ["grow", "grew", "grown"],
        ["child", "children", "kid", "kids"], ["build", "built"], ["pay", "paid"], ["choose", "chose"], ["hurt", "injured"],
        ["draw", "drew"],
        ["ride", "rode"], ["begin", "began"], ["send", "sent"], ["spend", "spent"], ["leave", "left"], ["drink", "drank"],
        ["steal", "stole"],
        ["die", "died", "dead"], ["wear", "wore"], ["bring", "brought"], ["cut", "cutting"], ["fix", "fixed", "repair", "repaired"],
        ["mother", "mum", "mom"], ["father", "dad"], ["grandmother", "grandma"], ["grandfather", "grandpa"], ["film", "movie"],
    ]
}
