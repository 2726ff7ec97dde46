import Core
import Foundation
import Intelligence
import Testing

@Suite("Questions")
struct QuestionTests {
    private let berlin = TimeZone(identifier: "Europe/Berlin")!

    private func time(_ text: String) -> Timestamp {
        let formatter = ISO8601DateFormatter()
        return Timestamp(formatter.date(from: text)!)
    }

    private func range(_ text: String, now: String = "2026-11-22T12:00:00Z") -> TimeRange? {
        Question(text, contacts: [], now: time(now), zone: berlin).range
    }

    @Test("days are days of the zone, also around the changes of daylight saving")
    func days() {
        for (text, from, to) in [
            ("What did I do yesterday?", "2026-11-20T23:00:00Z", "2026-11-21T23:00:00Z"),
            ("today?", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z"),
            ("on Friday", "2026-11-19T23:00:00Z", "2026-11-20T23:00:00Z"),
            ("last week", "2026-11-08T23:00:00Z", "2026-11-15T23:00:00Z"),
            ("this month", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"),
            ("on 29 March", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
            ("on October 25th, 2026", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
            ("in 2025", "2024-12-31T23:00:00Z", "2025-12-31T23:00:00Z"), ("in May", "2026-04-30T22:00:00Z", "2026-05-31T22:00:00Z"),
            ("on 24 December", "2025-12-23T23:00:00Z", "2025-12-24T23:00:00Z"),
            ("three days ago", "2026-11-18T23:00:00Z", "2026-11-19T23:00:00Z"),
            ("2026-02-03", "2026-02-02T23:00:00Z", "2026-02-03T23:00:00Z"),
        ] { #expect(range(text) == TimeRange(from: time(from), to: time(to)), "\(text)") }
        #expect(range("May I ask who called?") == nil && range("Where is John?") == nil && range("on 31 February") == nil)
        // Just after midnight in Berlin, it is still the day before in UTC.
        #expect(
            range("today", now: "2026-11-21T23:30:00Z") == TimeRange(from: time("2026-11-21T23:00:00Z"), to: time("2026-11-22T23:00:00Z")))
    }

    @Test("a question about the future means the coming weekday, month or date; without a tense they are the latest")
    func comingDays() {
        // The current day is a Sunday.
        for (text, from, to) in [
            ("What happens tomorrow?", "2026-11-22T23:00:00Z", "2026-11-23T23:00:00Z"),
            ("tomorrow morning", "2026-11-22T23:00:00Z", "2026-11-23T23:00:00Z"),
            ("What is the day after tomorrow?", "2026-11-23T23:00:00Z", "2026-11-24T23:00:00Z"),
            ("What is tonight?", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z"),
            ("What do we do next week?", "2026-11-22T23:00:00Z", "2026-11-29T23:00:00Z"),
            ("next weekend", "2026-11-27T23:00:00Z", "2026-11-29T23:00:00Z"),
            ("next month", "2026-11-30T23:00:00Z", "2026-12-31T23:00:00Z"),
            ("What happens on Sunday?", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z"),
            ("What is next Sunday?", "2026-11-28T23:00:00Z", "2026-11-29T23:00:00Z"),
            ("What is on Friday?", "2026-11-26T23:00:00Z", "2026-11-27T23:00:00Z"),
            ("What's on Friday?", "2026-11-26T23:00:00Z", "2026-11-27T23:00:00Z"),
            ("Will it rain on Friday?", "2026-11-26T23:00:00Z", "2026-11-27T23:00:00Z"),
            ("Who sang on Friday?", "2026-11-19T23:00:00Z", "2026-11-20T23:00:00Z"),
            ("When is the wedding in May?", "2027-04-30T22:00:00Z", "2027-05-31T22:00:00Z"),
            ("When is the wedding in November?", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"),
            ("When will we meet on 3 March?", "2027-03-02T23:00:00Z", "2027-03-03T23:00:00Z"),
            ("Are we off on 24 December?", "2026-12-23T23:00:00Z", "2026-12-24T23:00:00Z"),
            ("Will we meet on 29 February?", "2028-02-28T23:00:00Z", "2028-02-29T23:00:00Z"),
            ("What will I do in two weeks?", "2026-11-29T23:00:00Z", "2026-12-06T23:00:00Z"),
            ("What did we plan for tomorrow?", "2026-11-22T23:00:00Z", "2026-11-23T23:00:00Z"),
        ] { #expect(range(text) == TimeRange(from: time(from), to: time(to)), "\(text)") }
        let now = time("2026-11-22T12:00:00Z")
        func question(_ text: String) -> Question { Question(text, contacts: [], now: now, zone: berlin) }
        // A follow-up question has the tense of the earlier question, which determines its days.
        let followUp = question("And on Friday?").completed(from: question("What happens tomorrow?"))
        #expect(followUp.range == question("What will be on Friday?").range && followUp.range != question("And on Friday?").range)
        for text in ["What is next?", "What's coming up?", "Which events are coming up?", "What are my upcoming events?"] {
            let next = question(text)
            #expect(next.range == TimeRange(from: now + .microseconds(1), to: nil) && next.isAboutDays && next.tense == .future, "\(text)")
        }
        #expect(question("What is next to me?").isEmpty && question("What is the next concert?").range == nil)
    }

    @Test("names and telling words are kept apart from days and words that say little")
    func words() {
        let question = Question(
            "What did John say about the bicycles on Friday?", contacts: [], now: time("2026-11-22T12:00:00Z"), zone: .gmt)
        #expect(question.names == ["John"] && question.terms.map(\.word) == ["bicycles"] && question.range != nil)
        #expect(question.terms[0].forms == ["bicycl"] && question.terms[0].isStem)
        let finder = QuestionFinder(question)
        #expect(finder.terms(in: ["bicycle"]).isFound == [true] && finder.terms(in: ["bic"]).isFound == [false])
        let bought = Question("When did I buy it?", contacts: [], now: time("2026-11-22T12:00:00Z"), zone: .gmt)
        #expect(bought.terms.first?.forms.contains("bought") == true)
        #expect(Question("What?", contacts: [], now: time("2026-11-22T12:00:00Z"), zone: .gmt).isEmpty)
    }

    @Test("verbs, and words such as next, tell whether a question is about the past or the future; the first one decides")
    func tenses() {
        let now = time("2026-11-22T12:00:00Z")
        func question(_ text: String) -> Question { Question(text, contacts: [], now: now, zone: .gmt) }
        let past: [String] = [
            "When were we at the lake?", "Where was Nora?", "What did I bake?", "Had we a boat?", "Who went along?",
            "Have we visited Sylt?", "How often has Emil been at the lake?", "What did we plan for the next trip?", "Who was next to me?",
        ]
        for text in past { #expect(question(text).tense == .past, "\(text)") }
        let future: [String] = [
            "When will we be at the lake?", "Are we going to the lake?", "When is the regatta?", "When's the regatta?", "When are we off?",
            "What is the next concert?", "Which concerts are upcoming?", "What'll Nora bring?", "When is the concert that was moved?",
        ]
        for text in future { #expect(question(text).tense == .future, "\(text)") }
        for text in ["Who is Yara?", "Where do I have my passport?", "lake"] { #expect(question(text).tense == nil, "\(text)") }
        // "upcoming" says nothing about the content of an entry, so it is not a term of the question.
        #expect(question("Which concerts are upcoming?").terms.map(\.word) == ["concerts"])
        #expect(question("And on Sunday?").completed(from: question("Where was Nora?")).tense == .past)
    }

    @Test("a quote is a sentence if one holds as much of the question as the title, and a label only if nothing else holds any of it")
    func quotes() {
        let now = time("2026-11-22T12:00:00Z")
        let question = Question("When were we at the lake with the boat?", contacts: [], now: now, zone: .gmt)
        func quote(_ title: String, _ description: String) -> String? {
            let texts: [AnswerSource.Text] = [.init(.label, "lake, boat"), .init(.title, title), .init(.sentences, description)]
            let source = AnswerSource(kind: "memory", id: "m", at: now, texts: texts)
            var chooser = QuoteChooser(question, [source], weights: [1, 1])
            while chooser.readPart() {}
            return chooser.quotes.first?.sentence
        }
        #expect(question.terms.map(\.word) == ["lake", "boat"])
        #expect(quote("The lake", "It was warm. We swam in the lake.") == "We swam in the lake.")
        #expect(quote("A boat on the lake", "The lake was cold.") == "A boat on the lake")
        #expect(quote("The lake", "It was warm.") == "The lake")
        #expect(quote("Summer", "It was warm.") == "lake, boat")
    }

    @Test("a follow-up takes what it lacks from the question before")
    func followUp() {
        let now = time("2026-11-22T12:00:00Z")
        func question(_ text: String) -> Question { Question(text, contacts: [], now: now, zone: .gmt) }
        let first = question("What did John say on Friday?")
        let other = question("And about bread?").completed(from: first)
        #expect(other.names == ["John"] && other.range == first.range && other.terms.map(\.word) == ["bread"])
        let day = question("And yesterday?").completed(from: question("Where did I meet John?"))
        #expect(day.names == ["John"] && day.range != nil)
        let nobody = question("What did Nora say on Friday?")
        #expect(nobody.completed(from: first) == nobody)
    }
}
