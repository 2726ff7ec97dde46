import Core
import Database
import Foundation
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

/// Sign-ins that prove a phone number while another write removes their identity.
@Suite("Phone numbers of sign-ins")
struct PhoneSignInTests {
    private static let number = "+14155550101"

    private func signIn(_ name: IdentityName, at now: Timestamp, accountIDs: [String]) -> IdentitySignIn {
        IdentitySignIn(
            issuer: name.issuer, subject: name.subject, issuedAt: now, nonce: nil, email: nil, accountEmail: nil, name: nil,
            accountIDs: accountIDs, appleToken: nil, mayRegister: false, invitation: nil, at: now,
            phone: PhoneProof(number: Self.number, provedAt: now))
    }

    private func phone(of account: String, _ database: any Database) async throws -> String? {
        try await database.read { tx -> String? in
            guard let row = try tx.row("SELECT phone FROM account WHERE id = \(account)") else { return nil }
            return try row.get("phone", as: String?.self)
        }
    }

    @Test("an identity that is removed during its sign-in proves no number for the account that had it", arguments: Engine.allCases)
    func removedMeanwhile(_ engine: Engine) async throws {
        try await TestServer.runWithFirebase(engine) { server, standIn async throws in
            let (database, now) = (server.backend.database, server.clock.now)
            let store = AccountStore(database: database)
            let names = ["ada", "eve"].map { IdentityName(issuer: IdentityForge.issuer(.firebase, standIn), subject: $0) }
            for name in names {
                let token = try IdentityForge(.firebase, standIn, server.clock, subject: name.subject).sign()
                #expect(try await server.send("GET", "/user/me", headers: [("Authorization", "Bearer \(token)")]).status == 200)
            }
            // Control: a sign-in with an identity that stays proves its number.
            _ = try await store.account(for: signIn(names[1], at: now, accountIDs: ["eve"]))
            #expect(try await phone(of: "eve", database) == Self.number)

            let name = names[0]
            let (removed, isRemoved) = AsyncStream.makeStream(of: Void.self)
            let removal = Task {
                defer { isRemoved.finish() }
                try await database.write { tx in
                    try tx.lock("password ada")
                    try tx.run(AccountStore.deleteIdentity(name.issuer, name.subject, of: "ada"))
                    isRemoved.finish()
                    // On PostgreSQL, the sign-in runs until it waits for this write. SQLite has one write at a time.
                    Thread.sleep(forTimeInterval: 0.3)
                }
            }
            for await _ in removed {}
            let result = try await store.account(for: signIn(name, at: now + .seconds(1), accountIDs: ["ada"]))
            try await removal.value
            #expect(result == .unknown)
            #expect(try await phone(of: "ada", database) == nil)
            #expect(try await phone(of: "eve", database) == Self.number)
        }
    }
}
