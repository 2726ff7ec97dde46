import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Sessions", .blocksThreads)
struct SessionsTests {
    private static let json = ("Content-Type", "application/json")

    private func register(_ server: TestServer, _ name: String, agent: String? = nil) async throws -> SignedIn {
        try await signIn(server, "register", name, agent)
    }

    private func logIn(_ server: TestServer, _ name: String, agent: String? = nil) async throws -> SignedIn {
        try await signIn(server, "login", name, agent)
    }

    private func signIn(_ server: TestServer, _ verb: String, _ name: String, _ agent: String?) async throws -> SignedIn {
        let answer = try await server.send(
            "POST", "/auth/password/\(verb)", headers: [Self.json] + (agent.map { [("User-Agent", $0)] } ?? []),
            body: Data(#"{"email":"\#(name)@example.org","password":"correct horse"}"#.utf8))
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(SignedIn.self, from: answer.body)
    }

    private func person(_ signedIn: SignedIn) -> TestServer.Person {
        TestServer.Person(id: signedIn.user.id, token: signedIn.token.accessToken)
    }

    private func list(_ server: TestServer, _ person: TestServer.Person? = nil, headers: [(String, String)] = []) async throws
        -> [SessionList.Session]
    {
        let answer = try await server.send("GET", "/auth/sessions", as: person, headers: headers)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(SessionList.self, from: answer.body).sessions
    }

    private func refresh(_ server: TestServer, _ token: String) async throws -> TestServer.Answer {
        try await server.send(
            "POST", "/auth/refresh", headers: [Self.json], body: Data(#"{"refresh_token":"\#(token)"}"#.utf8))
    }

    @Test(arguments: Engine.allCases)
    func `the list says how and by what somebody came in, newest first, and which one asks`(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let phone = try await register(server, "ada", agent: "Moments/3.1 (iPhone; iOS 18)")
            server.clock.advance(by: .minutes(1))
            let tablet = try await logIn(server, "ada", agent: String(repeating: "x", count: 300))
            server.clock.advance(by: .minutes(1))
            let tool = try await server.person("ada")
            _ = try await register(server, "eve")
            let answer = try await server.send("GET", "/auth/sessions", as: person(phone))
            let sessions = try await list(server, person(phone))
            #expect(sessions.map(\.method) == ["tool", "password", "password"])
            #expect(sessions.map(\.userAgent) == [nil, String(repeating: "x", count: 256), "Moments/3.1 (iPhone; iOS 18)"])
            #expect(sessions.map(\.isCurrent) == [false, false, true])
            #expect(sessions[2].expiresAt == sessions[2].createdAt + 30 * 86_400)
            #expect(try await list(server, tool).map(\.isCurrent) == [true, false, false])
            #expect(try await list(server, person(tablet)).map(\.id) == sessions.map(\.id))
            // The list must not contain tokens, their hashes or the account's other columns.
            let rows = try #require(answer.json()["sessions"] as? [[String: Any]])
            #expect(
                rows.allSatisfy {
                    Set($0.keys) == ["id", "method", "user_agent", "created_at", "last_used_at", "expires_at", "is_current", "cookies"]
                })
            #expect(rows[0]["user_agent"] is NSNull)
            #expect((rows[0]["created_at"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
            #expect(try await server.send("GET", "/auth/sessions").status == 401)
        }
    }

    @Test(arguments: Engine.allCases)
    func `one that is ended is worth nothing, the others stay, and ending it twice is 404`(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (phone, tablet) = (try await register(server, "ada"), try await logIn(server, "ada"))
            let cookie = try #require(
                try await server.send("POST", "/auth/session", as: person(tablet)).json()["cookie"] as? String)
            let lost = try #require(try await list(server, person(tablet)).first { $0.isCurrent })
            let ended = try await server.send("DELETE", "/auth/sessions/\(lost.id)", as: person(phone))
            #expect(ended.status == 200 && ended.text == "{}")
            #expect(ended.header("Set-Cookie") == nil)
            #expect(try await server.send("GET", "/user/me", as: person(tablet)).status == 401)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", cookie)]).status == 401)
            #expect(try await refresh(server, tablet.token.refreshToken).status == 401)
            #expect(try await list(server, person(phone)).map(\.isCurrent) == [true])
            #expect(try await refresh(server, phone.token.refreshToken).status == 200)
            #expect(try await server.send("DELETE", "/auth/sessions/\(lost.id)", as: person(phone)).status == 404)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a stranger's session is answered word for word like one that never was, and goes on`(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let hers = try #require(try await list(server, ada).first)
            let strange = try await server.send("DELETE", "/auth/sessions/\(hers.id)", as: eve)
            let unknown = try await server.send("DELETE", "/auth/sessions/nothing", as: eve)
            #expect(strange.status == 404 && unknown.status == 404)
            #expect(try strange.json() as? [String: String] == unknown.json() as? [String: String])
            #expect(try strange.json().count == 2)
            #expect(try await server.send("DELETE", "/auth/sessions/\(hers.id)").status == 401)
            #expect(try await server.send("DELETE", "/auth/sessions", as: eve).json()["ended"] as? Int == 1)
            #expect(try await list(server, ada) == [hers])
        }
    }

