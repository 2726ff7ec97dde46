import Core
import KeepsakeWire
import TestKit
import Testing

@testable import Database
@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Friends of accounts that others no longer see")
struct FriendHidingTests {
    typealias Person = TestServer.Person

    private func counts(of person: Person, _ server: TestServer) async throws -> [Int] {
        let stats = try await server.profile(as: person).decodeCoves(ProfileResponse.self).profile.stats
        return [stats.friendCount, stats.requestCount]
    }

    @Test("friends of each other who are hidden and shown at the same time keep their counters", arguments: Engine.allCases)
    func together(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            var people: [Person] = []
            for number in 0..<6 {
                let person = try await server.person("p\(number)")
                for friend in people { try await server.befriend(friend, person) }
                people.append(person)
            }
            for _ in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { [people] group in
                    for person in people { group.addTask { try await server.hide(person) } }
                    try await group.waitForAll()
                }
                try await withThrowingTaskGroup(of: Void.self) { [people] group in
                    for person in people { group.addTask { try await server.show(person) } }
                    try await group.waitForAll()
                }
            }
            for person in people { #expect(try await counts(of: person, server) == [5, 0]) }
        }
    }

    @Test(
        "a hidden account leaves counters at once and comes back to them; nothing can be done to it meanwhile", arguments: Engine.allCases)
    func suspension(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve, dan) = (
                try await server.person(), try await server.person("bob"), try await server.person("eve"), try await server.person("dan")
            )
            try await server.befriend(ada, bob)
            server.clock.advance(by: .seconds(1))
            try await server.befriend(ada, eve)
            try await server.befriend(bob, eve)
            let toDan = try await server.requestFriend(dan, as: ada)
            let friends = try await server.send("GET", "/friends", as: bob).decodeCoves(FriendList.self).friends
            #expect(friends.map(\.id) == [eve.id, ada.id])
            let friendship = try #require(friends.last)
            let fay = try await server.person("fay")
            let toAda = try await server.requestFriend(ada, as: fay)
            #expect(try await counts(of: ada, server) == [2, 1])

            try await server.hide(ada)
            // Hiding the account a second time changes nothing.
            try await server.hide(ada)
            #expect(try await counts(of: bob, server) == [1, 0])
            #expect(try await counts(of: eve, server) == [1, 0])
            #expect(try await counts(of: dan, server) == [0, 0])
            #expect(try await server.resolve(toDan, accept: true, as: dan) == 404)
            #expect(try await server.resolve(toDan, accept: false, as: dan) == 404)
            #expect(try await server.cancel(toAda, as: fay) == 404)
            let removed = try await server.sendJSON("POST", "/remove-friend", ["friendshipId": friendship.friendshipId], as: bob)
            #expect(removed.status == 404)
            // Meanwhile another friend of the hidden account is hidden and shown again.
            try await server.hide(eve)
            #expect(try await counts(of: bob, server) == [0, 0])

            try await server.show(ada)
            try await server.show(ada)
            #expect(try await counts(of: ada, server) == [1, 1])
            #expect(try await counts(of: bob, server) == [1, 0])
            #expect(try await counts(of: dan, server) == [0, 1])
            try await server.show(eve)
            #expect(try await counts(of: ada, server) == [2, 1])
            #expect(try await counts(of: bob, server) == [2, 0])
            #expect(try await counts(of: eve, server) == [2, 0])
            #expect(try await server.resolve(toDan, accept: true, as: dan) == 200)
            #expect(try await server.cancel(toAda, as: fay) == 200)
            let found = try await server.send("GET", "/friends", as: bob).decodeCoves(FriendList.self).friends
            #expect(Set(found.map(\.id)) == [ada.id, eve.id])
        }
    }

    @Test("a request in flight of an account that was closed meanwhile changes nothing", arguments: Engine.allCases)
    func closedMeanwhile(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            let request = try await server.requestFriend(bob, as: ada)
            try await server.closeAccount(of: bob)
            let store = server.backend.features[PeopleFeature.self].friends.store
            // Makes the calls that a handler makes after the credential was checked.
            await #expect(throws: Problem.self) { try await store.resolve(request, by: bob.id, accepting: true) }
            let recipient = FriendRules.Recipient(id: ada.id, field: "recipientId")
            await #expect(throws: Problem.self) { try await store.send(to: [recipient], from: bob.id) { _, _ in } }
            #expect(try await counts(of: ada, server) == [0, 0])
        }
    }

    @Test("nothing is left when the account is deleted, and its friends' counters stay right", arguments: Engine.allCases)
    func deletion(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            let (dan, fay) = (try await server.person("dan"), try await server.person("fay"))
            try await server.befriend(ada, bob)
            try await server.befriend(bob, eve)
            _ = try await server.requestFriend(dan, as: ada)
            let kept = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": ada.id], as: fay, key: "k")
            #expect(kept.status == 200)
            for (one, other) in [(ada, eve), (fay, ada)] {
                _ = try await server.sendJSON("POST", "/block", ["userId": other.id], as: one)
            }
            let again = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": dan.id], as: fay, key: "k2")
            #expect(again.status == 200)
            #expect(try await server.sendJSON("POST", "/unblock", ["userId": ada.id], as: fay).status == 200)
            let toAda = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": ada.id], as: fay, key: "k3")
            #expect(toAda.status == 200)
            #expect(try await counts(of: bob, server) == [2, 0])

            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            #expect(try await counts(of: bob, server) == [1, 0])
            #expect(try await counts(of: dan, server) == [0, 1])
            try await server.waitUntilErased(ada.id)
            #expect(try await server.rowCounts(of: ada.id) == [:])
            let left = try await server.backend.database.read { tx in
                try ["friendship WHERE friend", "friend_request WHERE recipient", "block WHERE blocked"].map { place in
                    try tx.rows("SELECT id FROM \(sql: SQL(verbatim: place)) = \(ada.id)").count
                }
            }
            #expect(left == [0, 0, 0])
            #expect(try await counts(of: bob, server) == [1, 0])
            #expect(try await counts(of: dan, server) == [0, 1])
            // The stored response that named a deleted request is deleted too.
            let gone = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": ada.id], as: fay, key: "k3")
            #expect(gone.status == 410)
            _ = try await server.checkedUsage(of: fay)
        }
    }
}
