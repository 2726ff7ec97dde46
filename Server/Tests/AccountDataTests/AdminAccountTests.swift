import Accounts
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import AccountData
@testable import FeatureTestKit
@testable import keepsake

@Suite("What the operator does to one account")
struct AdminAccountTests {
    private static let megabyte = 1_048_576

    private func page(_ server: TestServer, of person: TestServer.Person, as admin: TestServer.Person) async throws -> AdminUserPage {
        let answer = try await server.send("GET", "/admin/users/\(person.id)", as: admin)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(AdminUserPage.self, from: answer.body)
    }

    private func setQuota(
        _ server: TestServer, _ json: String, of account: String, as admin: TestServer.Person?
    ) async throws -> TestServer.Answer {
        try await server.send(
            "POST", "/admin/users/\(account)/quota", as: admin, headers: [("Content-Type", "application/json")], body: Data(json.utf8))
    }

    /// Uploads a photo of 28 KB. Each `number` makes another file.
    private func photo(_ server: TestServer, _ number: UInt8, as person: TestServer.Person) async throws -> TestServer.Answer {
        try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg") + [number]), as: person)
    }

    @Test("the operator's list of accounts continues after any of them, newest first and by e-mail address", arguments: Engine.allCases)
    func continued(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            var people: [String] = []
            for name in ["ada1", "ada2", "ada3"] {
                people.append(try await server.person(name).id)
                server.clock.advance(by: .seconds(1))
            }
            let operations = server.backend.features[AccountDataFeature.self].operations
            for (query, order) in [(nil, people.reversed()), ("ada", people)] as [(String?, [String])] {
                let all = try await operations.find(query, limit: 10).map(\.id)
                #expect(all == order)
                for (index, last) in order.enumerated() {
                    let rest = try await operations.find(query, after: last, limit: 10).map(\.id)
                    #expect(rest == Array(order.dropFirst(index + 1)))
                }
            }
            // The result of a query that names one account has no second page.
            #expect(try await operations.find(people[0], after: people[0], limit: 10).isEmpty)
            await #expect(throws: Problem.self) { _ = try await operations.find(nil, after: "nobody", limit: 10) }
        }
    }

    @Test("only administrators may use these routes, and nobody on their own account", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve, admin) = (try await server.person(), try await server.person("eve"), try await server.administrator())
            for id in [ada.id, "nobody"] {
                for method in ["GET", "DELETE"] {
                    #expect(try await server.send(method, "/admin/users/\(id)").status == 401)
                    #expect(try await server.send(method, "/admin/users/\(id)", as: eve).status == 403)
                }
                #expect(try await setQuota(server, "{}", of: id, as: nil).status == 401)
                #expect(try await setQuota(server, "{}", of: id, as: eve).status == 403)
            }
            for answer in [
                try await server.send("GET", "/admin/users/nobody", as: admin),
                try await server.send("DELETE", "/admin/users/nobody", as: admin),
                try await setQuota(server, #"{"bytes":1}"#, of: "nobody", as: admin),
            ] {
                #expect(answer.status == 404 && answer.text.contains("There is no such account."), "\(answer.text)")
            }
            for json in [#"{"bytes":-1}"#, #"{"bytes":1048576000000001}"#, #"{"bytes":"1"}"#, #"{"bytes":1.5}"#, "[]", "{}", #"{"mb":10}"#]
            {
                #expect(try await setQuota(server, json, of: ada.id, as: admin).status == 400, "\(json)")
            }
            let own = try await server.send("DELETE", "/admin/users/\(admin.id)", as: admin)
            #expect(own.status == 409, "\(own.text)")
            #expect(try await server.send("GET", "/user/me", as: admin).status == 200)
            let before = try await page(server, of: ada, as: admin)
            #expect(before.user.usage.ownQuota == nil && before.user.usage.quota == 10_240 * Self.megabyte)
        }
    }

    @Test("an account's own quota refuses and allows uploads in place of the server's", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            // One photo fits, two do not.
            $0.quotaByteCount = 50_000
        } _: { server in
            let (ada, eve, admin) = (try await server.person(), try await server.person("eve"), try await server.administrator())
            func own(_ bytes: Int?, of person: TestServer.Person) async throws -> AdminUser.Usage {
                let value = bytes.map { "\($0)" } ?? "null"
                let answer = try await setQuota(server, #"{"bytes":\#(value)}"#, of: person.id, as: admin)
                try #require(answer.status == 200, "\(answer.text)")
                return try Surface.capsules.makeDecoder().decode(AdminUser.self, from: answer.body).usage
            }
            // The account has not stored anything yet.
            #expect(try await own(20_000, of: ada) == AdminUser.Usage(files: 0, bytes: 0, quota: 20_000, ownQuota: 20_000))
            let refused = try await photo(server, 1, as: ada)
            #expect(refused.status == 413 && refused.text.contains("Your quota of 0.02 MB does not suffice"), "\(refused.text)")
            #expect(try await photo(server, 1, as: eve).status == 200, "the server's quota holds for others")
            #expect(try await photo(server, 2, as: eve).status == 413)

            #expect(try await own(3 * Self.megabyte, of: ada).quota == 3 * Self.megabyte)
            for number in UInt8(1)...3 { #expect(try await photo(server, number, as: ada).status == 200, "beyond the server's quota") }
            let me = try await server.send("GET", "/user/me", as: ada).json()
            #expect((me["usage"] as? [String: Any])?["quota"] as? Int == 3 * Self.megabyte)

            // The quota is now lower than what is stored. Stored files stay, but no further file fits.
            let lowered = try await own(0, of: ada)
            #expect(lowered.files == 3 && lowered.bytes > 80_000 && lowered.quota == 0 && lowered.ownQuota == 0)
            #expect(try await photo(server, 4, as: ada).status == 413)
            #expect(try await own(nil, of: ada).ownQuota == nil)
            #expect(try await photo(server, 4, as: ada).status == 413, "the server's quota is smaller than what is stored")
            #expect(try await page(server, of: ada, as: admin).user.usage.files == 3)
            _ = try await server.checkedUsage(of: ada)
            let list = try await server.send("GET", "/admin/users?query=eve", as: admin).json()
            let usage = (list["users"] as? [[String: Any]])?.first?["usage"] as? [String: Any]
            #expect(usage.map { Set($0.keys) } == ["files", "bytes", "quota", "own_quota"])
            #expect(usage?["files"] as? Int == 1 && usage?["quota"] as? Int == 50_000 && usage?["own_quota"] is NSNull)
        }
    }

    @Test("the sessions of an account are shown, newest first, without anything that signs in", arguments: Engine.allCases)
    func sessions(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let admin = try await server.administrator()
            let (ada, refresh) = try await server.signUp("ada", name: "Ada")
            server.clock.advance(by: .minutes(1))
            #expect(try await server.logIn("ada").status == 200)
            let answer = try await server.send("GET", "/admin/users/\(ada.id)", as: admin)
            #expect(!answer.text.contains(refresh) && !answer.text.contains("hash"))
            let shown = try await page(server, of: ada, as: admin)
            #expect(shown.sessions.count == 2 && shown.sessions.allSatisfy { $0.method == "password" && !$0.isCurrent })
            #expect(shown.sessions[0].createdAt > shown.sessions[1].createdAt)
            #expect(try await page(server, of: admin, as: admin).sessions.map(\.isCurrent) == [true])
        }
    }

    @Test("an account becomes an administrator's with its next request, and stops being one", arguments: Engine.allCases)
    func promotion(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            func act(_ action: String) async throws -> TestServer.Answer {
                try await server.send("POST", "/admin/users/\(ada.id)/\(action)", as: admin)
            }
            #expect(try await act("promote").json()["is_admin"] as? Bool == true)
            #expect(try await server.send("GET", "/admin/users", as: ada).status == 200)
            #expect(try await act("demote").json()["is_admin"] as? Bool == false)
            #expect(try await server.send("GET", "/admin/users", as: ada).status == 403)
            #expect(try await act("suspend").status == 200)
            #expect(try await act("promote").status == 409)
        }
    }

    @Test("when two administrators demote each other at the same moment, one is left", arguments: Engine.allCases)
    func mutual(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            for round in 0..<4 {
                let (one, two) = (try await server.administrator("one-\(round)"), try await server.administrator("two-\(round)"))
                async let first = server.send("POST", "/admin/users/\(two.id)/demote", as: one)
                async let second = server.send("POST", "/admin/users/\(one.id)/demote", as: two)
                let statuses = try await [first.status, second.status]
                #expect(statuses.sorted() == [200, 403], "\(statuses)")
                var left = 0
                for person in [one, two] where try await server.send("GET", "/admin/users", as: person).status == 200 { left += 1 }
                #expect(left == 1)
            }
        }
    }

    @Test("a deletion by an administrator is that of the owner, also of a suspended account", arguments: StoragePair.allCases)
    func deletion(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve, admin) = (try await server.person(), try await server.person("eve"), try await server.administrator())
            for person in [ada, eve] { #expect(try await photo(server, 1, as: person).status == 200) }
            try await server.suspend(eve.id)
            for person in [ada, eve] {
                let answer = try await server.send("DELETE", "/admin/users/\(person.id)", as: admin)
                #expect(answer.status == 200, "\(answer.text)")
                let json = try answer.json()
                #expect(Set(json.keys) == ["account_id", "deleted_at", "receipt"] && json["account_id"] as? String == person.id)
                #expect(try await server.send("GET", "/user/me", as: person).status == 401)
                #expect(try await server.send("GET", "/admin/users/\(person.id)", as: admin).status == 404)
                #expect(try await server.send("DELETE", "/admin/users/\(person.id)", as: admin).status == 404, "again")
            }
            try await eventually { try await server.storedFileCount() == 0 }
            let rows = try await server.backend.database.read { tx in
                try tx.rows("SELECT id FROM account WHERE id IN (\(ada.id), \(eve.id))").count
            }
            #expect(rows == 0)
        }
    }

    @Test("the log says who did what to which account; a command's line is written by the server", arguments: Engine.allCases)
    func logged(_ engine: Engine) async throws {
        let lines = LogLines()
        try await TestServer.run(engine, logger: lines.logger) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            _ = try await setQuota(server, #"{"bytes":5}"#, of: ada.id, as: admin)
            let feature = server.backend.features[AccountDataFeature.self]
            let shell = Operator.command(user: "root (sudo by ada)")
            _ = try await feature.operations.perform(.promote, on: ada.id, by: shell)
            _ = try await feature.operations.perform(.promote, on: ada.id, by: shell)
            try await feature.quotaOfAccount.set(nil, of: ada.id, by: shell)
            _ = try await server.send("DELETE", "/admin/users/\(ada.id)", as: admin)
            try await eventually { lines.of("a command changed an account").count == 2 }
            let routes = lines.of("an administrator changed an account")
            #expect(routes.compactMap { $0["action"] } == ["quota", "delete"] && routes[0]["bytes"] == "5")
            #expect(routes.allSatisfy { $0["account"] == ada.id && $0["administrator"] == admin.id })
            let commands = lines.of("a command changed an account")
            // The second `promote` changed nothing, so the server logged it only once.
            #expect(Set(commands.compactMap { $0["action"] }) == ["promote", "quota"])
            #expect(commands.allSatisfy { $0["account"] == ada.id && $0["user"] == "root (sudo by ada)" && $0["at"] != nil })
        }
    }

    @Test func `sudo's caller is part of the name`() {
        #expect(SystemUser.name("keepsake", sudoUser: "ada") == "keepsake (sudo by ada)")
        #expect(SystemUser.name("root", sudoUser: "root") == "root" && SystemUser.name("ada", sudoUser: nil) == "ada")
        #expect(SystemUser.name("ada", sudoUser: String(repeating: "x", count: 65)) == "ada")
        #expect(!SystemUser.name.isEmpty)
    }
}
