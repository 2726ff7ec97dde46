import ArgumentParser
import Core
import Database
import FeatureKit
import Foundation
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Verified users")
struct VerifiedUsersTests {
    private func read(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> Settings {
        try await Settings.read(Serve.parse(flags).options, environment: environment)
    }

    /// The kinds of accounts that `people` makes.
    private static let kinds = ["password", "firebase", "phone", "oidc", "apple", "listed", "listed phone", "was listed", "lost phone"]

    /// Makes an account of each kind, and returns their ids by kind.
    private func people(_ server: TestServer, _ standIn: IssuerStandIn) async throws -> [String: String] {
        let accounts = server.backend.accounts
        var ids: [String: String] = [:]
        for name in ["password", "listed", "was listed"] { ids[name] = try await server.person(name.replacing(" ", with: "-")).id }
        for (name, phone) in [
            ("firebase", nil), ("phone", "+14155550101"), ("listed phone", "+14155550102"), ("lost phone", "+14155550103"),
        ] as [(String, String?)] {
            ids[name] = try await accounts.viewer(bearer: server.firebasePerson(name, phone: phone, standIn).token).accountID
        }
        ids["oidc"] = try await accounts.viewer(bearer: IdentityForge(.oidc, standIn, server.clock).sign()).accountID
        let apple = try IdentityForge(.apple, standIn, server.clock, subject: "apple-user").sign()
        let signedIn = try await server.post("/auth/apple", ["identity_token": apple])
        ids["apple"] = (try signedIn.json()["user"] as? [String: Any])?["id"] as? String
        for name in ["listed", "listed phone", "was listed"] {
            _ = try await accounts.setVerified(try #require(ids[name]), at: server.clock.now)
        }
        _ = try await accounts.setVerified(try #require(ids["was listed"]), at: nil)
        // Another account later proves the number of "lost phone".
        server.clock.advance(by: .seconds(1))
        _ = try await accounts.viewer(bearer: server.firebasePerson("somebody else", phone: "+14155550103", standIn).token)
        return ids
    }

    @Test(
        "each setting verifies its users",
        arguments: [
            (VerifiedUsers.everybody, Set(kinds)), (.phone, ["phone", "apple", "listed", "listed phone"]),
            (.allowlist, ["listed", "listed phone"]),
        ] as [(VerifiedUsers, Set<String>)], Engine.allCases)
    func modes(_ mode: (setting: VerifiedUsers, verified: Set<String>), _ engine: Engine) async throws {
        try await TestServer.runWithFirebase(engine, { $0.features[AccountsFeature.verify] = mode.setting }) { server, standIn in
            let ids = try await people(server, standIn)
            #expect(Set(ids.keys) == Set(Self.kinds))
            let accounts = server.backend.accounts
            let verified = try await server.backend.database.read { tx in
                try Set(ids.filter { try accounts.isVerified($0.value, tx) }.keys)
            }
            #expect(verified == mode.verified)
        }
    }

    @Test("a closed account is no verified user, and keeps nothing that would make it one", arguments: Engine.allCases)
    func closed(_ engine: Engine) async throws {
        try await TestServer.runWithFirebase(engine, { $0.features[AccountsFeature.verify] = .phone }) { server, standIn in
            let accounts = server.backend.accounts
            let ada = try server.firebasePerson("ada", phone: "+14155550101", standIn)
            _ = try await accounts.viewer(bearer: ada.token)
            _ = try await accounts.setVerified("ada", at: server.clock.now)
            #expect(try await accounts.close("ada", at: server.clock.now, hiding: { _ in }, also: { _ in }))
            let isVerified = try await server.backend.database.read { tx in
                try (accounts.isVerified("ada", tx), accounts.isVerified("nobody", tx))
            }
            #expect(!isVerified.0 && !isVerified.1)
            let left = try await server.backend.database.read { tx in
                try tx.row("SELECT count(*) AS n FROM account WHERE phone IS NOT NULL OR verified_at IS NOT NULL")?.get("n", as: Int.self)
            }
            #expect(left == 0)
        }
    }

    @Test("an identity of Apple counts only where Sign in with Apple is set up", arguments: Engine.allCases)
    func apple(_ engine: Engine) async throws {
        try await TestServer.run(engine) {
            $0.features[AccountsFeature.verify] = .phone
        } _: { server in
            let ada = try await server.person("ada")
            let now = server.clock.now
            for issuer in ["https://appleid.apple.com", "https://other.example"] {
                try await server.backend.database.write { tx in
                    try tx.run(
                        "INSERT INTO identity (issuer, subject, account, created_at) VALUES (\(issuer), 'a', \(ada.id), \(now))")
                }
            }
            let accounts = server.backend.accounts
            let isVerified = try await server.backend.database.read { tx in try accounts.isVerified(ada.id, tx) }
            #expect(!isVerified)
        }
    }

    @Test("by default everybody is verified in development, and in production a phone number or Sign in with Apple is needed")
    func defaults() async throws {
        for (environment, expected) in [(Settings.Environment.development, VerifiedUsers.everybody), (.production, .phone)] {
            try await TestServer.run(.sqlite) {
                $0.environment = environment
                $0.publicURL = "https://keepsake.example"
            } _: { server in
                #expect(server.backend.accounts.verifiedUsers == expected)
            }
            try await TestServer.run(.sqlite) {
                $0.environment = environment
                $0.publicURL = "https://keepsake.example"
                $0.features[AccountsFeature.verify] = .allowlist
            } _: { server in
                #expect(server.backend.accounts.verifiedUsers == .allowlist)
            }
        }
    }

    @Test("the setting is a flag, a variable and a key; another value is an error that names it")
    func setting() async throws {
        #expect(try await read().features[AccountsFeature.verify] == nil)
        #expect(try await read(["--verify", "phone"], ["KEEPSAKE_VERIFY": "everybody"]).features[AccountsFeature.verify] == .phone)
        #expect(try await read([], ["KEEPSAKE_VERIFY": "everybody"]).features[AccountsFeature.verify] == .everybody)
        let folder = try TemporaryFolder()
        try "verify: allowlist\n".write(toFile: folder.path + "/keepsake.yaml", atomically: true, encoding: .utf8)
        let file = folder.path + "/keepsake.yaml"
        #expect(try await read(["--config", file]).features[AccountsFeature.verify] == .allowlist)
        for wrong in ["", "Phone", "phones", "on", "everybody,phone"] {
            do {
                _ = try await read([], ["KEEPSAKE_VERIFY": wrong])
                Issue.record("taken: \(wrong)")
            } catch {
                #expect("\(error)".contains("KEEPSAKE_VERIFY must be one of everybody, phone, allowlist"), "\(error)")
            }
        }
    }
}
