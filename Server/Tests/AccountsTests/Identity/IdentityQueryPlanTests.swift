import Core
import Database
import TestKit
import Testing

@testable import Accounts

@Suite("Query plans of identities")
struct IdentityQueryPlanTests {
    private static let now = Timestamp(seconds: 1_000_000)
    private static let token = AccountStore.KeptAppleToken(subject: "s", clientID: "c", sealed: Secret([1]))
    private static let account = Account(id: "a", email: "a@x", name: nil, isAdmin: false, isPro: false, createdAt: now)
    private static let signIn = IdentitySignIn(
        issuer: "i", subject: "s", issuedAt: now, nonce: nil, email: nil, accountEmail: nil, name: nil, accountIDs: ["a"], appleToken: nil,
        mayRegister: true, invitation: nil, at: now)

    private static let searching: [SQL] = [
        AccountStore.identity("i", "s"), AccountStore.identities(of: "a"), AccountStore.linkedSubject("s", "a"),
        AccountStore.updateIdentity("i", "s", email: "a@x"), AccountStore.nameIfNone("a", "n"), AccountStore.emailIfNone("a", "a@x"),
        AccountStore.tombstone("h"), AccountStore.deleteIdentities(of: "a"), AccountStore.deleteTombstones(before: now, limit: 10),
        AccountStore.deleteNonces(expiredBefore: now, limit: 10), AccountStore.appleTokens(of: "a"),
        AccountStore.forgetAppleToken(token, of: "a"),
        AccountStore.phone(of: "a"), AccountStore.accounts(withPhones: ["+14155550123", "+41446681800"]),
        AccountStore.proofs(of: "a", apple: "i"), AccountStore.knownPhone(of: "a"), AccountStore.phoneHolder("+14155550123"),
        AccountStore.takePhone("+14155550123", forAccount: "a"),
        AccountStore.setPhone(PhoneProof(number: "+14155550123", provedAt: now), of: "a"),
    ]
    private static let inserting: [SQL] = [
        AccountStore.insertIfUnused(account), AccountStore.insertIdentity(signIn, account: "a"), AccountStore.insertTombstone("h", now),
        AccountStore.insertNonce("h", until: now),
        AccountStore.keepAppleToken(AppleToken(clientID: "c", sealed: Secret([1])), of: "a", "s", now),
    ]

    @Test("each statement finds its rows by an index and sorts nothing", arguments: searching.indices, Engine.allCases)
    func plans(_ index: Int, _ engine: Engine) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            let plan = try await QueryPlan(Self.searching[index], on: home.database)
            #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
        }
    }

    @Test("inserts search no table", arguments: Engine.allCases)
    func inserts(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            for sql in Self.inserting {
                let plan = try await QueryPlan(sql, on: home.database)
                #expect(plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("rows that violate the schema's constraints are refused", arguments: Engine.allCases)
    func rules(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            _ = try await home.database.write { tx in try tx.run("INSERT INTO account (id, created_at) VALUES ('a', 1)") }
            let broken: [SQL] = [
                "INSERT INTO identity (issuer, subject, account, created_at) VALUES ('i', 's', 'nobody', 1)",
                "INSERT INTO identity (issuer, subject, account, created_at) VALUES ('', 's', 'a', 1)",
                "INSERT INTO identity (issuer, subject, account, created_at) VALUES ('i', '', 'a', 1)",
                "INSERT INTO identity (issuer, subject, account, email, created_at) VALUES ('i', 's', 'a', 'x', 1)",
                "INSERT INTO deleted_identity (identity, deleted_at) VALUES ('short', 1)",
                "INSERT INTO used_nonce (hash, expires_at) VALUES ('short', 1)",
            ]
            for sql in broken {
                await #expect(throws: DatabaseError.self) { _ = try await home.database.write { tx in try tx.run(sql) } }
            }
            let good: SQL = "INSERT INTO identity (issuer, subject, account, created_at) VALUES ('i', 's', 'a', 1)"
            _ = try await home.database.write { tx in try tx.run(good) }
            await #expect(throws: DatabaseError.self) { _ = try await home.database.write { tx in try tx.run(good) } }
        }
    }
}
