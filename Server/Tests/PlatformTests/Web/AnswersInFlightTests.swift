import Core
import HTTPServer
import Testing

@testable import Web

@Suite("Responses in flight")
struct AnswersInFlightTests {
    private static func enter(
        _ answers: AnswersInFlight, byteCount: Int, _ requester: Requester
    ) throws -> AnswersInFlight.Slot {
        let slot = try answers.enter(requester)
        #expect(try answers.hold(byteCount, in: slot))
        return slot
    }

    @Test("three networks that read none of their long lists leave room for a whole page of each other network")
    func unread() throws {
        let answers = AnswersInFlight(limits: ChannelLimits())
        func requester(_ account: String, _ network: UInt32) -> Requester {
            Requester(account: account, network: Network(ipv4: network))
        }
        func page(_ requester: Requester) throws -> AnswersInFlight.Slot {
            try Self.enter(answers, byteCount: Int(PageSize.byteCount), requester)
        }
        var unread: [AnswersInFlight.Slot] = []
        for network in 1...3 {
            for account in 0..<8 {
                guard let slot = try? page(requester("\(network) \(account)", UInt32(network))) else { continue }
                unread.append(slot)
            }
        }
        // A network may hold a third of the budget.
        #expect(unread.count > 3)
        #expect(throws: Problem.self) { _ = try page(requester("another account", 1)) }
        let read = try page(requester("victim", 9))
        #expect(answers.count == unread.count + 1)
        read.release()
        for slot in unread { slot.release() }
    }

    @Test("a response above an account's share counts for the memory that it occupies, up to three quarters of a network's share")
    func large() throws {
        let answers = AnswersInFlight(limits: ChannelLimits())
        func requester(_ account: String, _ network: UInt32) -> Requester {
            Requester(account: account, network: Network(ipv4: network))
        }
        let large = try Self.enter(answers, byteCount: 12_500_000, requester("ada", 1))
        #expect(answers.byteCount == 6 << 20)
        // Ben is on the same network and gets the rest of the network's share. Ada gets nothing more, not even on another network.
        try Self.enter(answers, byteCount: 2_000_000, requester("ben", 1)).release()
        #expect(throws: Problem.self) { _ = try Self.enter(answers, byteCount: 2_500_000, requester("ben", 1)) }
        #expect(throws: Problem.self) { _ = try Self.enter(answers, byteCount: 20_000, requester("ada", 2)) }
        #expect(answers.byteCount == 6 << 20)
        #expect(try answers.hold(1_000_000, in: large))
        #expect(answers.byteCount == 1 << 20)
        #expect(try answers.hold(7_000_000, in: large))
        #expect(answers.byteCount == 6 << 20)
        large.release()
        #expect(answers.byteCount == 0)
    }
}
