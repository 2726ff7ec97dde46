import Core
import Database
import Foundation
import KeepsakeWire
import KitTransport
import Live
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import KeepsakeKit
@testable import keepsake

/// Cuts the connection for live events again and again while events happen. `make campaign NAME=kit-live` cuts it 2,000 times.
@Suite("KeepsakeKit's live events when the connection drops", .blocksThreads, .timeLimit(.minutes(30)))
struct LiveDropsCampaign {
    private static let drops = CampaignScale.isFull("kit-live") ? 2_000 : 100

    enum Connection: String, CaseIterable, Sendable {
        /// A WebSocket over async-http-client's transport.
        case socket
        /// Long polls over URLSession's transport.
        case poll
    }

    @Test(
        "three consumers miss nothing and get nothing twice", .enabled(if: CampaignScale.runs("kit-live")), arguments: Connection.allCases)
    func drops(_ connection: Connection) async throws {
        let outcome = try await Self.run(connection, drops: Self.drops, replays: true)
        for seen in outcome.seen { #expect(seen == Array(1...outcome.last), "\(Self.differences(seen, outcome.last))") }
        #expect(outcome.drops == Self.drops)
    }

    @Test("control: without the last number, some are missed", arguments: Connection.allCases)
    func control(_ connection: Connection) async throws {
        let outcome = try await Self.run(connection, drops: 20, replays: false)
        #expect(outcome.seen.allSatisfy { $0.count < Int(outcome.last) })
    }

    private struct Outcome {
        /// The numbers of the events that each consumer received.
        var seen: [[Int64]]
        /// The number of the last event.
        var last: Int64
        /// The number of cuts that hit an open connection.
        var drops: Int
    }

    private static func run(_ connection: Connection, drops: Int, replays: Bool) async throws -> Outcome {
        let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
        return try await TestServer.run(connection == .socket ? .postgres : .sqlite, clock: clock) { server in
            let proxy = try Proxy(toPort: server.port)
            defer { proxy.close() }
            let transport: any Transport = connection == .socket ? AsyncHTTPTransport() : URLSessionTransport()
            let randomness = KeepsakeRandomness.system
            let keepsake = KeepsakeClient(
                url: try #require(URL(string: "http://127.0.0.1:\(proxy.port)")),
                session: Session(store: MemoryTokenStore(), clock: .system, randomness: randomness), transport: transport, clock: .system,
                randomness: randomness, retries: RetryPolicy(firstWait: .milliseconds(2), longestWait: .milliseconds(20)),
                replaysEvents: replays)
            let ada = try await server.person()
            try await keepsake.auth.signIn(
                userID: ada.id, token: AuthToken(accessToken: ada.token, refreshToken: "", expiresAt: Date().addingTimeInterval(3_600)))
            let logs = (0..<3).map { _ in SeenNumbers() }
            let consumers = logs.map { log in
                Task {
                    for try await message in keepsake.events.follow(since: replays ? 0 : nil) {
                        if case .event(let event) = message { log.add(event.seq) }
                    }
                }
            }
            defer { for consumer in consumers { consumer.cancel() } }
            var (random, last, dropped) = (SplitMix64(seed: 7), Int64(0), 0)
            func emit(_ count: Int) async throws {
                try await server.backend.database.write { tx in
                    for number in 0..<count {
                        try EventLog(clock: server.clock.wall).emit("test.counted", ["number": number], to: ada.id, tx)
                    }
                }
                last += Int64(count)
            }
            while dropped < drops {
                // The client is connected, and the server waits for events.
                try await eventually { server.backend.hub.counts.waiting > 0 }
                try await emit(Int.random(in: 1...3, using: &random))
                // The cut comes before, during or after the transfer of the events.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...8, using: &random)))
                if proxy.openCount > 0 { dropped += 1 }
                // Cut every connection until another event has been emitted.
                proxy.set { _, _ in .cut }
                proxy.cutAll()
                try await emit(1)
                proxy.set { _, _ in .pass }
                CampaignScale.progress(dropped, of: drops)
            }
            let end = last
            if replays {
                try await eventually { logs.allSatisfy { $0.last == end } }
            } else {
                // Wait until all events that will arrive have arrived.
                try await eventually { server.backend.hub.counts.waiting > 0 }
            }
            return Outcome(seen: logs.map(\.all), last: end, drops: dropped)
        }
    }

    private static func differences(_ seen: [Int64], _ last: Int64) -> String {
        let missed = Set(1...last).subtracting(seen).sorted()
        let doubled = Dictionary(grouping: seen) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        return "missed \(missed.prefix(10)), doubled \(doubled.prefix(10)), of \(last)"
    }

    @Test("three consumers share one socket, and the one that joins with an older number shares the next", arguments: Engine.allCases)
    func oneConnection(_ engine: Engine) async throws {
        let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
        try await TestServer.run(engine, clock: clock) { server in
            let transport = CountingTransport(AsyncHTTPTransport())
            let keepsake = KeepsakeClient(url: try #require(URL(string: server.url)), tokens: MemoryTokenStore(), transport: transport)
            try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
            let log = SeenNumbers()
            let consumers = (0..<3).map { _ in
                Task { for try await case .event(let event) in keepsake.events.follow() { log.add(event.seq) } }
            }
            defer { for consumer in consumers { consumer.cancel() } }
            try await eventually { server.backend.hub.counts.waiting == 1 }
            _ = try await keepsake.moments.createMood("first")
            try await eventually { log.all == [1, 1, 1] }
            #expect(transport.count(of: "/ws/events") == 1)
            var late = keepsake.events.follow(since: 0).makeAsyncIterator()
            guard case .event(let event)? = try await late.next() else {
                Issue.record("no event came")
                return
            }
            #expect(event.seq == 1 && transport.count(of: "/ws/events") == 2)
            #expect(log.all == [1, 1, 1])
        }
    }
}

/// The numbers of the events in the order in which they arrived.
private final class SeenNumbers: Sendable {
    private let numbers = Mutex<[Int64]>([])

    var all: [Int64] { numbers.withLock { $0 } }
    var last: Int64? { numbers.withLock { $0.last } }
    func add(_ number: Int64) { numbers.withLock { $0.append(number) } }
}
