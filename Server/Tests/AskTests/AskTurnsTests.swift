import Core
import Foundation
import Intelligence
import Outbound
import Synchronization
import TestKit
import TestThreads
import Testing
import Web

@testable import Ask
@testable import FeatureTestKit
@testable import keepsake

@Suite("Turns of questions", .blocksThreads)
struct AskTurnsTests {
    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ name: String) { all.withLock { $0.append(name) } }
        var names: [String] { all.withLock { $0 } }
    }

    /// Records the requester for whom the names are read.
    private final class NotingPeople: KnownPeople {
        private let noted = Mutex<[Requester]>([])
        var requesters: [Requester] { noted.withLock { $0 } }

        func names(of account: String) async throws -> [String] {
            noted.withLock { $0.append(.current) }
            return ["Nora"]
        }

        func contacts(named names: [String], of account: String) async throws -> [AskedContact] { [] }
    }

    /// 2026-11-22T12:00:00Z
    private static let now = Timestamp(seconds: 1_795_348_800)

    private static func keepKayak(_ server: TestServer, _ person: TestServer.Person) async throws {
        let entry = [("title", "The kayak stands in the shed."), ("date", "2026-11-19T08:00:00Z")]
        try #require(try await server.create("events", entry, as: person).status == 200)
    }

    /// Takes all turns, as if other requests were computing answers.
    private static func allTurns(_ answers: Answers) async throws -> [FairSemaphore.Permit] {
        var held: [FairSemaphore.Permit] = []
        for number in 0..<Answers.choosingLimits(processors: ProcessInfo.processInfo.activeProcessorCount).permits {
            held.append(try await answers.choosing.turn(Requester(account: "other\(number)", network: nil)))
        }
        return held
    }

    /// Takes all permits for questions that are answered at the same time.
    private static func allQuestions(_ answers: Answers) -> [FairSemaphore.Permit] {
        var held: [FairSemaphore.Permit] = []
        // Each requester has its own network, because some permits are reserved for networks that hold none.
        func next() -> FairSemaphore.Permit? {
            answers.work.acquireNow(for: Requester(account: "other\(held.count)", network: Network(ipv4: UInt32(1_000 + held.count))))
        }
        while let permit = next() { held.append(permit) }
        return held
    }

    private static func ask(_ answers: Answers, _ person: TestServer.Person, from network: UInt32) async throws {
        let requester = Requester(account: person.id, network: Network(ipv4: network))
        let answer = try await requester.run {
            try await answers.answer("Where does the kayak stand in the shed?", for: person.id).answer
        }
        #expect(answer?.sources.count == 1)
    }

    @Test("the accounts of one network take turns with another network, which waits for one of them only")
    func networks() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            var crowd: [TestServer.Person] = []
            for number in 0..<5 { crowd.append(try await server.person("crowd\(number)")) }
            for person in crowd + [ada] { try await Self.keepKayak(server, person) }
            let answers = server.backend.features[AskFeature.self].answers
            let questions = Self.allQuestions(answers)
            let order = Order()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in crowd {
                    group.addTask {
                        try await Self.ask(answers, person, from: 1)
                        order.add("crowd")
                    }
                }
                // The questions wait for permits after their first turn, in which the server has analysed their words.
                try await eventually { answers.work.waitingCount == 5 }
                group.addTask {
                    try await Self.ask(answers, ada, from: 2)
                    order.add("ada")
                }
                try await eventually { answers.work.waitingCount == 6 }
                // Other requests take all turns. Then only one of these turns is released, so the questions get their second turns one
                // after the other.
                var held = try await Self.allTurns(answers)
                for permit in questions { permit.release() }
                // At most four questions of a network are answered at the same time.
                try await eventually { answers.choosing.counts.waiting == 5 && answers.work.waitingCount == 1 }
                held.removeLast().release()
                try await group.waitForAll()
                for permit in held { permit.release() }
            }
            // Ada's question gets the second turn. The next two questions may end before hers is recorded. Without fair turns, four
            // questions would be recorded before hers.
            #expect(order.names.count == 6 && order.names.prefix(4).contains("ada"), "\(order.names)")
            #expect(answers.choosing.counts == (0, 0) && answers.work.heldCount == 0)
        }
    }

    @Test("while a question has its permit, its request holds a turn, so its reads go first at the threads of the database")
    func held() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            try await Self.keepKayak(server, ada)
            let own = server.backend.features[AskFeature.self].answers
            let noted = Guarded<[Bool]>([])
            let answers = Answers(
                store: own.store, engines: own.engines,
                allowsOutside: { _ in
                    noted.withLock { $0.append(Requester.holdsTurn) }
                    return false
                },
                timeZone: own.timeZone, people: own.people, neighbours: nil, clock: own.clock, work: own.work)
            try await Self.ask(answers, ada, from: 1)
            #expect(!noted.value.isEmpty && noted.value.allSatisfy { $0 }, "\(noted.value)")
            #expect(answers.work.heldCount == 0)
        }
    }

    /// Takes all permits that accounts of networks 1, 2 and so on can get. Each account takes one.
    private static func takeAll(_ semaphore: FairSemaphore, networks: Int) -> [FairSemaphore.Permit] {
        var held: [FairSemaphore.Permit] = []
        for network in 1...networks {
            func next() -> FairSemaphore.Permit? {
                semaphore.acquireNow(for: Requester(account: "taker\(held.count)", network: Network(ipv4: UInt32(network))))
            }
            while let permit = next() { held.append(permit) }
        }
        return held
    }

    /// Takes a permit for each of the requesters, as long as there are permits.
    private static func take(_ semaphore: FairSemaphore, _ requesters: [(account: String, network: Int)]) -> [FairSemaphore.Permit] {
        requesters.compactMap {
            semaphore.acquireNow(for: Requester(account: $0.account, network: Network(ipv4: UInt32($0.network))))
        }
    }

    @Test("four networks that take all permits leave two for each account of another; six leave one for each network that has none")
    func reserve() {
        let twice = [(account: "a", network: 100), (account: "a", network: 100), (account: "a", network: 100)]
        let questions = FairSemaphore(Answers.questionLimits)
        var held = Self.takeAll(questions, networks: 4)
        #expect(held.count == 16)
        held += Self.take(questions, twice)
        #expect(held.count == 18)
        for permit in held { permit.release() }

        held = Self.takeAll(questions, networks: 6)
        #expect(held.count == 24)
        held += Self.take(questions, (0..<9).map { (account: "b\($0)", network: 100 + $0) })
        #expect(held.count == 32)
        for permit in held { permit.release() }

        let finding = FairSemaphore(Answers.findingLimits)
        held = Self.takeAll(finding, networks: 4)
        #expect(held.count == 8)
        held += Self.take(finding, twice)
        #expect(held.count == 9)
        held += Self.take(finding, [(account: "c", network: 101)])
        #expect(held.count == 10)
        for permit in held { permit.release() }
    }

    @Test("four networks that hold all permits they can get do not delay the second question of another account", .timeLimit(.minutes(1)))
    func twoAtOnce() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            try await Self.keepKayak(server, ada)
            let answers = server.backend.features[AskFeature.self].answers
            let held = Self.takeAll(answers.work, networks: 4) + Self.takeAll(answers.finding, networks: 4)
            // Ada has another question, which has not ended.
            let other = try #require(Self.take(answers.work, [(account: ada.id, network: 9)]).first)
            try await Self.ask(answers, ada, from: 9)
            other.release()
            for permit in held { permit.release() }
            #expect(answers.work.heldCount == 0 && answers.finding.heldCount == 0)
        }
    }

    @Test("a question holds a permit to find entries only until it has their texts")
    func finding() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            try await Self.keepKayak(server, ada)
            let answers = server.backend.features[AskFeature.self].answers
            // The question gets its first turn, in which the server analyses its words, and then waits for a permit.
            let questions = Self.allQuestions(answers)
            let asked = Task { try await Self.ask(answers, ada, from: 1) }
            try await eventually { answers.work.waitingCount == 1 }
            let turns = try await Self.allTurns(answers)
            for permit in questions { permit.release() }
            try await eventually { answers.choosing.counts.waiting == 1 }
            #expect(answers.work.heldCount == 1 && answers.finding.heldCount == 0)
            for permit in turns { permit.release() }
            try await asked.value
        }
    }

    @Test("long texts that a question has found are decoded in a turn")
    func longTexts() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            // 17 KB each.
            let text = "The kayak stands in the shed. " + String(repeating: "\u{e4}\u{e4}\u{e4} ", count: 2_400)
            for _ in 0..<8 {
                let entry = [("title", "Kayak"), ("description", text)]
                try #require(try await server.create("memories", entry, as: ada).status == 200)
            }
            let answers = server.backend.features[AskFeature.self].answers
            let questions = Self.allQuestions(answers)
            let requester = Requester(account: ada.id, network: Network(ipv4: 1))
            let asked = Task {
                try await requester.run { try await answers.answer("Where does the kayak stand in the shed?", for: ada.id).answer }
            }
            try await eventually { answers.work.waitingCount == 1 }
            let turns = try await Self.allTurns(answers)
            for permit in questions { permit.release() }
            try await eventually { answers.choosing.counts.waiting == 1 }
            // The question has their texts, but has not decoded them.
            #expect(answers.finding.heldCount == 1)
            for permit in turns { permit.release() }
            #expect(try await asked.value?.sources.count == 3)
            #expect(answers.choosing.counts == (0, 0) && answers.finding.heldCount == 0)
        }
    }

    @Test("a model takes the calls of all questions that are answered at a time, and of the jobs of captures")
    func calls() {
        #expect(ProviderClient.usualSlots.permits >= Answers.questionLimits.permits + 8)
    }

    @Test("a full queue refuses questions of networks with many, and none of a network with few", .timeLimit(.minutes(1)))
    func fullQueue() async throws {
        let questions = FairSemaphore(Answers.questionLimits)
        let held = Self.takeAll(questions, networks: 50)
        #expect(held.count == Answers.questionLimits.permits)
        let refused = Order()
        let limits = Answers.questionLimits
        let crowd = (0..<limits.waiting).map { number in
            // Nine accounts on five networks. All accounts but the last ask as many questions as may wait for them.
            let requester = Requester(
                account: "\(number / limits.waitingPerKey)", network: Network(ipv4: UInt32(1 + number / limits.waitingPerNetwork)))
            return Task {
                do {
                    try await questions.withPermit(for: requester) {}
                } catch FairQueueRefusal.keyIsFull {
                    refused.add("\(requester)")
                }
            }
        }
        try await eventually { questions.waitingCount == limits.waiting }
        let ada = Requester(account: "ada", network: Network(ipv4: 100))
        let asked = (0..<4).map { _ in Task { try await questions.withPermit(for: ada) {} } }
        try await eventually { refused.names.count == 4 }
        for permit in held { permit.release() }
        for task in asked + crowd { try await task.value }
        #expect(refused.names.count == 4 && questions.heldCount == 0)
    }

    @Test("a question reads the contacts' names as the server, in a turn in which it and the earlier question are understood")
    func names() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            let own = server.backend.features[AskFeature.self].answers
            let people = NotingPeople()
            let answers = Answers(
                store: own.store, engines: own.engines, allowsOutside: own.allowsOutside, timeZone: own.timeZone, people: people,
                neighbours: nil, clock: own.clock, work: own.work)
            let held = try await Self.allTurns(answers)
            let requester = Requester(account: ada.id, network: Network(ipv4: 1))
            let asked = Task { try await requester.run { try await answers.answer("?", for: ada.id).answer } }
            try await eventually { answers.choosing.counts.waiting == 1 }
            let earlier = Answers.Earlier.asked("Who is Nora?", at: Self.now)
            let further = Task {
                try await requester.run { try await answers.answer("On Monday?", after: earlier, for: ada.id).question }
            }
            try await eventually { answers.choosing.counts.waiting == 2 }
            #expect(people.requesters.isEmpty)
            for permit in held { permit.release() }
            let (answer, question) = (try await asked.value, try await further.value)
            #expect(answer == nil && question.names == ["Nora"] && question.range != nil)
            // The names are read once for each of the two messages.
            #expect(people.requesters == [.server, .server])
            #expect(answers.choosing.counts == (0, 0))
        }
    }

    @Test("a question above its account's rate of calls gets the local engine's answer; another account still gets the model's")
    func rate() async throws {
        let quotes = #"{"quotes":[{"source":1,"sentence":"The kayak stands in the shed."}]}"#
        try await ModelStandIn.run(usual: .writes(quotes)) { model in
            let url = model.url
            try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { settings in
                settings.analyzer.model = .init(engine: .openai, base: url, key: nil, model: "m")
                settings.rateLimits = RateLimits()
                settings.rateLimits?.outside = Rate(perMinute: 1)
            } _: { server in
                let (ada, eve) = (try await server.person(), try await server.person("eve"))
                for person in [ada, eve] { try await Self.keepKayak(server, person) }
                let answers = server.backend.features[AskFeature.self].answers
                for (person, count) in [(ada, 1), (ada, 1), (eve, 2)] {
                    try await Self.ask(answers, person, from: 1)
                    #expect(model.calls.count == count)
                }
            }
        }
    }

    @Test("a model's quotes are compared with their sources in a turn")
    func modelQuotes() async throws {
        let quotes = #"{"quotes":[{"source":1,"sentence":"The kayak stands in the shed."}]}"#
        try await ModelStandIn.run(usual: .writes(quotes)) { model in
            let url = model.url
            try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { settings in
                settings.analyzer.model = .init(engine: .openai, base: url, key: nil, model: "m")
            } _: { server in
                let ada = try await server.person()
                try await Self.keepKayak(server, ada)
                let answers = server.backend.features[AskFeature.self].answers
                let questions = Self.allQuestions(answers)
                let asked = Task { try await Self.ask(answers, ada, from: 1) }
                try await eventually { answers.work.waitingCount == 1 }
                let held = try await Self.allTurns(answers)
                for permit in questions { permit.release() }
                try await eventually { answers.choosing.counts.waiting == 1 }
                #expect(model.calls.count == 1)
                for permit in held { permit.release() }
                try await asked.value
            }
        }
    }
}
