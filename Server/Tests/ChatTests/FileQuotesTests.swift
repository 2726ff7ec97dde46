import Ask
import Core
import Foundation
import Intelligence
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Chat

@Suite("Quotes from files", .blocksThreads)
struct FileQuotesTests {
    private static let boat = "The boat is called Albatross. It leaks a little. Nora painted it blue."

    private static func question(_ text: String, contacts: [String] = []) -> Question {
        Question(text, contacts: contacts, now: Timestamp(seconds: 1_795_348_800), zone: .gmt)
    }

    private static func eventually(_ isSo: () -> Bool) async throws {
        for _ in 0..<12_000 where !isSo() { try await Task.sleep(for: .milliseconds(5)) }
        try #require(isSo())
    }

    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ name: String) { all.withLock { $0.append(name) } }
        var names: [String] { all.withLock { $0 } }
    }

    private static func choose(_ owner: String, _ quotes: FileQuotes, _ order: Order) async throws {
        let chosen = try await quotes.choose(question("Does the boat leak?"), isAttached: false, for: owner) { boat }
        #expect(chosen.contains("It leaks a little."), "\(chosen)")
        order.add(owner)
    }

    @Test("an account with many files delays another account's answer by one file, and uses one of two processors")
    func turns() async throws {
        let work = FairWork(FileQuotes.limits(processors: 2))
        let quotes = FileQuotes(work: work)
        let held = try await work.turn(Requester(account: "greedy", network: nil))
        let order = Order()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await Self.choose("greedy", quotes, order) } }
            // Only one file of an account is read at a time.
            try await Self.eventually { work.counts.waiting == 1 && quotes.reading.waitingCount == 19 }
            group.addTask { try await Self.choose("modest", quotes, order) }
            try await Self.eventually { work.counts.waiting == 2 }
            held.release()
            try await group.waitForAll()
        }
        // The test records an answer a little after its turn, so the order can differ on a busy machine.
        #expect(order.names.count == 21 && order.names.prefix(5).contains("modest"), "\(order.names)")
        #expect(work.counts == (0, 0))
    }

    @Test("as many answers may wait as are written at a time, so that none which has begun is refused")
    func queue() {
        let answers = AnswerWriter.Settings().atOnce
        let queues = [
            FileQuotes.limits(processors: 2), FileQuotes.readingLimits, Answers.choosingLimits(processors: 2), Answers.questionLimits,
        ]
        for limits in queues {
            #expect(limits.waiting >= answers.total && limits.waitingPerNetwork >= answers.perNetwork)
            #expect(limits.waitingPerKey >= answers.perAccount)
        }
    }

    @Test("an answer that waits for its permit has not read the file's text; then it reads it as the server")
    func text() async throws {
        let work = FairWork(FileQuotes.limits(processors: 2))
        let quotes = FileQuotes(work: work)
        var held: [FairSemaphore.Permit] = []
        func next() -> FairSemaphore.Permit? {
            quotes.reading.acquireNow(for: Requester(account: "other\(held.count)", network: Network(ipv4: UInt32(held.count))))
        }
        while let permit = next() { held.append(permit) }
        #expect(held.count == 10)
        let order = Order()
        let waiting = Task {
            try await Requester(account: "one", network: nil).run {
                try await quotes.choose(Self.question("Does the boat leak?"), isAttached: false, for: "one") {
                    order.add(Requester.current == .server ? "read" : "read by the account")
                    return nil
                }
            }
        }
        try await Self.eventually { quotes.reading.waitingCount == 1 }
        #expect(order.names.isEmpty)
        for permit in held { permit.release() }
        let chosen = try await waiting.value
        #expect(chosen.isEmpty && order.names == ["read"])
        #expect(work.counts == (0, 0) && quotes.reading.heldCount == 0)
    }

    @Test("a long file returns its turn between two parts, so another account waits for one part of it")
    func parted() async throws {
        let work = FairWork(FileQuotes.limits(processors: 2))
        let quotes = FileQuotes(work: work)
        let order = Order()
        let held = try await work.turn(Requester(account: "other", network: nil))
        // 400 KB of letters that are slow to read.
        let long = String(repeating: "\u{1161} ", count: 100_000) + "The boat leaks."
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let chosen = try await quotes.choose(Self.question("Does the boat leak?"), isAttached: false, for: "greedy") { long }
                order.add("greedy \(chosen.count)")
            }
            try await Self.eventually { work.counts.waiting == 1 }
            group.addTask { try await Self.choose("modest", quotes, order) }
            try await Self.eventually { work.counts.waiting == 2 }
            held.release()
            try await group.waitForAll()
        }
        #expect(order.names.first == "modest" && order.names.count == 2, "\(order.names)")
    }

    private static func quotes(_ text: String, _ question: Question, isAttached: Bool = false) async throws -> [String] {
        try await FileQuotes().choose(question, isAttached: isAttached, for: "ada") { text }
    }

    @Test("the sentences with most words and names of the question are chosen as they stand; only the first 5,000 are considered")
    func chosen() async throws {
        let nothing = Self.question("What is this?")
        let short = String(repeating: "Oh yes. ", count: FileQuotes.mostConsidered)
        let lighthouse = Self.question("Where is the lighthouse?")
        #expect(nothing.isEmpty)
        let cases: [(text: String, question: Question, isAttached: Bool, chosen: [String])] = [
            (Self.boat, Self.question("Who is Nora?", contacts: ["Nora"]), false, ["Nora painted it blue."]),
            (Self.boat, lighthouse, false, []),
            (Self.boat, nothing, false, []),
            (Self.boat, nothing, true, ["The boat is called Albatross."]),
            ("The lighthouse. " + short, lighthouse, false, ["The lighthouse."]),
            (short + "The lighthouse. ", lighthouse, false, []),
        ]
        for (text, question, isAttached, expected) in cases {
            let chosen = try await Self.quotes(text, question, isAttached: isAttached)
            #expect(chosen == expected)
        }
    }

    /// Whether a term asks for a word. `QuestionFinder` finds the same with fewer comparisons.
    private static func matches(_ word: String, _ term: Question.Term) -> Bool {
        word == term.word
            || term.forms.enumerated().contains { index, form in
                word == form || term.isStem && index == 0 && word.hasPrefix(form)
            }
    }

    /// The quotes, chosen from the whole text, by comparing each word with each form.
    private static func compareAll(_ text: String, _ question: Question) -> [String] {
        typealias Scored = (score: Int, index: Int, sentence: String)
        let scored = Sentences.of(text).prefix(FileQuotes.mostConsidered).enumerated().compactMap { index, sentence -> Scored? in
            let plain = PlainWords(sentence)
            let terms = question.terms.count { term in plain.words.contains { matches($0, term) } }
            let names = question.names.count { plain.contains(PlainWords($0)) }
            let isEnough = terms + names > 0 && 2 * (terms + names) >= question.terms.count + question.names.count
            return isEnough ? (score: terms + 2 * names, index: index, sentence: sentence) : nil
        }
        let words = PlainWords(text)
        return scored.sorted { ($1.score, $0.index) < ($0.score, $1.index) }.prefix(FileQuotes.perFile).map(\.sentence)
            .filter { words.contains(PlainWords($0)) }
    }

    @Test("a long text that is read in parts gives the quotes that it gives as a whole", arguments: 0..<6 as Range<UInt64>)
    func parts(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let marks = String(repeating: "\u{301}", count: 40)
        let rare = ["café", "cafe\u{301}", "cafe\u{301}s", "Nora", "painted", "paint", "boats", "b\(marks)oat"]
        let usual = ["oh", "yes", "\u{1161}", "и\u{306}", "2", "—"]
        let question = Self.question("Did Nora paint the boat of the café?", contacts: ["Nora"])
        try #require(question.names == ["Nora"] && question.terms.count == 3)
        // The rarer the rare words are, the more of the text is read until the last quote is decided.
        for share in [0.3, 0.02, 0.001] {
            let words = (0..<12_000).map { _ -> String in
                let isRare = Double.random(in: 0..<1, using: &random) < share
                let isEnd = Int.random(in: 0..<8, using: &random) == 0
                return ((isRare ? rare : usual).randomElement(using: &random) ?? "") + (isEnd ? "." : "")
            }
            let text = words.joined(separator: " ")
            #expect(text.utf8.count > 2 * SentenceReader.partByteCount)
            let chosen = try await Self.quotes(text, question)
            #expect(chosen == Self.compareAll(text, question))
        }
    }

    @Test("a text of 100,000 characters is read in parts of about 16 KB")
    func partCount() {
        let text = String(repeating: "\u{1161} ", count: 50_000)
        var sentences = FileSentences(text, Self.question("Does the boat leak?"))
        var partCount = 1
        while sentences.readPart() { partCount += 1 }
        #expect(sentences.chosen.isEmpty && 10...13 ~= partCount, "\(partCount) parts")
        // The first sentence answers an empty question.
        var first = FileSentences(text, Self.question("What is this?"))
        let hasMore = first.readPart()
        #expect(!hasMore && first.chosen.count == 1)
    }
}
