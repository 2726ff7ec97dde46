import Ask
import Core
import Foundation
import Intelligence
import Synchronization
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
            try await Self.eventually { work.counts.waiting == 20 }
            group.addTask { try await Self.choose("modest", quotes, order) }
            try await Self.eventually { work.counts.waiting == 21 }
            held.release()
            try await group.waitForAll()
        }
        // Answers are noted a little after their turns, on a busy machine in another order.
        #expect(order.names.count == 21 && order.names.prefix(5).contains("modest"), "\(order.names)")
        #expect(work.counts == (0, 0))
    }

    @Test("as many answers may wait as are written at a time, so that none which has begun is refused")
    func queue() {
        let answers = AnswerWriter.Settings().atOnce
        for limits in [FileQuotes.limits(processors: 2), Answers.choosingLimits(processors: 2)] {
            #expect(limits.waiting >= answers.total && limits.waitingPerNetwork >= answers.perNetwork)
            #expect(limits.waitingPerKey >= answers.perAccount)
        }
    }

    @Test("an answer that waits for its turn has not read the file's text; then it reads it as the server")
    func text() async throws {
        let work = FairWork(FileQuotes.limits(processors: 2))
        let quotes = FileQuotes(work: work)
        let held = try await work.turn(Requester(account: "other", network: nil))
        let order = Order()
        let waiting = Task {
            try await Requester(account: "one", network: nil).run {
                try await quotes.choose(Self.question("Does the boat leak?"), isAttached: false, for: "one") {
                    order.add(Requester.current == .server ? "read" : "read by the account")
                    return nil
                }
            }
        }
        try await Self.eventually { work.counts.waiting == 1 }
        #expect(order.names.isEmpty)
        held.release()
        let chosen = try await waiting.value
        #expect(chosen.isEmpty && order.names == ["read"])
        #expect(work.counts == (0, 0))
    }

    @Test("the sentences with most words and names of the question are chosen as they stand; only the first 5,000 are considered")
    func chosen() {
        func quotes(_ text: String, _ question: Question, isAttached: Bool = false) -> [String] {
            FileQuotes.quotes(from: text, question, isAttached: isAttached)
        }
        #expect(quotes(Self.boat, Self.question("Who is Nora?", contacts: ["Nora"])) == ["Nora painted it blue."])
        #expect(quotes(Self.boat, Self.question("Where is the lighthouse?")).isEmpty)
        let nothing = Self.question("What is this?")
        #expect(nothing.isEmpty && quotes(Self.boat, nothing).isEmpty)
        #expect(quotes(Self.boat, nothing, isAttached: true) == ["The boat is called Albatross."])
        let short = String(repeating: "Oh yes. ", count: FileQuotes.mostConsidered)
        let lighthouse = Self.question("Where is the lighthouse?")
        #expect(quotes("The lighthouse. " + short, lighthouse) == ["The lighthouse."])
        #expect(quotes(short + "The lighthouse. ", lighthouse).isEmpty)
    }
}
