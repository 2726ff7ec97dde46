import Core
import Crypto
import Database
import Foundation
import HTTPTypes
import Jobs
import Logging
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Apple's tokens")
struct AppleTokensTests {
    private func run(
        _ engine: Engine, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: @Sendable (TestServer, IssuerStandIn) async throws -> Void
    ) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine, logger: logger) { settings in
                settings.identities = IdentityForge.settings(standIn)
                settings.identities.apple?.client = AppleClient(
                    teamID: AppleStandIn.team, keyID: AppleStandIn.keyID, pem: AppleStandIn.clientKey.pemRepresentation)
            } _: { server async throws in
                standIn.change { $0.apple.now = server.clock.now.seconds }
                try await body(server, standIn)
            }
        }
    }

    /// What an app receives from Apple's sign-in sheet: an identity token and an authorization code.
    private func sheet(
        _ server: TestServer, _ standIn: IssuerStandIn, code: String, subject: String = "apple-ada", for codeSubject: String? = nil
    ) throws -> [String: Any] {
        let given = try IdentityForge(.apple, standIn, server.clock, subject: codeSubject ?? subject).sign()
        standIn.change { $0.apple.codes[code] = (clientID: "org.example.app", idToken: given) }
        return [
            "identity_token": try IdentityForge(.apple, standIn, server.clock, subject: subject).sign(), "authorization_code": code,
        ]
    }

    private func kept(_ server: TestServer) async throws -> [[UInt8]] {
        try await server.backend.database.read { tx in
            try tx.rows("SELECT sealed FROM apple_token").map { try $0.get("sealed", as: [UInt8].self) }
        }
    }

    private func id(_ answer: TestServer.Answer) throws -> String {
        try #require((try answer.json()["user"] as? [String: Any])?["id"] as? String)
    }

    @Test("a code is exchanged; the refresh token is stored encrypted, and is revoked", arguments: Engine.allCases)
    func journey(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let answer = try await server.post("/auth/apple", try sheet(server, standIn, code: "c.1+/& ü"))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(!answer.text.contains("canary"))
            let account = try id(answer)
            #expect(standIn.appleTokens == ["r.canary.c.1+/& ü"])
            let sealed = try await kept(server)
            #expect(sealed.count == 1)
            #expect(!String(decoding: sealed[0], as: UTF8.self).contains("canary"))

            // Deletes the account first. What the revocation needs is still stored.
            let now = server.clock.now
            try await server.backend.database.write { tx in
                try AccountStore.deleteIdentitiesAndKeepTombstones(of: account, at: now, in: tx)
                try tx.run("DELETE FROM account WHERE id = \(account)")
            }
            try await server.backend.accounts.revokeAppleTokens(of: account)
            #expect(standIn.appleTokens.isEmpty)
            #expect(try await kept(server).isEmpty)
            // A second call sends no request.
            try await server.backend.accounts.revokeAppleTokens(of: account)
            #expect(standIn.count("apple/revoke") == 1)
        }
    }

    @Test("an account is erased although Apple is unavailable, and its token is revoked once Apple is back", arguments: Engine.allCases)
    func leaving(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let sheet = try sheet(server, standIn, code: "leave")
            let answer = try await server.post("/auth/apple", sheet)
            let token = try #require((try answer.json()["token"] as? [String: Any])?["access_token"] as? String)
            let ada = TestServer.Person(id: try id(answer), token: token)
            standIn.change { $0.apple.outage = .badGateway }
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            #expect(try await server.send("GET", "/user/me", as: ada).status == 401)
            // Apple issued the token and its code before the deletion.
            let identityToken = try #require(sheet["identity_token"])
            #expect(try await server.post("/auth/apple", ["identity_token": identityToken]).status == 401)
            try await server.waitUntilErased(ada.id)
            #expect(try await server.rowCounts(of: ada.id) == ["apple_token": 1])
            #expect(standIn.appleTokens == ["r.canary.leave"])
            standIn.change { $0.apple.outage = nil }
            try await server.wait {
                server.clock.advance(by: .seconds(10))
                standIn.change { $0.apple.now = server.clock.now.seconds }
                return try await kept(server).isEmpty
            }
            #expect(standIn.appleTokens.isEmpty)
            #expect(try await server.rowCounts(of: ada.id) == [:])
        }
    }

    @Test("a code that is unknown, used, of another app or of another person is 401, and nothing is stored", arguments: Engine.allCases)
    func forgedCodes(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            var unknown = try sheet(server, standIn, code: "known")
            unknown["authorization_code"] = "unknown"
            #expect(try await server.post("/auth/apple", unknown).status == 401)
            let another = try sheet(server, standIn, code: "stolen", for: "apple-eve")
            #expect(try await server.post("/auth/apple", another).status == 401)
            let elsewhere = try sheet(server, standIn, code: "elsewhere")
            standIn.change { $0.apple.codes["elsewhere"]?.clientID = "org.example.web" }
            #expect(try await server.post("/auth/apple", elsewhere).status == 401)
            var long = elsewhere
            long["authorization_code"] = String(repeating: "c", count: 2_000)
            #expect(try await server.post("/auth/apple", long).status == 401)
            #expect(try await server.accounts() == 0)
            #expect(try await kept(server).isEmpty)
            let known = try sheet(server, standIn, code: "known")
            #expect(try await server.post("/auth/apple", known).status == 200)
            #expect(try await server.post("/auth/apple", known).status == 401)
        }
    }

    @Test("sign-in works although Apple is unavailable, limits requests or rejects our client secret", arguments: Engine.allCases)
    func away(_ engine: Engine) async throws {
        let lines = LogLines(level: .trace)
        try await run(engine, logger: lines.logger) { server, standIn async throws in
            standIn.change { $0.apple.limited = 1 }
            let answer1 = try await server.post("/auth/apple", try sheet(server, standIn, code: "code-canary-1"))
            #expect(answer1.status == 200)
            standIn.change { $0.apple.outage = .badGateway }
            let answer2 = try await server.post("/auth/apple", try sheet(server, standIn, code: "code-canary-2"))
            #expect(answer2.status == 200)
            standIn.change { state in
                state.apple.outage = nil
                // Apple's clock is a day ahead. For Apple, the server's client secret has expired, and it answers `invalid_client`.
                state.apple.now += 86_400
            }
            let answer3 = try await server.post("/auth/apple", try sheet(server, standIn, code: "code-canary-3"))
            #expect(answer3.status == 200)
            #expect(try await kept(server).isEmpty)
            let log = lines.text
            #expect(log.contains("429") && log.contains("502") && log.contains("invalid_client"))
            let secrets = standIn.secretsSeen
            #expect(!secrets.isEmpty)
            let shown = secrets.filter(log.contains)
            #expect(shown.isEmpty)
            #expect(!log.contains("code-canary"))
        }
    }

    @Test("a token that could not be revoked is kept, and only that one is retried", arguments: Engine.allCases)
    func retries(_ engine: Engine) async throws {
        try await run(engine) { server, standIn async throws in
            let account = try id(try await server.post("/auth/apple", try sheet(server, standIn, code: "one")))
            let ada = try await server.person("ada")
            let answer4 = try await server.post("/auth/link", try sheet(server, standIn, code: "two", subject: "apple-2"), as: ada)
            #expect(answer4.status == 200)
            let answer5 = try await server.post("/auth/link", try sheet(server, standIn, code: "three", subject: "apple-3"), as: ada)
            #expect(answer5.status == 200)
            #expect(standIn.appleTokens.count == 3)
            let accounts = server.backend.accounts
            standIn.change { $0.apple.limited = 1 }
            await #expect(throws: IssuerFailure.self) { try await accounts.revokeAppleTokens(of: ada.id) }
            #expect(try await kept(server).count == 2)
            standIn.change { $0.apple.outage = .serviceUnavailable }
            await #expect(throws: IssuerFailure.self) { try await accounts.revokeAppleTokens(of: ada.id) }
            standIn.change { $0.apple.outage = nil }
            try await accounts.revokeAppleTokens(of: ada.id)
            // The other account's token stays.
            #expect(try await kept(server).count == 1)
            #expect(standIn.appleTokens.count == 1)
            #expect(standIn.count("apple/revoke") == 4)
            try await accounts.revokeAppleTokens(of: account)
            #expect(standIn.appleTokens.isEmpty)
        }
    }

    @Test("without a key, codes are ignored, and revoking a stored token fails permanently", arguments: Engine.allCases)
    func withoutKey(_ engine: Engine) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
            } _: { server async throws in
                let answer = try await server.post("/auth/apple", try sheet(server, standIn, code: "one"))
                #expect(answer.status == 200)
                #expect(standIn.count("apple/token") == 0)
                let account = try id(answer)
                try await server.backend.accounts.revokeAppleTokens(of: account)
                let token = AppleToken(clientID: "org.example.app", sealed: Secret([1, 2, 3]))
                let now = server.clock.now
                _ = try await server.backend.database.write { tx in
                    try tx.run(AccountStore.keepAppleToken(token, of: account, "apple-ada", now))
                }
                await #expect(throws: JobFailure.self) { try await server.backend.accounts.revokeAppleTokens(of: account) }
            }
        }
    }
}
