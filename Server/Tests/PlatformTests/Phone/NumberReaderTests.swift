import Core
import Synchronization
import TestThreads
import Testing

@testable import Phone

@Suite("Reading the numbers of requests", .blocksThreads)
struct NumberReaderTests {
    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ name: String) { all.withLock { $0.append(name) } }
        var names: [String] { all.withLock { $0 } }
    }

    private static func read(_ count: Int, as account: String, _ reader: NumberReader, _ order: Order) async throws -> [String?] {
        let texts = [String](repeating: "(415) 555-0123", count: count)
        let numbers = try await Requester(account: account, network: nil).run {
            try await reader.e164(texts, caller: "+14155550100")
        }
        order.add(account)
        return numbers
    }

    @Test("a request with thousands of numbers delays another account's by a turn or two, and uses one of two processors")
    func turns() async throws {
        let work = FairWork(NumberReader.limits(processors: 2))
        let reader = NumberReader(work: work)
        let held = try await work.turn(Requester(account: "greedy", network: nil))
        let order = Order()
        let many = Task { try await Self.read(100 * NumberReader.turnCount, as: "greedy", reader, order) }
        try await WorkerFixture.eventually { work.counts.waiting == 1 }
        let few = Task { try await Self.read(3, as: "modest", reader, order) }
        try await WorkerFixture.eventually { work.counts.waiting == 2 }
        held.release()
        #expect(try await few.value == [String?](repeating: "+14155550123", count: 3))
        #expect(order.names == ["modest"])
        #expect(try await many.value.count == 100 * NumberReader.turnCount)
        #expect(work.counts == (0, 0))
    }

    @Test("a text of more than 40 characters is not a number, and the library does not see it")
    func long() async throws {
        let number = "+1 415 555 0123"
        let spaces = String(repeating: " ", count: 40 - number.count)
        let hostile = "001" + String(repeating: ".1", count: 120)
        let read = try await NumberReader().e164([spaces + number, " " + spaces + number, hostile, "Mum", ""], caller: nil)
        #expect(read == ["+14155550123", nil, nil, nil, nil])
    }
}
