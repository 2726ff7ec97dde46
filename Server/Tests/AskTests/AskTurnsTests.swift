import Core
import Foundation
import Synchronization
import TestKit
import TestThreads
import Testing

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

    private static func ask(_ answers: Answers, _ person: TestServer.Person, from network: UInt32) async throws {
        let requester = Requester(account: person.id, network: Network(ipv4: network))
        let answer = try await requester.run {
            try await answers.answer("Where does the kayak stand in the shed?", for: person.id).answer
        }
        #expect(answer?.sources.count == 1)
    }

    @Test("the accounts of one network take turns with another network, which waits for one of them only")
    func networks() async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Timestamp(seconds: 1_795_348_800))) { server in
            let ada = try await server.person()
            var crowd: [TestServer.Person] = []
            for number in 0..<5 { crowd.append(try await server.person("crowd\(number)")) }
            for person in crowd + [ada] {
                let entry = [("title", "The kayak stands in the shed."), ("date", "2026-11-19T08:00:00Z")]
                try #require(try await server.create("events", entry, as: person).status == 200)
            }
            let answers = server.backend.features[AskFeature.self].answers
            // Others have all turns. Only one of these becomes free, so one question at a time gets its turn.
            var held: [FairSemaphore.Permit] = []
            for number in 0..<Answers.choosingLimits(processors: ProcessInfo.processInfo.activeProcessorCount).permits {
                held.append(try await answers.choosing.turn(Requester(account: "other\(number)", network: nil)))
            }
            let order = Order()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in crowd {
                    group.addTask {
                        try await Self.ask(answers, person, from: 1)
                        order.add("crowd")
                    }
                }
                // Four questions of a network are answered at a time.
                try await eventually { answers.choosing.counts.waiting == 4 && answers.work.waitingCount == 1 }
                group.addTask {
                    try await Self.ask(answers, ada, from: 2)
                    order.add("ada")
                }
                try await eventually { answers.choosing.counts.waiting == 5 }
                held.removeLast().release()
                try await group.waitForAll()
            }
            for permit in held { permit.release() }
            // Ada's turn is the second. The next two questions may end before hers is noted; without turns, four would be before it.
            #expect(order.names.count == 6 && order.names.prefix(4).contains("ada"), "\(order.names)")
            #expect(answers.choosing.counts == (0, 0) && answers.work.heldCount == 0)
        }
    }
}
