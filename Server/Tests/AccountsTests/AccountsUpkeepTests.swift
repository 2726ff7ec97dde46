import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit

@Suite struct AccountsUpkeepTests {
    /// Regression: one write deleted all expired rows of a table, and every other write waited for it.
    @Test(arguments: Engine.allCases) func `expired rows of each table are deleted in writes of at most 500`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let account = signedIn.user.id
            let session = try #require(try await home.viewer(signedIn.token).sessionID)
            let now = home.clock.now
            // These rows expired 32 days ago, because the server keeps expired invitations and tombstones for another 30 days. The session
            // itself has not expired.
            let (createdAt, expiresAt) = (now - .days(33), now - .days(32))
            let form = RegistrationForm(email: "b@x", name: nil, passwordHash: Secret("x"), invitation: nil)
            try await home.database.write { tx in
                for number in 0..<501 {
                    let hash = RefreshToken(entropy: .system).hash
                    let code = NewCode(id: "code \(number)", hash: hash, createdAt: createdAt, expiresAt: expiresAt)
                    try tx.send(AccountStore.insertRegistration(code, form, askedBy: nil))
                    try tx.send(AccountStore.insertReset(code, account))
                    try tx.send(AccountStore.insertEmailChange(NewEmailChange(code: code, account: account, email: "b@x")))
                    try tx.send(AccountStore.insertCookie(hash, session, until: expiresAt, createdAt))
                    let invitation = NewInvitation(hash: hash, emailHash: nil, createdAt: createdAt, expiresAt: expiresAt)
                    try tx.send(AccountStore.insertInvitation(invitation))
                    try tx.send(AccountStore.insertTombstone(hash, expiresAt))
                    _ = try tx.row(AccountStore.insertNonce(hash, until: expiresAt))
                }
            }
            let record = StatementRecord()
            let store = AccountStore(database: ObservedDatabase(base: home.database, observe: record.add))
            try await store.sweepSessions(at: now)
            try await store.sweepInvitations(at: now)
            try await store.sweepResets(at: now)
            try await store.sweepEmailChanges(at: now)
            try await store.sweepRegistrations(at: now)
            try await store.sweepIdentities(at: now)
            let tables: [SQL] = [
                "registration", "password_reset", "email_change", "session_cookie", "invitation", "deleted_identity", "used_nonce",
            ]
            for table in tables {
                let name = table.text { _ in "" }
                let limits = record.all.compactMap { statement -> Int64? in
                    guard statement.text.hasPrefix("DELETE FROM \(name) ") else { return nil }
                    guard case .integer(let limit)? = statement.sql.values.last else { return nil }
                    return limit
                }
                #expect(limits == [500, 500], "\(name)")
                #expect(try await home.count("SELECT COUNT(*) AS n FROM \(sql: table)") == 0, "\(name)")
            }
        }
    }
}
