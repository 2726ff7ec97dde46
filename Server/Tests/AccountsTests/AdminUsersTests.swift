import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("The operator's routes for accounts")
struct AdminUsersTests {
    private static let actions = ["suspend", "restore", "verify", "unverify", "promote", "demote"]

    private func list(_ server: TestServer, _ query: String = "", as person: TestServer.Person) async throws -> AdminUserList {
        let answer = try await server.send("GET", "/admin/users\(query)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(AdminUserList.self, from: answer.body)
    }

    @Test("only administrators may use these routes, whether the account exists or not", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve, admin) = (try await server.person(), try await server.person("eve"), try await server.administrator())
            let routes = [("GET", "/admin/users")] + Self.actions.map { ("POST", "/admin/users/\(ada.id)/\($0)") }
            for (method, path) in routes {
                #expect(try await server.send(method, path).status == 401, "\(path)")
                let refused = try await server.send(method, path, as: eve)
                #expect(refused.status == 403, "\(path)")
                #expect(try refused.json()["error"] as? String == "forbidden", "\(path)")
                let wrong = try await server.send(method == "GET" ? "POST" : "GET", path, as: admin)
                #expect(wrong.status == 405, "\(path)")
            }
            for action in Self.actions {
                #expect(try await server.send("POST", "/admin/users/nobody/\(action)", as: eve).status == 403)
                let unknown = try await server.send("POST", "/admin/users/nobody/\(action)", as: admin)
                #expect(unknown.status == 404)
                #expect(try Set(unknown.json().keys) == ["error", "message"])
            }
            for action in ["suspend", "demote"] {
                let own = try await server.send("POST", "/admin/users/\(admin.id)/\(action)", as: admin)
                #expect(own.status == 409, "\(own.text)")
            }
            #expect(try await server.send("GET", "/user/me", as: admin).status == 200)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            for action in Self.actions {
                #expect(try await server.send("POST", "/admin/users/\(ada.id)/\(action)", as: admin).status == 404, "closed: \(action)")
            }
            for query in ["?limit=0", "?limit=101", "?limit=x", "?cursor=x", "?query=\(String(repeating: "a", count: 255))"] {
                #expect(try await server.send("GET", "/admin/users\(query)", as: admin).status == 400, "\(query)")
            }
            #expect(try await server.send("GET", "/admin/nothing", as: admin).status == 404)
        }
    }

    @Test("an administrator who is suspended, or has lost the right, may not use them", arguments: Engine.allCases)
    func demoted(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (one, two) = (try await server.administrator(), try await server.administrator("deputy"))
            #expect(try await server.send("POST", "/admin/users/\(two.id)/suspend", as: one).status == 200)
            let refused = try await server.send("POST", "/admin/users/\(one.id)/suspend", as: two)
            #expect(try refused.json()["error"] as? String == "suspended")
            #expect(try await server.send("POST", "/admin/users/\(two.id)/restore", as: one).status == 200)
            try await server.backend.database.write { tx in try tx.run("UPDATE account SET is_admin = 0 WHERE id = \(two.id)") }
            #expect(try await server.send("GET", "/admin/users", as: two).status == 403)
        }
    }

    @Test("each action answers with the account, in exactly these keys, and again when it is repeated", arguments: Engine.allCases)
    func golden(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            try await server.setPhone("+4915123456789", of: ada)
            func act(_ action: String) async throws -> [String: Any] {
                let answer = try await server.send("POST", "/admin/users/\(ada.id)/\(action)", as: admin)
                #expect(answer.status == 200, "\(answer.text)")
                return try answer.json()
            }
            func at(_ json: [String: Any], _ key: String) -> String? { json[key] as? String }
            let now = WireDate.format(microseconds: server.clock.now.microseconds, .microseconds)
            let suspended = try await act("suspend")
            #expect(
                Set(suspended.keys) == ["id", "name", "email", "phone", "created_at", "suspended_at", "verified_at", "is_admin", "usage"])
            #expect(at(suspended, "id") == ada.id && at(suspended, "email") == "ada@example.org" && suspended["name"] is NSNull)
            #expect(at(suspended, "phone") == "+4915123456789" && suspended["is_admin"] as? Bool == false)
            #expect(at(suspended, "suspended_at") == now && at(suspended, "created_at") == now && suspended["verified_at"] is NSNull)
            server.clock.advance(by: .minutes(1))
            #expect(try await at(act("suspend"), "suspended_at") == now, "the first time stays")
            #expect(try await server.send("GET", "/user/me", as: ada).status == 403)
            #expect(try await act("restore")["suspended_at"] is NSNull)
            #expect(try await act("restore")["suspended_at"] is NSNull)
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
            let later = WireDate.format(microseconds: server.clock.now.microseconds, .microseconds)
            #expect(try await at(act("verify"), "verified_at") == later)
            server.clock.advance(by: .minutes(1))
            #expect(try await at(act("verify"), "verified_at") == later)
            #expect(try await act("unverify")["verified_at"] is NSNull)
            let page = try await server.send("GET", "/admin/users?limit=1", as: admin).json()
            #expect(Set(page.keys) == ["users", "next_cursor"] && page["next_cursor"] is String)
            #expect(((page["users"] as? [[String: Any]])?.first).map { Set($0.keys) } == Set(suspended.keys))
        }
    }

    @Test("the list is paged, newest first; each account that stays is shown once, and closed ones are not", arguments: Engine.allCases)
    func paging(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let admin = try await server.administrator()
            var people: [TestServer.Person] = []
            for number in 0..<7 {
                // Some accounts are created at the same time.
                if number.isMultiple(of: 2) { server.clock.advance(by: .seconds(1)) }
                people.append(try await server.person("person-\(number)"))
            }
            #expect(try await server.send("POST", "/auth/delete", as: people[3]).status == 200)
            var shown: [AdminUser] = []
            var cursor: String?
            var pages = 0
            repeat {
                let page = try await list(server, "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""), as: admin)
                #expect(page.users.count <= 2)
                shown += page.users
                cursor = page.nextCursor
                pages += 1
                if pages == 1 { _ = try await server.person("newcomer") }
            } while cursor != nil
            let expected = Set(people.map(\.id)).subtracting([people[3].id]).union([admin.id])
            #expect(Set(shown.map(\.id)) == expected && shown.count == expected.count && pages == 4)
            let times = shown.map(\.createdAt)
            #expect(times == times.sorted(by: >))
            let first = try #require(try await list(server, "?limit=2", as: admin).nextCursor)
            let deputy = try await server.administrator("deputy")
            #expect(
                try await server.send("GET", "/admin/users?cursor=\(first)", as: deputy).status == 400, "another administrator's cursor")
            #expect(try await server.send("GET", "/admin/users?query=p&cursor=\(first)", as: admin).status == 400, "another list's")
        }
    }

    @Test("a query finds an id, a phone number and the beginning of an e-mail address", arguments: Engine.allCases)
    func searching(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let admin = try await server.administrator()
            let names = ["ada", "adam", "adele", "eve"]
            var people: [String: TestServer.Person] = [:]
            for name in names { people[name] = try await server.person(name) }
            let ada = try #require(people["ada"])
            try await server.setPhone("+4915123456789", of: ada)
            func found(_ query: String) async throws -> [String?] {
                try await list(server, "?query=\(query)", as: admin).users.map(\.email)
            }
            #expect(try await found(ada.id) == ["ada@example.org"])
            #expect(try await found("%2B49%20151%2023456789") == ["ada@example.org"])
            #expect(try await found("%2B4915100000000") == [])
            #expect(try await found("AD") == ["ada@example.org", "adam@example.org", "adele@example.org"])
            #expect(try await found("ada@") == ["ada@example.org"])
            #expect(try await found("%25") == [])
            #expect(try await found("_da") == [])
            #expect(try await found("eve@example.org") == ["eve@example.org"])
            var shown: [String?] = []
            var cursor: String?
            repeat {
                let page = try await list(server, "?query=ad&limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""), as: admin)
                shown += page.users.map(\.email)
                cursor = page.nextCursor
            } while cursor != nil
            #expect(shown == ["ada@example.org", "adam@example.org", "adele@example.org"])
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            #expect(try await found(ada.id) == [])
        }
    }

    @Test("each change is logged with who did it to whom")
    func logged() async throws {
        let lines = LogLines()
        let ids = try await TestServer.run(.sqlite, logger: lines.logger) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            for action in Self.actions { _ = try await server.send("POST", "/admin/users/\(ada.id)/\(action)", as: admin) }
            _ = try await server.send("POST", "/admin/users/\(admin.id)/suspend", as: admin)
            return [ada.id, admin.id]
        }
        let logged = lines.of("an administrator changed an account")
        #expect(logged.compactMap { $0["action"] } == Self.actions)
        #expect(logged.allSatisfy { $0["account"] == ids[0] && $0["administrator"] == ids[1] && $0["changed"] == "true" })
    }
}
