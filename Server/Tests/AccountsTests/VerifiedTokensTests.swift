import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

/// A token's signature is verified once and cached. Everything else about the token is checked on each request.
@Suite struct VerifiedTokensTests {
    @Test(arguments: Engine.allCases) func `a token that was accepted is refused from the second it is over`(_ engine: Engine) async throws
    {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            for _ in 1...2 { #expect(try await home.viewer(signedIn.token).accountID == signedIn.user.id) }
            home.clock.advance(by: .seconds(3_599))
            _ = try await home.viewer(signedIn.token)
            home.clock.advance(by: .seconds(1))
            #expect(await problem { try await home.viewer(signedIn.token) }?.message == "The access token has expired.")
        }
    }

    @Test(arguments: Engine.allCases) func `a token that was accepted is refused once its account is gone`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            for _ in 1...2 { _ = try await home.viewer(signedIn.token) }
            try await home.deleteAccount(signedIn.user.id)
            #expect(await problem { try await home.viewer(signedIn.token) }?.kind == .unauthenticated)
        }
    }

    @Test(arguments: Engine.allCases) func `having accepted a token helps no other that looks like it`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let token = try await home.signUp().token.accessToken
            _ = try await home.feature.viewer(bearer: token)
            for index in stride(from: 0, to: token.utf8.count, by: 7) {
                var bytes = Array(token.utf8)
                bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let other = String(decoding: bytes, as: UTF8.self)
                #expect(await problem { try await home.feature.viewer(bearer: other) }?.kind == .unauthenticated, "\(index)")
            }
            for other in [token + "=", token + ".", " " + token, String(token.dropLast())] {
                #expect(await problem { try await home.feature.viewer(bearer: other) }?.kind == .unauthenticated)
            }
            _ = try await home.feature.viewer(bearer: token)
        }
    }

    @Test func `what is remembered is bounded, and those that are over go first`() {
        let tokens = VerifiedTokens()
        func token(_ expiry: Int64) -> VerifiedTokens.Token {
            VerifiedTokens.Token(
                kid: "k", claims: AccessClaims(iss: "i", aud: "a", sub: "s", sid: "s", iat: 0, exp: expiry, jti: "j"))
        }
        for number in 0..<VerifiedTokens.limit {
            tokens.keep(token(number < 100 ? 1_000 : 10), for: "\(number)", at: Timestamp(seconds: 1))
        }
        #expect(tokens.count == VerifiedTokens.limit)
        tokens.keep(token(1_000), for: "new", at: Timestamp(seconds: 11))
        #expect(tokens.count == 101 && tokens.token("0") != nil && tokens.token("100") == nil && tokens.token("new") != nil)
        #expect(tokens.mayHave("0") && !tokens.mayHave("100") && tokens.mayHave("new"))
        for number in 0..<2 * VerifiedTokens.limit { tokens.keep(token(1_000), for: "more \(number)", at: Timestamp(seconds: 12)) }
        #expect(tokens.count <= VerifiedTokens.limit)
    }
}
