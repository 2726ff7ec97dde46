import Core
import Database
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

/// The server's signing keys rotate while clients keep sending requests: two nodes on PostgreSQL, each of which refreshes its copy
/// of the key ring at its own times.
@Suite("Signing keys under load")
struct KeyRotationCampaignTests {
    private static let isFull = CampaignScale.isFull("rotation")
    private static let rotations = isFull ? 12 : 3
    private static let people = 6
    /// Requests that each client sends between two steps of the clock.
    private static let requestsPerStep = isFull ? 40 : 8
    private static let step = Duration.minutes(10)

    /// What all clients did together.
    private struct Tally: Sendable {
        var requests = 0
        var refreshes = 0
        var kids: Set<String> = []
        var failures: [String] = []
    }

    /// The tally of clients that run concurrently.
    private final class Counter: Sendable {
        private let tally = Mutex(Tally())
        var value: Tally { tally.withLock { $0 } }
        func update(_ change: (inout Tally) -> Void) { tally.withLock { change(&$0) } }
    }

    private final class Flag: Sendable {
        private let flag = Mutex(false)
        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    /// One client. It renews its token on either node, a quarter of an hour before the token expires, as the client library does.
    private struct App: Sendable {
        let nodes: [TestServer]
        let tally: Counter
        var token: AuthToken

        mutating func use(_ count: Int, at time: @Sendable () -> Date, _ random: inout SplitMix64) async throws {
            for _ in 0..<count {
                if token.expiresAt.timeIntervalSince(time()) < 900 { try await renew(&random) }
                let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
                let answer = try await node.send("GET", "/user/me", headers: [("Authorization", "Bearer \(token.accessToken)")])
                tally.update { tally in
                    tally.requests += 1
                    if answer.status != 200 { tally.failures.append("\(answer.status) \(answer.text)") }
                }
            }
        }

        private mutating func renew(_ random: inout SplitMix64) async throws {
            let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
            let answer = try await node.send(
                "POST", "/auth/refresh", headers: [("Content-Type", "application/json")],
                body: Data(#"{"refresh_token":"\#(token.refreshToken)"}"#.utf8))
            tally.update { tally in
                tally.requests += 1
                tally.refreshes += 1
                if answer.status != 200 { tally.failures.append("refresh \(answer.status) \(answer.text)") }
            }
            guard answer.status == 200 else { return }
            token = try Surface.capsules.makeDecoder().decode(AuthToken.self, from: answer.body)
            let kid = try Opened(token.accessToken).header["kid"] ?? ""
            tally.update { $0.kids.insert(kid) }
        }
    }

    @Test(.enabled(if: CampaignScale.runs("rotation")))
    func `keys are changed several times while requests are in flight, and not one is refused`() async throws {
        let stores = try TestStores(.postgres)
        let clock = TestClock()
        let tally = Counter()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock) { two in
                var apps: [App] = []
                for number in 0..<Self.people {
                    let issued = try await one.backend.accounts.issueToken(email: "p\(number)@example.org", isAdmin: false)
                    let token = AuthToken(
                        accessToken: issued.accessToken, refreshToken: issued.refreshToken, expiresAt: issued.expiresAt)
                    apps.append(App(nodes: [one, two], tally: tally, token: token))
                }
                for rotation in 0..<Self.rotations {
                    // After a month without requests, all access tokens have expired, and the next key is due in an hour.
                    let newest = try await one.backend.database.read { tx in
                        try tx.row("SELECT MAX(signs_from) AS signs_from FROM signing_key")!.get("signs_from", as: Timestamp.self)
                    }
                    clock.advance(by: newest + KeyRing.rotation - .hours(1) - clock.now)
                    // Steps through the time in which the next key is created, is published and begins to sign, and in which the old key is
                    // dropped. The clock moves while requests are in flight. Every token stays valid for longer than one step.
                    apps = try await withThrowingTaskGroup(of: App?.self) { group in
                        let isOver = Flag()
                        for (number, app) in apps.enumerated() {
                            group.addTask {
                                var app = app
                                var random = SplitMix64(seed: UInt64(rotation * 100 + number))
                                while !isOver.isSet { try await app.use(1, at: { clock.now.date }, &random) }
                                try await app.use(3, at: { clock.now.date }, &random)
                                return app
                            }
                        }
                        group.addTask {
                            for _ in 0..<24 {
                                let wanted = tally.value.requests + Self.people * Self.requestsPerStep
                                while tally.value.requests < wanted { try await Task.sleep(for: .milliseconds(2)) }
                                clock.advance(by: Self.step)
                                // Runs the upkeep, as a server does every ten minutes. The nodes take turns from rotation to rotation.
                                try await (rotation % 2 == 0 ? one : two).backend.accounts.upkeep()
                            }
                            isOver.set()
                            return nil
                        }
                        return try await group.reduce(into: [App]()) { if let app = $1 { $0.append(app) } }
                    }
                }
            }
        }
        let result = tally.value
        #expect(result.failures == [], "\(result.failures.prefix(3))")
        #expect(result.requests >= 2_000)
        #expect(result.kids.count == Self.rotations + 1, "\(result.kids.count)")
        print(
            "\(result.requests) requests, \(result.refreshes) of them refreshes, \(result.kids.count) keys, \(result.failures.count) refused"
        )
    }
}
