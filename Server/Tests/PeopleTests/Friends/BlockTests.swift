import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Blocks")
struct BlockTests {
    typealias Person = TestServer.Person

    private static func value(_ text: String) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    private func post(_ path: String, _ person: String, _ server: TestServer, as viewer: Person) async throws -> TestServer.Answer {
        try await server.sendJSON("POST", path, ["userId": person], as: viewer)
    }

    private func stats(of person: Person, _ server: TestServer) async throws -> ProfileStats {
        try await server.profile(as: person).decodeCoves(ProfileResponse.self).profile.stats
    }

    @Test("a block ends the friendship and the requests of the two and hides them from each other", arguments: Engine.allCases)
    func block(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            try await server.onboard("Bob", as: bob)
            try await server.befriend(ada, bob)
            let request = try await server.requestFriend(ada, as: eve)

            let answer = try await post("/block", bob.id, server, as: ada)
            #expect(answer.status == 200)
            #expect(try answer.decode(JSONValue.self) == Self.value(#"{"message":"You have blocked this person."}"#))
            let again = try await post("/block", " \(bob.id) ", server, as: ada)
            #expect(again.status == 200 && again.body == answer.body)
            #expect(try await post("/block", eve.id, server, as: ada).status == 200)
            #expect(try await server.resolve(request, accept: true, as: ada) == 404)
            for person in [ada, bob, eve] {
                #expect(try await stats(of: person, server) == ProfileStats(friendCount: 0, requestCount: 0, coveCount: 0))
                for list in ["/friends", "/friend-requests", "/sent-friend-requests"] {
                    #expect(try await server.send("GET", list, as: person).text.contains("[]"), "\(list)")
                }
            }
            for (one, other) in [(ada, bob), (bob, ada)] {
                let sent = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": other.id], as: one)
                #expect(sent.status == 404)
                #expect(try await server.profile(of: other, as: one).status == 404)
            }
            let list = try await server.send("GET", "/blocks?limit=1", as: ada)
            let first = try list.decodeCoves(BlockList.self)
            #expect(first.pagination.hasMore)
            let cursor = try #require(first.pagination.nextCursor)
            let rest = try await server.send("GET", "/blocks?cursor=\(cursor)", as: ada).decodeCoves(BlockList.self)
            #expect(Set((first.blocks + rest.blocks).map(\.id)) == [bob.id, eve.id] && rest.blocks.count == 1)
            #expect(try await server.send("GET", "/blocks", as: bob).decodeCoves(BlockList.self).blocks.isEmpty)

            let unblocked = try await post("/unblock", eve.id, server, as: ada)
            #expect(unblocked.status == 200)
            #expect(try unblocked.decode(JSONValue.self) == Self.value(#"{"message":"You do not block this person any more."}"#))
            let one = try await server.send("GET", "/blocks", as: ada)
            #expect(
                try one.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"blocks":[{"id":"\(bob.id)","name":"Bob","createdAt":"2026-06-01T12:00:00.000Z"}],
                        "pagination":{"hasMore":false,"nextCursor":null}}
                        """), "\(one.text)")
            // Unblocking does not restore what the block ended, but a new friendship can begin.
            #expect(try await post("/unblock", bob.id, server, as: ada).status == 200)
            #expect(try await server.send("GET", "/friends", as: ada).decodeCoves(FriendList.self).friends.isEmpty)
            try await server.befriend(bob, ada)
            #expect(try await stats(of: ada, server).friendCount == 1)
        }
    }

    private func listed(_ server: TestServer, as viewer: Person) async throws -> [String] {
        try await server.send("GET", "/blocks", as: viewer).decodeCoves(BlockList.self).blocks.map { "\($0.id) \($0.name)" }
    }

    @Test("the caller can block somebody who has blocked the caller, and each ends only their own block", arguments: Engine.allCases)
    func mutual(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            try await server.onboard("Bob", as: bob)
            #expect(try await post("/block", ada.id, server, as: bob).status == 200)
            // The response never tells that the account exists.
            let unknown = try await post("/block", "nobody", server, as: ada)
            for path in ["/unblock", "/block", "/block", "/unblock", "/block"] {
                let answer = try await post(path, bob.id, server, as: ada)
                #expect(answer.status == 404 && answer.body == unknown.body, "\(path)")
                #expect(try await listed(server, as: ada) == [])
            }
            #expect(try await post("/unblock", ada.id, server, as: bob).status == 200)
            #expect(try await listed(server, as: ada) == ["\(bob.id) Bob"])
            #expect(try await server.profile(of: ada, as: bob).status == 404)
            #expect(try await post("/unblock", bob.id, server, as: ada).status == 200)
            #expect(try await server.profile(of: ada, as: bob).status == 200)
        }
    }

    @Test("a block that the response hides does not count against the caller's 10,000", arguments: Engine.allCases)
    func unlistedCount(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            try await fill(BlockRules.maxBlocks - 1, of: ada, server)
            #expect(try await post("/block", ada.id, server, as: bob).status == 200)
            #expect(try await post("/block", bob.id, server, as: ada).status == 404)
            #expect(try await post("/block", eve.id, server, as: ada).status == 200)
            // The responses equal those about an unknown account, also when no further block is allowed.
            #expect(try await post("/unblock", bob.id, server, as: ada).status == 404)
            #expect(try await post("/block", bob.id, server, as: ada).status == 404)
        }
    }

    @Test("the list shows the name that a person had when the caller blocked them", arguments: Engine.allCases)
    func names(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            let kim = try await server.person("kim")
            try await server.onboard("Bob", as: bob)
            try await server.onboard("Eve", as: eve)
            // This block is like one from a release whose blocks had no names.
            try await server.block(eve, by: ada)
            for person in [bob, kim] { #expect(try await post("/block", person.id, server, as: ada).status == 200) }
            for (name, person) in [("Robert", bob), ("Evelyn", eve), ("Kim", kim)] {
                let id = person.id
                try await server.backend.database.write { tx in
                    try tx.run("UPDATE profile SET name = \(name) WHERE account = \(id)")
                }
            }
            #expect(try await Set(listed(server, as: ada)) == ["\(bob.id) Bob", "\(eve.id) Evelyn", "\(kim.id) "])
            // Bob and Eve block Ada, who has blocked them. The responses do not tell them that she exists, but the blocks are stored.
            for person in [bob, eve] { #expect(try await post("/block", ada.id, server, as: person).status == 404) }
            #expect(try await Set(listed(server, as: ada)) == ["\(bob.id) Bob", "\(kim.id) "])
            #expect(try await post("/block", bob.id, server, as: ada).status == 200)
        }
    }

    /// Inserts accounts, and the blocker's blocks of them.
    private func fill(_ count: Int, of blocker: Person, _ server: TestServer) async throws {
        _ = try await server.insertAccounts(count)
        try await server.backend.database.write { tx in
            try tx.run(
                """
                INSERT INTO block (id, blocker, blocked, created_at)
                SELECT 'b' || id, \(blocker.id), id, 1 FROM account WHERE id LIKE 'many-%'
                """)
        }
    }

    @Test(
        "oneself, nobody and a hidden account cannot be blocked; a block of one that was hidden later can end", arguments: Engine.allCases)
    func refused(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            for path in ["/block", "/unblock"] {
                for (id, status) in [(ada.id, 400), ("", 400), ("nobody", 404), (String(repeating: "x", count: 129), 400)] {
                    let answer = try await post(path, id, server, as: ada)
                    #expect(answer.status == status && answer.header("Error-Field") == "userId", "\(path) \(id)")
                    #expect(try Set(answer.json().keys) == ["message"])
                }
                #expect(try await server.sendJSON("POST", path, [:], as: ada).status == 400)
                #expect(try await server.sendJSON("POST", path, ["userId": 1], as: ada).status == 400)
            }
            // Unblocking somebody who is not blocked is not an error.
            #expect(try await post("/unblock", bob.id, server, as: ada).status == 200)
            #expect(try await post("/block", bob.id, server, as: ada).status == 200)
            for person in [bob, eve] { try await server.hide(person) }
            #expect(try await post("/block", eve.id, server, as: ada).status == 404)
            #expect(try await post("/unblock", eve.id, server, as: ada).status == 404)
            #expect(try await post("/unblock", bob.id, server, as: ada).status == 200)
            #expect(try await post("/unblock", bob.id, server, as: ada).status == 404)
            for (query, status) in [("limit=0", 400), ("limit=x", 400), ("limit=51", 200), ("cursor=x", 400), ("cursor=\(bob.id)", 400)] {
                #expect(try await server.send("GET", "/blocks?\(query)", as: ada).status == status, "\(query)")
            }
        }
    }

    @Test("a person can block at most 10,000 people", arguments: Engine.allCases)
    func bound(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            try await fill(BlockRules.maxBlocks - 1, of: ada, server)
            #expect(try await post("/block", bob.id, server, as: ada).status == 200)
            #expect(try await post("/block", bob.id, server, as: ada).status == 200)
            let refused = try await post("/block", eve.id, server, as: ada)
            #expect(refused.status == 409 && refused.text.contains("10000"), "\(refused.text)")
        }
    }
}
