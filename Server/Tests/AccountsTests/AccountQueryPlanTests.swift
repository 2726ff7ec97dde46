import Core
import Database
import TestKit
import Testing

@testable import Accounts

@Suite struct AccountQueryPlanTests {
    private static let now = Timestamp(seconds: 1_000_000)
    private static let key = SigningKey(kid: "k", privateKey: Secret([1]), createdAt: now, signsFrom: now)
    private static let session = NewSession(id: "s", accountID: "a", refreshHash: "h", origin: SessionOrigin(.password), createdAt: now)
    private static let account = AccountStore.NewAccount(
        id: "a", email: "a@x", name: nil, passwordHash: nil, isAdmin: false, createdAt: now)

    /// Every statement of the store that searches for rows.
    private static let searching: [SQL] = [
        AccountStore.credential(email: "a@x"), AccountStore.account("a"), AccountStore.promote("a"),
        AccountStore.update("a", .init(name: "b", allowsOutsideEngines: false, timeZone: "Asia/Tokyo")), AccountStore.timeZones(of: ["a"]),
        AccountStore.outsideEngines(of: "a"),
        AccountStore.replacePasswordHash("a", Secret("x"), Secret("y")),
        AccountStore.liveSessions(["s", "t"]), AccountStore.accounts(["a", "b"]),
        AccountStore.liveSession("s", "a"), AccountStore.endSession("s", "a", now), AccountStore.presentedToken("h", successor: "s"),
        AccountStore.markUsed("h", now), AccountStore.prolong("s", until: now, now),
        AccountStore.expiredSessions(before: now, limit: 10), AccountStore.allSessions(of: "a", limit: 10), AccountStore.deleteSession("s"),
        AccountStore.deleteTokens(of: "s", limit: 10), AccountStore.deleteTokens(expiredBefore: now, limit: 10),
        AccountStore.deleteKey("k"), AccountStore.secret("links"),
        AccountStore.liveCookie("h", now), AccountStore.deleteCookies(of: "s"), AccountStore.deleteCookies(expiredBefore: now, limit: 10),
        AccountStore.surplusSessions(of: "a"), AccountStore.sessions(of: "a", now), AccountStore.endSessions(of: "a", but: nil, now),
        AccountStore.endSessions(of: "a", but: "s", now), AccountStore.touchSession("s", now),
        AccountStore.invitation("h"), AccountStore.useInvitation("h", by: "a", now),
        AccountStore.deleteInvitations(expiredBefore: now, limit: 10),
        AccountStore.reset("r", now), AccountStore.liveReset("h", now), AccountStore.liveResets(of: "a", now),
        AccountStore.useReset("h", now), AccountStore.deleteResets(of: "a"), AccountStore.deleteResets(expiredBefore: now, limit: 10),
        AccountStore.passwordHash("a"), AccountStore.setPasswordHash("a", Secret("x"), now, isRecovery: true),
        AccountStore.credential(of: "a"), AccountStore.setEmail("a", "b@x"), AccountStore.emailChange("c", now),
        AccountStore.emailChange(hash: "h", of: "a", now), AccountStore.liveEmailChanges(of: "a", now),
        AccountStore.liveEmailChanges(to: "b@x", now), AccountStore.useEmailChange("c", now), AccountStore.deleteEmailChanges(of: "a"),
        AccountStore.deleteEmailChanges(expiredBefore: now, limit: 10),
        AccountStore.liveRegistrations(of: "b@x", askedBy: "p", now), AccountStore.newestRegistration(of: "b@x", now),
        AccountStore.newestRegistration(of: "b@x", askedBy: "p", now),
        AccountStore.registration("r", now), AccountStore.registration(hash: "h", now), AccountStore.useRegistration("h", now),
        AccountStore.deleteRegistrations(of: "b@x"), AccountStore.deleteRegistrations(expiredBefore: now, limit: 10),
        AccountStore.authentication("s", "a"), AccountStore.recoveredAt("a"), AccountStore.dropPhone(of: "a"),
        AccountStore.identityNames(of: ["a", "b"]),
        AccountStore.deleteIdentity("i", "s", of: "a"), AccountStore.endSessions(of: "a", openedBy: "h", but: "s", now),
        AccountStore.cookies(of: "a", now),
        AccountStore.suspend("a", now), AccountStore.restore("a"), AccountStore.setVerified("a", at: now), AccountStore.setAdmin("a", true),
        AccountStore.sessionIDs(of: "a"),
        AccountStore.summary("a"), AccountStore.summary(email: "a@x"), AccountStore.summary(phone: "+491701234567"),
        AccountStore.summaries(after: TimeKey(at: now, id: "a"), limit: 21),
        AccountStore.summaries(emailsFrom: "a", after: nil, limit: 21),
        AccountStore.summaries(emailsFrom: "a", after: EmailKey(email: "a@x"), limit: 21),
        AccountStore.close("a", now), AccountStore.endSessions(of: "a", at: now), AccountStore.endSession("s", "a", lastUsedAt: now, now),
        AccountStore.deleteClosed("a"),
    ]
    private static let inserting: [SQL] = [
        AccountStore.insertAccount(account), AccountStore.insertAccount(id: "b", now), AccountStore.insertSession(session),
        AccountStore.insertToken("h", "s", now),
        AccountStore.insertKey(key), AccountStore.insertCookie("h", "s", until: now, now),
        AccountStore.insertSecret("links", Secret([1]), now),
        AccountStore.insertInvitation(NewInvitation(hash: "h", emailHash: nil, createdAt: now, expiresAt: now)),
        AccountStore.insertReset(NewCode(id: "r", hash: "h", createdAt: now, expiresAt: now), "a"),
        AccountStore.insertEmailChange(
            NewEmailChange(code: NewCode(id: "c", hash: "h", createdAt: now, expiresAt: now), account: "a", email: "b@x")),
        AccountStore.insertRegistration(
            NewCode(id: "r", hash: "h", createdAt: now, expiresAt: now),
            RegistrationForm(email: "b@x", name: nil, passwordHash: Secret("x"), invitation: nil), askedBy: "p"),
    ]

