import Core
import Database
import Foundation
import Intelligence
import TestKit
import TestThreads
import Testing

@testable import Ask
@testable import FeatureTestKit
@testable import Search
@testable import keepsake

@Suite("Ranking of sources", .blocksThreads)
struct AskRulesTests {
    @Test("rare words weigh more, and entries that contain too little of a question are not sources")
    func rarity() {
        let question = Question("bicycle postman", contacts: [], now: Timestamp(seconds: 0), zone: .gmt)
        let weights = AskRules.weights(question, counts: [200, 1], total: 300)
        #expect(weights[1] > 4 * weights[0])
        func name(_ id: String) -> EntryName { EntryName(kind: "event", id: id) }
        var found = EntryFinder.Result()
        found.counts = [200, 1]
        found.total = 300
        found.entries = [
            name("both"): .init(at: Timestamp(seconds: 1), terms: [0, 1]), name("rare"): .init(at: Timestamp(seconds: 2), terms: [1]),
            name("common"): .init(at: Timestamp(seconds: 3), terms: [0]),
        ]
        let ranked = AskRules.ranked(question, AskStore.Material(found: found, inRange: nil))
        #expect(ranked.map(\.name.id) == ["both", "rare"])
    }

    @Test("questions about the past prefer entries up to now, those about the future the next ones; of equals, files come last")
    func tenses() {
        var found = EntryFinder.Result()
        found.counts = [5]
        found.total = 10
        for (kind, id, second) in [
            ("event", "old", 3), ("event", "past", 5), ("file", "photo", 6), ("event", "next", 20), ("event", "later", 30),
        ] as [(String, String, Int64)] {
            found.entries[EntryName(kind: kind, id: id)] = .init(at: Timestamp(seconds: second), terms: [0])
        }
        func ids(_ text: String) -> [String] {
            let question = Question(text, contacts: [], now: Timestamp(seconds: 10), zone: .gmt)
            return AskRules.ranked(question, AskStore.Material(found: found, inRange: nil)).map(\.name.id)
        }
        #expect(ids("When were we at the lake?") == ["past", "old", "photo", "later", "next"])
        #expect(ids("When will we be at the lake?") == ["next", "later", "past", "old", "photo"])
        #expect(ids("Where is the lake?") == ["later", "next", "past", "old", "photo"])
        #expect(ids("When were we first at the lake?") == ["old", "past", "photo", "next", "later"])
    }

    @Test("of very many entries, the best ones are found, in their order")
    func manyEntries() {
        let question = Question("lake", contacts: [], now: Timestamp(seconds: 0), zone: .gmt)
        let ranked = (0..<500).map { number -> AskRules.Ranked in
            // 271 and 500 have no common divisor, so each number occurs once.
            let second = Int64(number * 271 % 500)
            return AskRules.Ranked(name: EntryName(kind: "event", id: "\(second)"), at: Timestamp(seconds: second), share: 1)
        }
        let latest = (0..<Int64(AskRules.rankedCount)).map { Timestamp(seconds: 499 - $0) }
        #expect(AskRules.ordered(ranked, question).map(\.at) == latest)
    }

    @Test("very many entries are ranked in steps, with days and without")
    func rankingSteps() {
        let question = Question("lake", contacts: [], now: Timestamp(seconds: 100_000), zone: .gmt)
        let count = 2 * RankWork.entriesOfStep + 1
        var found = EntryFinder.Result()
        found.counts = [count]
        found.total = count
        for number in 0..<count {
            found.entries[EntryName(kind: "event", id: "\(number)")] = .init(at: Timestamp(seconds: Int64(number)), terms: [0])
        }
        let latest = (0..<AskRules.rankedCount).map { "\(count - 1 - $0)" }
        for inRange in [nil, found.entries.mapValues(\.at)] {
            var work = RankWork(question, AskStore.Material(found: found, inRange: inRange))
            var stepCount = 1
            while work.performStep() { stepCount += 1 }
            #expect(stepCount == 3 && work.ranked.map(\.name.id) == latest)
        }
    }

