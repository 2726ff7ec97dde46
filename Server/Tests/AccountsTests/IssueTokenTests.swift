import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

@Suite struct IssueTokenTests {
    @Test(arguments: Engine.allCases) func `a token for a new address makes its account, without a password`(_ engine: Engine) async throws
    {
        try await AccountsHome.run(engine, registration: .closed) { home in
            let issued = try await home.feature.issueToken(email: " Ops@Example.org", isAdmin: true)
            let viewer = try await home.feature.viewer(bearer: issued.accessToken)
            #expect(viewer == Viewer(accountID: issued.userID, sessionID: viewer.sessionID, isAdmin: true))
            let me = try await home.feature.readMe(viewer)
            #expect(me.email == "ops@example.org" && me.name == nil)
            let next = try await home.feature.refresh(RefreshInput(refreshToken: issued.refreshToken))
            #expect(try await home.viewer(next) == viewer)
        }
    }

    @Test(arguments: Engine.allCases) func `an account that is there stays as it is, and may become an admin's but not the reverse`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let ada = try await home.signUp(name: "Ada")
            let plain = try await home.feature.issueToken(email: "ada@example.org", isAdmin: false)
            #expect(plain.userID == ada.user.id)
            #expect(try await !home.feature.viewer(bearer: plain.accessToken).isAdmin)
            let admin = try await home.feature.issueToken(email: "ADA@example.org", isAdmin: true)
            #expect(try await home.feature.viewer(bearer: admin.accessToken).isAdmin)
            let again = try await home.feature.issueToken(email: "ada@example.org", isAdmin: false)
            #expect(try await home.feature.viewer(bearer: again.accessToken).isAdmin)
            let signedIn = try await home.feature.logIn(LoginInput(email: "ada@example.org", password: "correct horse"))
            #expect(signedIn.user == ada.user)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM account") == 1)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session") == 5)
        }
    }

    @Test(arguments: Engine.allCases) func `it works beside a running server`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { server in
            let ada = try await server.signUp()
            let issued = try await server.another { try await $0.feature.issueToken(email: "ada@example.org", isAdmin: false) }
            #expect(try await server.feature.viewer(bearer: issued.accessToken).accountID == ada.user.id)
        }
    }

    @Test(arguments: Engine.allCases) func `its line of JSON is the contract's`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            home.clock.advance(by: .microseconds(7))
            let issued = try await home.feature.issueToken(email: "ada@example.org", isAdmin: false)
            #expect(
                try issued.json() == """
                    {"access_token":"\(issued.accessToken)","expires_at":"2026-06-01T13:00:00.000000Z",\
                    "refresh_token":"\(issued.refreshToken)","user_id":"\(issued.userID)"}
                    """)
        }
    }

    @Test(arguments: Engine.allCases) func `what is not an address is refused`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            #expect(await problem { try await home.feature.issueToken(email: "ops", isAdmin: false) }?.field == "email")
        }
    }
}