    @Test(arguments: Engine.allCases) func `each statement finds its rows by an index and sorts nothing`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            for sql in Self.searching {
                let plan = try await QueryPlan(sql, on: home.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `the handful of keys are read by their index`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            let plan = try await QueryPlan(AccountStore.allKeys(), on: home.database)
            #expect(plan.faults(mayWalk: true).isEmpty, "\(plan)")
        }
    }

    @Test(arguments: Engine.allCases) func `the first page of all accounts reads the end of an index`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            let plan = try await QueryPlan(AccountStore.summaries(after: nil, limit: 21), on: home.database)
            #expect(plan.faults(mayWalk: true).isEmpty && plan.uses("account_by_time"), "\(plan)")
        }
    }

    @Test(arguments: Engine.allCases) func `another administrator is found by the small index of administrators`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            let plan = try await QueryPlan(AccountStore.otherAdministrator(than: "a"), on: home.database)
            #expect(plan.faults(mayWalk: true).isEmpty && plan.uses("account_administrator"), "\(plan)")
        }
    }

    @Test(arguments: Engine.allCases) func `sessions that have ended are not read to list or limit the live ones`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            for sql in [AccountStore.surplusSessions(of: "a"), AccountStore.sessions(of: "a", Self.now)] {
                let plan = try await QueryPlan(sql, on: home.database)
                #expect(plan.uses("session_live") && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `inserts look nothing up`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine, tables: nil) { home in
            for sql in Self.inserting {
                let plan = try await QueryPlan(sql, on: home.database)
                #expect(plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test(arguments: Engine.allCases) func `rows that break a rule of the schema are refused`(_ engine: Engine) async throws {
        let broken: [SQL] = [
            "INSERT INTO account (id, email, created_at) VALUES ('', 'a@x', 1)",
            "INSERT INTO account (id, email, created_at) VALUES ('a', 'x', 1)",
            "INSERT INTO account (id, name, created_at) VALUES ('a', '', 1)",
            "INSERT INTO account (id, is_admin, created_at) VALUES ('a', 2, 1)",
            "INSERT INTO session (id, account, created_at, last_used_at, expires_at) VALUES ('s', 'nobody', 1, 1, 2)",
            "INSERT INTO session (id, account, created_at, last_used_at, expires_at) VALUES ('s', 'a', 1, 1, 1)",
            "INSERT INTO refresh_token (hash, session, created_at, expires_at) VALUES ('short', 's', 1, 2)",
            "INSERT INTO invitation (hash, created_at, expires_at) VALUES ('short', 1, 2)",
            "INSERT INTO password_reset (id, hash, account, created_at, expires_at) VALUES ('r', 'short', 'a', 1, 2)",
            "INSERT INTO email_change (id, hash, account, email, created_at, expires_at) VALUES ('c', 'short', 'a', 'b@x', 1, 2)",
            "INSERT INTO registration (id, hash, email, password_hash, created_at, expires_at) VALUES ('r', 'short', 'b@x', 'p', 1, 2)",
            "INSERT INTO signing_key (kid, private_key, created_at, signs_from) VALUES ('k', NULL, 1, 1)",
        ]
        try await AccountsHome.run(engine) { home in
            for sql in broken {
                await #expect(throws: DatabaseError.self) { _ = try await home.database.write { tx in try tx.run(sql) } }
            }
            // Several accounts may have no e-mail address.
            for id in ["a", "b"] {
                _ = try await home.database.write { tx in try tx.run("INSERT INTO account (id, created_at) VALUES (\(id), 1)") }
            }
        }
    }
}