    /// The phrases of a question's terms; those that end with a star are prefixes.
    private static func phrases(_ text: String) -> [[String]] {
        let question = Question(text, contacts: [], now: Timestamp(seconds: 0), zone: .gmt)
        return AskRules.phrases(question).map { phrases in
            phrases.map { $0.tokens.joined(separator: " ") + ($0.isPrefix ? "*" : "") }
        }
    }

    @Test("no stem that is looked up begins with another one, so no posting is read for two of them")
    func stems() {
        #expect(Self.phrases("bicycles boats coffee") == [["bicycl*"], ["boat*"], ["coffe*"]])
        let words = (4..<16).map { String("kwtrbmplvnzqjfx".prefix($0)) }
        for question in [words, words.reversed()] {
            let phrases = Self.phrases(question.joined(separator: " "))
            #expect(phrases.count == 12 && phrases.joined().filter { $0.hasSuffix("*") } == ["kwtr*"], "\(phrases)")
        }
        // Two terms with the same stem are equal, and equal terms are looked up only once.
        #expect(Self.phrases("build building") == [["build*", "built"], ["build*", "built"]])
        #expect(Self.phrases("bookshops books") == [["bookshop", "bookshops"], ["book*"]])
    }

    @Test("a stem in a script without spaces is found by its pairs of characters, without a prefix")
    func unspacedStems() {
        #expect(EntryFinder.stem("東京都") == TokenPhrase(["東京", "京都"]))
        #expect(EntryFinder.stem("東") == TokenPhrase(["東"], isPrefix: true))
        #expect(EntryFinder.stem("gard") == TokenPhrase(["gard"], isPrefix: true))
    }

    @Test("the finder reads the word index, and each document by its number", arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            for number in 0..<40 {
                _ = try await server.create(
                    "events", [("title", "The garden number \(number)"), ("date", "2026-05-01T10:00:00Z")], as: ada)
            }
            let database = server.backend.database
            let garden = TokenPhrase(["garden"])
            let counted = CountedStatements(database)
            let found = try await EntryFinder().find(
                [[garden], [TokenPhrase(["7"]), TokenPhrase(["8"])], [TokenPhrase(["gard"], isPrefix: true)], [], [garden]],
                owner: ada.id, kind: "event", in: counted)
            #expect(found.counts == [40, 2, 40, 0, 40] && found.entries.count == 40 && found.total == 40)
            #expect(found.entries.values.allSatisfy { $0.terms.isSuperset(of: [0, 2, 4]) })
            // The first read finds the extent of the entries; the others look up one different term each. Between two reads, other requests
            // can use the thread.
            #expect(counted.ofReads == [1, 1, 1, 1])
            switch engine {
            case .sqlite:
                let sql = try await database.read { tx in
                    EntryFinder.search([TokenPhrase(["garden"])], owner: ada.id, kind: nil, 0...1, tx.tokenSearch)
                }
                let plan = try await database.plan(sql)
                #expect(plan.contains { $0.contains("VIRTUAL TABLE INDEX") } && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
                #expect(plan.contains { $0.contains("SEARCH d USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
            case .postgres:
                let plan = try await database.write { tx in
                    try tx.run("SET LOCAL enable_seqscan = off")
                    let sql = EntryFinder.search([TokenPhrase(["garden"])], owner: ada.id, kind: nil, 0...1, tx.tokenSearch)
                    return try tx.rows("EXPLAIN (COSTS OFF) \(sql: sql)").map { try $0.get("QUERY PLAN", as: String.self) }
                }
                #expect(plan.contains { $0.contains("Bitmap Index Scan on search_document_by_lexeme") }, "\(plan)")
                #expect(!plan.contains { $0.contains("search_document_by_place") }, "\(plan)")
            }
        }
    }
}
