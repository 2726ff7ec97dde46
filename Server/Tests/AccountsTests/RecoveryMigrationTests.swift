import Core
import Database
import TestKit
import Testing

@testable import Accounts

@Suite("The migration to recoverable accounts")
struct RecoveryMigrationTests {
    @Test(
        "identities linked before count as linked, the one that created the account does not, and old sessions are not fresh",
        arguments: Engine.allCases)
    func upgrade(_ engine: Engine) async throws {
        let clock = TestClock()
        let stores = try TestStores(engine)
        let database = try await stores.open(clock: clock.wall)
        let before = AccountsFeature.migrations.filter { $0.name != AccountMigrations.recovery.name }
        try #require(before.count == AccountsFeature.migrations.count - 1)
        try await database.migrate(before)
        let rows: [SQL] = [
            "INSERT INTO account (id, created_at) VALUES ('a', 5)",
            "INSERT INTO identity (issuer, subject, account, created_at) VALUES ('i', 'first', 'a', 5)",
            "INSERT INTO identity (issuer, subject, account, created_at) VALUES ('i', 'second', 'a', 6)",
            "INSERT INTO session (id, account, created_at, last_used_at, expires_at) VALUES ('s', 'a', 5, 5, 9)",
        ]
        try await database.write { tx in for row in rows { try tx.run(row) } }
        try await database.migrate(AccountsFeature.migrations)
        let store = AccountStore(database: database)
        let known = try await store.identities(of: "a")
        #expect(known.map(\.subject) == ["first", "second"])
        #expect(known.map(\.linkedAt?.microseconds) == [nil, 6])
        let viewer = Viewer(accountID: "a", sessionID: "s", isAdmin: false)
        #expect(try await store.signedInAt(viewer) == nil)
        try await database.close()
    }
}