    @Test(arguments: Engine.allCases)
    func `signing out everywhere ends all, or all but the one that asks`(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let phone = try await register(server, "ada")
            for _ in 0..<3 { _ = try await logIn(server, "ada") }
            let others = try await server.send("DELETE", "/auth/sessions?keep_current=true", as: person(phone))
            #expect(others.text == #"{"ended":3}"#)
            #expect(try await list(server, person(phone)).count == 1)
            #expect(try await server.send("DELETE", "/auth/sessions?keep_current=maybe", as: person(phone)).status == 400)
            let tablet = try await logIn(server, "ada")
            let cookie = try #require(
                try await server.send("POST", "/auth/session", as: person(tablet)).json()["cookie"] as? String)
            let all = try await server.send("DELETE", "/auth/sessions?keep_current=false", headers: [("Cookie", cookie)])
            #expect(all.text == #"{"ended":2}"#)
            #expect(all.header("Set-Cookie")?.contains("Max-Age=0") == true)
            for one in [phone, tablet] {
                #expect(try await server.send("GET", "/user/me", as: person(one)).status == 401)
                #expect(try await refresh(server, one.token.refreshToken).status == 401)
            }
            _ = try await logIn(server, "ada")
        }
    }

    @Test func `sessions that are over are not shown, and a cookie's use is noted by the hour`() async throws {
        try await TestServer.run(.sqlite) { server in
            let phone = try await register(server, "ada")
            let cookie = try #require(
                try await server.send("POST", "/auth/session", as: person(phone)).json()["cookie"] as? String)
            let began = server.clock.now
            func lastUse() async throws -> Date? { try await list(server, headers: [("Cookie", cookie)]).first?.lastUsedAt }
            server.clock.advance(by: .minutes(59))
            #expect(try await lastUse() == began.date)
            server.clock.advance(by: .minutes(1))
            #expect(try await lastUse() == (began + .hours(1)).date)
            server.clock.advance(by: .days(29))
            let tablet = try await logIn(server, "ada")
            #expect(try await list(server, person(tablet)).count == 2)
            server.clock.advance(by: .days(1) - .seconds(1))
            let fresh = try await logIn(server, "ada")
            #expect(try await list(server, person(fresh)).count == 2)
        }
    }

    @Test func `on a second node the tokens are refused at once and the sockets closed, of those sessions alone`() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            // The second node must learn from a notification that sessions have ended, so its periodic check is set to one hour.
            try await TestServer.run(.postgres, on: stores, clock: clock, { $0.sockets.look = .hours(1) }) { two in
                let (phone, tablet, third) = (try await one.person(), try await one.person(), try await two.person())
                func socket(_ person: TestServer.Person) throws -> WebSocketClient {
                    try WebSocketClient(port: two.port, path: "/ws/events", headers: [person.bearer])
                }
                let (lost, kept, gone) = (try socket(phone), try socket(tablet), try socket(third))
                // The second node verifies and caches these tokens.
                for person in [phone, tablet, third] { #expect(try await two.send("GET", "/user/me", as: person).status == 200) }
                let id = try #require(try await list(two, phone).first { $0.isCurrent }?.id)
                #expect(try await one.send("DELETE", "/auth/sessions/\(id)", as: tablet).status == 200)
                #expect(try await two.send("GET", "/user/me", as: phone).status == 401)
                #expect(try lost.nextClose().closeCode == 1_008)
                let others = try await one.send("DELETE", "/auth/sessions?keep_current=true", as: tablet)
                #expect(others.text == #"{"ended":1}"#)
                #expect(try await two.send("GET", "/user/me", as: third).status == 401)
                #expect(try gone.nextClose().closeCode == 1_008)
                #expect(try await two.send("GET", "/user/me", as: tablet).status == 200)
                try kept.close()
                #expect(try kept.nextClose().closeCode == 1_000)
            }
        }
    }

    @Test func `what a program says of itself is kept without what would garble a list`() {
        #expect(SessionOrigin(.password, userAgent: "Safari\u{1B}[31m/\u{202E}18").userAgent == "Safari[31m/18")
        #expect(SessionOrigin(.password, userAgent: "").userAgent == nil)
        #expect(SessionOrigin(.password, userAgent: " \u{200B}\u{7}").userAgent == nil)
        #expect(SessionOrigin(.password, userAgent: String(repeating: "é", count: 300)).userAgent?.unicodeScalars.count == 256)
    }
}
