import Core
import Crypto
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Logging
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit

@Suite struct TokenForgeryTests {
    /// Of a token, only its session is in the database. So only the forgeries of `sessions` run on both engines.
    static let forgeries: [(Forgery, Engine)] = {
        let all: [Forgery] = algorithms + keys + headers + claims + sessions + shapes
        return all.map { ($0, Engine.sqlite) } + sessions.map { ($0, Engine.postgres) }
    }()

    @Test(arguments: forgeries)
    func `a forged token is refused`(_ forgery: Forgery, _ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let forge = try await TokenForge(home)
            let token = try await forgery.make(forge)
            let refused = await problem { try await home.feature.viewer(bearer: token) }
            #expect(refused?.kind == .unauthenticated)
            #expect(token.isEmpty || refused?.message.contains(token) == false)
        }
    }

    @Test(arguments: Engine.allCases) func `what the forge makes without a change is accepted, so the refusals are for what was changed`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let forge = try await TokenForge(home)
            #expect(try await home.feature.viewer(bearer: forge.sign()).accountID == forge.genuine.user.id)
            // The server accepts a token in its last valid second, and one of a node whose clock is ahead by the largest accepted
            // difference.
            forge.claims["exp"] = forge.now + 1
            forge.claims["iat"] = forge.now - 3_600
            _ = try await home.feature.viewer(bearer: forge.sign())
            forge.claims["exp"] = forge.now + 3_660
            forge.claims["iat"] = forge.now + 60
            _ = try await home.feature.viewer(bearer: forge.sign())
        }
    }

    @Test(arguments: Engine.allCases) func `where a header says keys are to be found is not even read`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let forge = try await TokenForge(home)
            for name in ["jku", "x5u"] { forge.header[name] = "http://127.0.0.1:1/keys.json" }
            forge.header["jwk"] = 7
            _ = try await home.feature.viewer(bearer: forge.sign())
        }
    }

    @Test(arguments: Engine.allCases) func `what a token says is what RFC 9068 asks`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let opened = try Opened(signedIn.token.accessToken)
            #expect(Set(opened.header.keys) == ["alg", "typ", "kid"])
            #expect(opened.header["alg"] == "ES256" && opened.header["typ"] == "at+jwt")
            #expect(Set(opened.claims.keys) == ["iss", "aud", "sub", "sid", "iat", "exp", "jti"])
            #expect(opened.claims["iss"] as? String == AccountsHome.issuer && opened.claims["aud"] as? String == "keepsake")
            #expect(opened.claims["sub"] as? String == signedIn.user.id)
            #expect(opened.claims["iat"] as? Int64 == home.clock.now.seconds)
            #expect(opened.claims["exp"] as? Int64 == home.clock.now.seconds + 3_600)
        }
    }

    @Test(arguments: Engine.allCases) func `a token ends in the second its owner was told`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            home.clock.advance(by: .microseconds(999_999))
            let token = try await home.signUp().token
            let end = Timestamp(microseconds: Int64((token.expiresAt.timeIntervalSince1970 * 1_000_000).rounded()))
            home.clock.advance(by: end - home.clock.now - .microseconds(1))
            _ = try await home.viewer(token)
            home.clock.advance(by: .microseconds(1))
            #expect(await problem { try await home.viewer(token) }?.message == "The access token has expired.")
        }
    }

    @Test(arguments: Engine.allCases) func `a promotion counts from the next request`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            #expect(try await !home.viewer(signedIn.token).isAdmin)
            _ = try await home.feature.issueToken(email: "ada@example.org", isAdmin: true)
            #expect(try await home.viewer(signedIn.token).isAdmin)
        }
    }

    @Test(arguments: Engine.allCases) func `the check of a credential reads once`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let counting = CountingDatabase(home.database)
            let settings = AccountsSettings(issuer: { AccountsHome.issuer }, registration: .open, passwordCost: .forTests)
            let feature = AccountsFeature(.forTests(counting, clock: home.clock.wall), settings: settings)
            let token = try await home.signUp().token
            _ = try await feature.viewer(bearer: token.accessToken)
            let before = counting.reads
            _ = try await feature.viewer(bearer: token.accessToken)
            #expect(counting.reads == before + 1)
            #expect(counting.writes == 0)
        }
    }
}
