import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Accounts

@Suite(.blocksThreads) struct KeyRotationTests {
    private func kid(_ token: AuthToken) throws -> String { try #require(Opened(token.accessToken).header["kid"]) }
    private func published(_ home: AccountsHome) async throws -> Set<String> { Set(try await home.feature.publishKeys().keys.map(\.kid)) }

    @Test(arguments: Engine.allCases) func `the key set shows public coordinates of the key that signed, and nothing else`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let token = try await home.signUp().token
            let set = try await home.feature.publishKeys()
            #expect(set.keys.map(\.kid) == [try kid(token)])
            let key = try #require(set.keys.first)
            #expect(Base64URL.decode(key.x)?.count == 32 && Base64URL.decode(key.y)?.count == 32)
            let encoder = Surface.capsules.makeEncoder()
            encoder.outputFormatting.insert(.sortedKeys)
            #expect(
                String(decoding: try encoder.encode(set), as: UTF8.self) == """
                    {"keys":[{"alg":"ES256","crv":"P-256","kid":"\(key.kid)","kty":"EC","use":"sig","x":"\(key.x)","y":"\(key.y)"}]}
                    """)
        }
    }

    @Test(arguments: Engine.allCases) func `a year of rotations refuses no token that is not over`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            var refresh = try await home.signUp().token
            var kids: Set<String> = []
            for _ in 0..<73 {
                home.clock.advance(by: .days(5) - .minutes(59))
                refresh = try await home.refresh(refresh)
                kids.insert(try kid(refresh))
                _ = try await home.viewer(refresh)
                #expect(try await published(home).contains(try kid(refresh)))
                home.clock.advance(by: .minutes(59))
                _ = try await home.viewer(refresh)
                try await home.feature.upkeep()
                #expect(try await published(home).contains(try kid(refresh)))
            }
            #expect(10...12 ~= kids.count)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM signing_key") <= 2)
        }
    }

    @Test(arguments: Engine.allCases) func `a new key is published an hour before it signs and the old one until its tokens are over`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            var token = try await home.signUp().token
            let old = try kid(token)
            home.clock.advance(by: .days(15))
            token = try await home.refresh(token)
            home.clock.advance(by: .days(15) - .microseconds(1))
            #expect(try await published(home) == [old])
            home.clock.advance(by: .microseconds(1))
            let both = try await published(home)
            #expect(both.count == 2)
            // The old key signs for another hour.
            home.clock.advance(by: .hours(1) - .microseconds(1))
            let last = try await home.refresh(token)
            #expect(try kid(last) == old)
            home.clock.advance(by: .microseconds(1))
            let first = try await home.refresh(last)
            #expect(both.subtracting([old]) == [try kid(first)])
            home.clock.advance(by: .hours(1) - .seconds(2))
            _ = try await home.viewer(last)
            _ = try await home.viewer(first)
            home.clock.advance(by: KeyRing.grace + .seconds(3))
            try await home.feature.upkeep()
            #expect(try await published(home) == [try kid(first)])
            #expect(try await home.count("SELECT COUNT(*) AS n FROM signing_key") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `a key that another process made is found by its name`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            var here = try await home.signUp().token
            try await home.another { other in
                _ = try await other.viewer(here)
                for _ in 0..<2 {
                    home.clock.advance(by: .days(15))
                    here = try await home.refresh(here)
                }
                home.clock.advance(by: .hours(1))
                here = try await home.refresh(here)
                // The other process received no notification, and its copy of the ring is a month old.
                #expect(try await other.viewer(here) == home.viewer(here))
                let there = try await other.refresh(here)
                #expect(try kid(there) == kid(here))
                _ = try await home.viewer(there)
                #expect(try await published(home) == published(other))
            }
        }
    }

    @Test(arguments: Engine.allCases) func `many processes that start at once agree on one first key`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let made = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try await home.another { other in
                            let issued = try await other.feature.issueToken(email: "p\(number)@x", isAdmin: false)
                            _ = try await home.feature.viewer(bearer: issued.accessToken)
                            return try Opened(issued.accessToken).header["kid"] ?? ""
                        }
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(made.count == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM signing_key") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `unknown key names make the table be read at most once in three seconds`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let counting = CountingDatabase(home.database)
            let keys = SigningKeys(store: AccountStore(database: counting), clock: home.clock.wall, entropy: .system)
            _ = try await keys.current()
            let (reads, writes) = (counting.reads, counting.writes)
            #expect(writes == 1)
            for number in 0..<50 { _ = try await keys.keys(having: "forged\(number)") }
            #expect(counting.reads == reads)
            home.clock.advance(by: .seconds(3))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 { group.addTask { _ = try await keys.keys(having: "forged\(number)") } }
                try await group.waitForAll()
            }
            #expect(counting.reads == reads + 1)
            #expect(counting.writes == writes)
        }
    }

    @Test(arguments: Engine.allCases) func `64 first uses at once make one key with one transaction`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let counting = CountingDatabase(home.database)
            let keys = SigningKeys(store: AccountStore(database: counting), clock: home.clock.wall, entropy: .system)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 { group.addTask { _ = try await keys.current() } }
                try await group.waitForAll()
            }
            #expect(counting.writes == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM signing_key") == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `a store that is away is not answered 401`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let token = try await home.signUp().token
            try await home.another { other in
                try await other.database.close()
                await #expect(throws: (any Error).self) { try await other.viewer(token) }
                do {
                    _ = try await other.viewer(token)
                } catch {
                    #expect(!(error is Problem))
                }
            }
        }
    }
}
