import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite struct SignOutTests {
    @Test(arguments: Engine.allCases) func `both tokens of the session are worth nothing from that moment, and other sessions stay`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let phone = try await home.signUp()
            let tablet = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: "correct horse"))
            let rotated = try await home.refresh(phone.token)
            _ = try await home.feature.signOut(try await home.viewer(phone.token))
            for token in [phone.token, rotated] {
                #expect(await problem { try await home.viewer(token) }?.kind == .unauthenticated)
                #expect(await problem { try await home.refresh(token) }?.kind == .unauthenticated)
            }
            #expect(try await home.viewer(tablet.token).accountID == phone.user.id)
            _ = try await home.refresh(tablet.token)
        }
    }

    @Test(arguments: Engine.allCases) func `signing out twice, or with a credential that is not ours, does no harm`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let viewer = try await home.viewer(signedIn.token)
            _ = try await home.feature.signOut(Viewer(accountID: viewer.accountID, sessionID: nil, isAdmin: false))
            #expect(try await home.viewer(signedIn.token) == viewer)
            _ = try await home.feature.signOut(viewer)
            home.clock.advance(by: .minutes(1))
            _ = try await home.feature.signOut(viewer)
            let endedAt = (home.clock.now - .minutes(1)).microseconds
            #expect(try await home.count("SELECT ended_at AS n FROM session") == Int(endedAt))
        }
    }

    @Test(arguments: Engine.allCases) func `nobody ends somebody else's session`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let ada = try await home.signUp("ada@x")
            let eve = try await home.signUp("eve@x")
            let stolen = Viewer(accountID: eve.user.id, sessionID: try await home.viewer(ada.token).sessionID, isAdmin: false)
            _ = try await home.feature.signOut(stolen)
            _ = try await home.viewer(ada.token)
        }
    }

    @Test(arguments: Engine.allCases) func `a session that the end of its account has missed keeps no socket open`(_ engine: Engine)
        async throws
    {
        try await AccountsHome.run(engine) { home in
            let viewer = try await home.viewer(try await home.signUp().token)
            #expect(try await home.feature.live([viewer]) == [viewer])
            // Leaves the rows as they are on PostgreSQL when one write inserts the session while another one closes the account.
            let now = home.clock.now
            try await home.database.run("UPDATE account SET closed_at = \(now) WHERE id = \(viewer.accountID)")
            #expect(try await home.feature.live([viewer]).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `a sign-out that races refreshes wins`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            for round in 0..<8 {
                let signedIn = try await home.signUp("racer\(round)@x")
                let viewer = try await home.viewer(signedIn.token)
                let tokens = await withTaskGroup(of: AuthToken?.self) { group in
                    for _ in 0..<4 { group.addTask { try? await home.refresh(signedIn.token) } }
                    group.addTask {
                        _ = try? await home.feature.signOut(viewer)
                        return nil
                    }
                    return await group.reduce(into: [signedIn.token]) { if let token = $1 { $0.append(token) } }
                }
                for token in tokens {
                    #expect(await problem { try await home.viewer(token) }?.kind == .unauthenticated)
                    #expect(await problem { try await home.refresh(token) }?.kind == .unauthenticated)
                }
            }
        }
    }
}
