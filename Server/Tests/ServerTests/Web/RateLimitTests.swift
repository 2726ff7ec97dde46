import ArgumentParser
import Core
import Database
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("Rate limits")
struct RateLimitTests {
    private static func few(_ settings: inout Settings) {
        var limits = RateLimits()
        limits.signIn = Rate(perMinute: 6)
        limits.write = Rate(perMinute: 30, burst: 4)
        limits.read = Rate(perMinute: 60, burst: 10)
        settings.rateLimits = limits
    }

    private func logIn(_ server: TestServer, _ email: String) async throws -> TestServer.Answer {
        try await server.send(
            "POST", "/auth/password/login", headers: [("Content-Type", "application/json")],
            body: Data(#"{"email":"\#(email)","password":"wrong password"}"#.utf8))
    }

    @Test("password guesses end with 429 and Retry-After, in the same form for unknown and known names", arguments: Engine.allCases)
    func guesses(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.few) { server in
            let ada = try await server.person()
            for _ in 1...6 { #expect(try await logIn(server, "ada@example.org").status == 401) }
            let refused = try await logIn(server, "ada@example.org")
            #expect(refused.status == 429 && refused.header("Retry-After") == "10")
            #expect(try refused.json()["error"] as? String == "too_many_requests")
            // A sign-in with another name from the same address is refused too: the address has used all its tokens.
            let unknown = try await logIn(server, "nobody@example.org")
            #expect(unknown.status == 429 && unknown.body.count == refused.body.count)
            // Somebody who is already signed in is not affected.
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
            server.clock.advance(by: .seconds(9))
            #expect(try await logIn(server, "ada@example.org").status == 429)
            server.clock.advance(by: .seconds(1))
            #expect(try await logIn(server, "ada@example.org").status == 401)
            #expect(try await logIn(server, "ada@example.org").status == 429)
        }
    }

    @Test("reads and writes of an account are counted separately, and separately from other accounts", arguments: Engine.allCases)
    func accounts(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.few) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            for _ in 1...10 { #expect(try await server.send("GET", "/user/me", as: ada).status == 200) }
            let refused = try await server.send("GET", "/user/me", as: ada)
            #expect(refused.status == 429 && refused.header("Retry-After") == "1")
            #expect(try await server.send("GET", "/user/me", as: eve).status == 200)
            let path = "/api/users/user/\(ada.id)/multimedia/0"
            for _ in 1...4 { #expect(try await server.send("DELETE", path, as: ada).status == 404) }
            let written = try await server.send("DELETE", path, as: ada)
            #expect(written.status == 429 && written.header("Retry-After") == "2")
            #expect(try written.decode(MultimediaErrorBody.self).error == "Too Many Requests")
            server.clock.advance(by: .seconds(1))
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
        }
    }

    @Test("tokens that are sent to /metrics count for the address", arguments: Engine.allCases)
    func metrics(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.few) { server in
            let ada = try await server.person()
            // A text without the form of a token is refused before anything is counted.
            for _ in 1...11 { #expect(try await server.send("GET", "/metrics", headers: [("Authorization", "Bearer x")]).status == 401) }
            for _ in 1...10 { #expect(try await server.send("GET", "/metrics", as: ada).status == 403) }
            let refused = try await server.send("GET", "/metrics", as: ada)
            #expect(refused.status == 429 && refused.header("Retry-After") == "1")
            // Requests from this machine without a token check no token, so they are not counted.
            #expect(try await server.send("GET", "/metrics").status == 200)
        }
    }

    @Test("two nodes share their counts")
    func nodes() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        @Sendable func limits(_ settings: inout Settings) {
            var limits = RateLimits()
            limits.signIn = Rate(perMinute: 6)
            limits.read = Rate(perMinute: 100)
            settings.rateLimits = limits
        }
        try await TestServer.run(.postgres, on: stores, clock: clock, limits) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock, limits) { two in
                let tries = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<16 {
                        group.addTask { try await logIn(number % 2 == 0 ? one : two, "ada@example.org").status }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(tries.filter { $0 == 401 }.count == 6 && tries.filter { $0 == 429 }.count == 10)

                // Nodes take the tokens of a large bucket in batches. They never take more than the bucket holds, and each node leaves at
                // most one batch unused.
                let ada = try await one.person()
                var passed = 0
                for number in 0..<200 {
                    let answer = try await (number % 2 == 0 ? one : two).send("GET", "/user/me", as: ada)
                    if answer.status == 200 { passed += 1 }
                }
                #expect((90...100).contains(passed), "\(passed)")
            }
        }
    }

    @Test("a bucket is empty after its burst, refills evenly and never exceeds its size")
    func bucket() {
        let rate = Rate(perMinute: 60, burst: 3)
        let start = Timestamp(seconds: 1_000)
        var bucket = Bucket(fullAt: start)
        func take(_ count: Int, at now: Timestamp) -> Duration? {
            switch bucket.taking(count, rate, at: now) {
            case .granted(let next):
                bucket = next
                return nil
            case .refused(let wait): return wait
            }
        }
        for _ in 1...3 { #expect(take(1, at: start) == nil) }
        #expect(take(1, at: start) == .seconds(1))
        #expect(take(1, at: start + .milliseconds(999)) == .milliseconds(1))
        #expect(take(1, at: start + .seconds(1)) == nil)
        #expect(take(4, at: start + .hours(1)) == .seconds(1))
        for _ in 1...3 { #expect(take(1, at: start + .hours(1)) == nil) }
        #expect(take(1, at: start + .hours(1)) == .seconds(1))
        // A clock that was set back adds no tokens.
        #expect(take(1, at: start) != nil)
    }

    @Test("the number of buckets in memory is limited, and only full ones are dropped")
    func bounded() {
        let clock = TestClock()
        let buckets = LocalBuckets(clock: clock.wall)
        let rate = Rate(perMinute: 60, burst: 1)
        for number in 0..<UInt32(LocalBuckets.limit) {
            _ = buckets.take(.init(kind: .read, subject: .address(Network(ipv4: number))), rate)
        }
        clock.advance(by: .milliseconds(500))
        _ = buckets.take(.init(kind: .read, subject: .address(Network(ipv6: 1))), rate)
        #expect(buckets.count <= LocalBuckets.limit)
        clock.advance(by: .milliseconds(500))
        _ = buckets.take(.init(kind: .read, subject: .address(Network(ipv6: 2))), rate)
        #expect(buckets.take(.init(kind: .read, subject: .address(Network(ipv6: 2))), rate) == .seconds(1))
    }

    @Test("the table contains no address and no e-mail, uses an index, and full buckets are deleted from it")
    func table() async throws {
        try await TestServer.run(.postgres, tables: nil, Self.few) { server in
            _ = try await logIn(server, "canary@example.org")
            let database = server.backend.database
            let keys: [String] = try await database.read { tx in try tx.rows("SELECT key FROM rate_bucket").map { try $0.get("key") } }
            #expect(keys.count == 3 && !keys.contains { $0.contains("canary") || $0.contains("127.0.0.1") })
            for sql in [SharedBuckets.bucket("k"), SharedBuckets.fetch(1, "k", Rate(perMinute: 1), server.clock.now)] {
                let plan = try await QueryPlan(sql, on: database)
                #expect(plan.faults.isEmpty, "\(plan)")
            }
            let sweep = try await QueryPlan(SharedBuckets.forget(before: server.clock.now, limit: 500), on: database)
            #expect(sweep.uses("rate_bucket_full_at"), "\(sweep)")
            server.clock.advance(by: .minutes(1))
            try await SharedBuckets(database: database, clock: server.clock.wall).sweep()
            let left = try await database.read { tx in try tx.rows("SELECT key FROM rate_bucket").count }
            #expect(left == 0)
        }
    }

    /// Counts the calls of a database.
    private final class Calls: DatabaseDecorator {
        let base: any Database
        private let counts = Mutex((reads: 0, writes: 0))

        init(_ base: any Database) { self.base = base }

        /// The number of calls since this function was last called.
        func take() -> (reads: Int, writes: Int) {
            counts.withLock { counts in
                defer { counts = (0, 0) }
                return counts
            }
        }

        func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
            counts.withLock { $0.reads += 1 }
            return try await base.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
            counts.withLock { $0.writes += 1 }
            return try await base.write(body)
        }
    }

    @Test("a refusal is remembered until the next token: until then no request asks the database", arguments: Engine.allCases)
    func remembered(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.few) { server in
            let calls = Calls(server.backend.database)
            let buckets = SharedBuckets(database: calls, clock: server.clock.wall)
            // The node takes two tokens at a time. The bucket gets one token a second.
            let rate = Rate(perMinute: 60, burst: 40)
            let key = RateLimiter.Key(kind: .write, subject: .account("ada"))
            for _ in 1...40 {
                let wait = try await buckets.take(key, rate)
                #expect(wait == nil)
            }
            #expect(calls.take() == (reads: 0, writes: 20))
            let first = try await buckets.take(key, rate)
            #expect(first == .seconds(1))
            #expect(calls.take() == (reads: 1, writes: 1))
            server.clock.advance(by: .milliseconds(400))
            for _ in 1...5 {
                let wait = try await buckets.take(key, rate)
                #expect(wait == .milliseconds(600))
            }
            #expect(calls.take() == (reads: 0, writes: 0))
            // The bucket has only one token instead of two: the node takes it with one write.
            server.clock.advance(by: .milliseconds(600))
            let granted = try await buckets.take(key, rate)
            #expect(granted == nil)
            #expect(calls.take() == (reads: 0, writes: 1))
            let second = try await buckets.take(key, rate)
            #expect(second == .seconds(1))
            // The bucket has enough for two tokens at a time again.
            server.clock.advance(by: .seconds(10))
            for _ in 1...10 {
                let wait = try await buckets.take(key, rate)
                #expect(wait == nil)
            }
            #expect(try await buckets.take(key, rate) == .seconds(1))
        }
    }

    @Test(
        "simultaneous requests share the tokens that the node takes at once: none is refused before the bucket is empty",
        arguments: Engine.allCases)
    func simultaneous(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.few) { server in
            let calls = Calls(server.backend.database)
            let buckets = SharedBuckets(database: calls, clock: server.clock.wall)
            // The node takes five tokens at a time.
            let rate = Rate(perMinute: 60, burst: 100)
            let key = RateLimiter.Key(kind: .write, subject: .account("ada"))
            @Sendable func granted(_ count: Int) async throws -> Int {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<count { group.addTask { try await buckets.take(key, rate) == nil } }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
            }
            let first = try await granted(60)
            #expect(first == 60)
            #expect(calls.take() == (reads: 0, writes: 12))
            let second = try await granted(60)
            #expect(second == 40)
        }
    }

    @Test("production refuses to start without rate limits")
    func production() async throws {
        func read(_ flags: String...) async throws -> Settings { try await Settings.read(Serve.parse(flags).options, environment: [:]) }
        await #expect(throws: Settings.Wrong.self) {
            try await read("--env", "production", "--public-url", "https://a.example", "--rate-limits", "off")
        }
        #expect(try await read("--rate-limits", "off").rateLimits == nil)
        #expect(try await read("--rate-sign-in", "7").rateLimits?.signIn == Rate(perMinute: 7))
        #expect(try await read("--rate-outside", "30").rateLimits?.outside == Rate(perMinute: 30))
        await #expect(throws: Settings.Wrong.self) { try await read("--rate-sign-in", "0") }
        await #expect(throws: Settings.Wrong.self) { try await read("--rate-limits", "perhaps") }
    }
}
