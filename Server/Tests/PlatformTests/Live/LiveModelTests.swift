import Core
import Foundation
import Live
import TestKit
import Testing

/// Checks that the campaign's model detects violations; otherwise a run without findings would mean nothing.
@Suite("Live campaign model")
struct LiveModelTests {
    /// Two accounts, so that many writes have events in both.
    private static let accounts = 2
    private static let writes = (0..<200).map { PlannedWrite(emitter: 3, number: $0, accounts: accounts) }.filter { !$0.isRefused }

    /// The events by account that a correct log holds after these writes.
    private func logs(_ writes: [PlannedWrite]) throws -> [String: [Event]] {
        var logs: [String: [Event]] = [:]
        for write in writes {
            for (account, payload) in try write.payloads() {
                let seq = Int64(logs[account]?.count ?? 0) + 1
                logs[account, default: []].append(
                    Event(account: account, seq: seq, at: Timestamp(seconds: 0), kind: "test.campaign", payload: payload))
            }
        }
        return logs
    }

    /// The model's verdict on one reader per account, who sees the logs as changed by `spoil`.
    private func verdict(
        _ writes: [PlannedWrite] = writes, told: Bool = true, _ spoil: (inout [String: [Event]]) throws -> Void
    ) throws -> [String] {
        var model = LiveModel(accounts: Self.accounts)
        if told { for write in writes { model.told(write.id, true) } }
        let stored = try logs(writes)
        var seen = stored
        try spoil(&seen)
        for (reader, account) in stored.keys.sorted().enumerated() {
            model.starts(reader, account, at: 0)
            for event in seen[account] ?? [] { model.saw(reader, event) }
        }
        return model.verdict(heads: stored.mapValues { Int64($0.count) })
    }

    private let account = PlannedWrite.account(0)

    @Test("It reports nothing when the promise was kept")
    func faultless() throws {
        #expect(try verdict { _ in } == [])
        #expect(try verdict(told: false) { _ in } == [])
    }

    @Test("It reports an event that is missing, duplicated or late, and a last event that was not delivered")
    func order() throws {
        #expect(try verdict { $0[account]?.remove(at: 5) } != [])
        let fifth = try #require(try logs(Self.writes)[account]?[5])
        #expect(try verdict { $0[account]?.insert(fifth, at: 6) } != [])
        #expect(try verdict { $0[account]?.swapAt(5, 6) } != [])
        #expect(try verdict { $0[account]?.removeLast() } != [])
    }

    @Test("It reports a payload of another event, an unknown payload, and a changed payload")
    func payload() throws {
        let stored = try #require(try logs(Self.writes)[account])
        func replaced(_ payload: String) throws -> [String] {
            let event = Event(account: account, seq: stored[5].seq, at: stored[5].at, kind: stored[5].kind, payload: payload)
            return try verdict { $0[account]?[5] = event }
        }
        #expect(try replaced(stored[5].payload) == [])
        #expect(try replaced(stored[7].payload) != [])
        #expect(try replaced("{}") != [])
        #expect(try replaced(stored[5].payload.replacing("\"filler\":\"", with: "\"filler\":\"x")) != [])
    }

    @Test("It reports a write that was rolled back, and a write that is only partly there")
    func halves() throws {
        var model = LiveModel(accounts: Self.accounts)
        model.starts(0, account, at: 0)
        let event = try #require(try logs(Self.writes)[account]?.first)
        model.saw(0, event)
        model.told(try #require(Self.writes.first { $0.parts.contains { $0.account == account } }).id, false)
        #expect(model.verdict(heads: [account: 1]).contains { $0.contains("rolled back") })

        // The last of these writes has events in both accounts. No caller got its result, and only one account has its event.
        let several = try #require(Self.writes.last { Set($0.parts.map(\.account)).count == 2 })
        let until = Array(Self.writes.prefix { $0 != several }) + [several]
        let stored = try logs(until)
        var half = LiveModel(accounts: Self.accounts)
        half.starts(0, account, at: 0)
        for event in stored[account] ?? [] { half.saw(0, event) }
        #expect(half.verdict(heads: [account: Int64(stored[account]?.count ?? 0)]).contains { $0.contains("seen in part") })
    }

    @Test("It reports a subscriber who saw another event for the same number")
    func sameForAll() throws {
        var model = LiveModel(accounts: Self.accounts)
        let stored = try #require(try logs(Self.writes)[account])
        for reader in 0...1 { model.starts(reader, account, at: 0) }
        model.saw(0, stored[0])
        let other = Event(account: account, seq: 1, at: stored[0].at, kind: stored[0].kind, payload: stored[1].payload)
        model.saw(1, other)
        #expect(model.wrongCount == 1)
    }

    @Test("It reports writes of an emitter in the wrong order, and a reset although nothing was pruned")
    func resetsAndEmitters() throws {
        let single = Self.writes.filter { $0.parts.count == 1 && $0.parts[0].account == account }.prefix(2)
        #expect(try verdict(Array(single.reversed())) { _ in }.contains { $0.contains("before an earlier write") })
        var model = LiveModel(accounts: Self.accounts)
        model.starts(0, account, at: 0)
        model.wasReset(0, to: 0)
        #expect(model.verdict(heads: [:]).count == 1)
    }
}
