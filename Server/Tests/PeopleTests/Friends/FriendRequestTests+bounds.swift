import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

/// Repeated requests, events, limits and expiry.
extension FriendRequestTests {
    @Test("a repeat with the same key gets the same answer, and 410 once the request is cancelled", arguments: Engine.allCases)
    func idempotency(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            let first = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": bob.id], as: ada, key: "k1")
            let again = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": bob.id], as: ada, key: "k1")
            #expect(first.status == 200 && again.status == 200 && again.body == first.body)
            #expect(again.header("Idempotency-Replayed") == "true")
            let other = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": eve.id], as: ada, key: "k1")
            #expect(other.status == 422)
            let request = try first.decodeCoves(SendFriendRequestResponse.self).request?.id ?? ""
            #expect(try await server.cancel(request, as: ada) == 200)
            let gone = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": bob.id], as: ada, key: "k1")
            #expect(gone.status == 410)
            // A refused request leaves its key free.
            let refused = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [ada.id]], as: ada, key: "k2")
            #expect(refused.status == 400)
            let several = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            let repeated = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            #expect(several.status == 200 && repeated.body == several.body)
            #expect(try await Self.counts(of: bob, server) == [0, 1])
            // Bob's block deletes one of the two requests, and Ada's cancellation deletes the other one. Only then is the repeat 410.
            #expect(try await server.sendJSON("POST", "/block", ["userId": ada.id], as: bob).status == 200)
            let half = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            #expect(half.status == 200)
            let ids = try several.decodeCoves(FriendRequestIdsResponse.self).requestIds
            #expect(try await server.cancel(ids[1], as: ada) == 200)
            let none = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            #expect(none.status == 410)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("the recipient is told of a request, both of a friendship, and nobody of anything else", arguments: Engine.allCases)
    func events(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            let first = try await server.requestFriend(bob, as: ada)
            #expect(try await server.resolve(first, accept: true, as: bob) == 200)
            let friendship = try await server.send("GET", "/friends", as: ada).decodeCoves(FriendList.self).friends[0].friendshipId
            let second = try await server.requestFriend(eve, as: ada)
            #expect(try await server.cancel(second, as: ada) == 200)
            let third = try await server.requestFriend(eve, as: ada)
            #expect(try await server.resolve(third, accept: false, as: eve) == 200)
            #expect(try await server.sendJSON("POST", "/remove-friend", ["friendshipId": friendship], as: bob).status == 200)
            #expect(try await server.sendJSON("POST", "/block", ["userId": ada.id], as: bob).status == 200)
            func received(_ person: Person) async throws -> [String] {
                try await server.liveEvents("", as: person).map { event in
                    event.type + " " + event.data.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
                }
            }
            #expect(try await received(ada) == ["friend.accepted friendshipId=\(friendship)"])
            #expect(try await received(bob) == ["friend.requested requestId=\(first)", "friend.accepted friendshipId=\(friendship)"])
            #expect(try await received(eve) == ["friend.requested requestId=\(second)", "friend.requested requestId=\(third)"])
        }
    }

    @Test(
        "sending and cancelling again and again notifies the recipient ten times a day; later requests are still stored",
        arguments: Engine.allCases)
    func notifiedAgain(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            func received(_ person: Person) async throws -> [String] {
                try await server.liveEvents("friend.requested", as: person).compactMap { $0.data["requestId"] }
            }
            var requests: [String] = []
            for _ in 0...NotifiedPeople.maxForPerson {
                if let last = requests.last { #expect(try await server.cancel(last, as: ada) == 200) }
                requests.append(try await server.requestFriend(bob, as: ada))
            }
            let first = Array(requests.dropLast())
            #expect(try await received(bob) == first)
            let list = try await server.send("GET", "/friend-requests", as: bob)
            #expect(requests.count == 11 && list.text.contains(requests[10]), "\(list.text)")
            // Ada's requests still notify other people, and other people's requests still notify Bob.
            _ = try await server.requestFriend(eve, as: ada)
            #expect(try await received(eve).count == 1)
            let other = try await server.requestFriend(bob, as: eve)
            #expect(try await received(bob) == first + [other])

            let notices = server.backend.features[PeopleFeature.self].notices
            func rows() async throws -> Int {
                try await server.backend.database.read { tx in try tx.rows("SELECT account FROM sent_notice").count }
            }
            try await notices.sweep()
            #expect(try await rows() == 2)
            server.clock.advance(by: .days(1))
            try await notices.sweep()
            #expect(try await rows() == 0)
            // The access tokens have expired, so the people sign in again.
            let (sender, recipient, _) = try await Self.people(server)
            #expect(try await server.cancel(requests[10], as: sender) == 200)
            let next = try await server.requestFriend(recipient, as: sender)
            #expect(try await received(recipient) == first + [other, next])
        }
    }

    @Test("a sender causes at most 2,000 notifications a day, whoever the recipients are")
    func notifiedPeople() {
        var notified = NotifiedPeople(bytes: [])
        let isCounted = (0..<NotifiedPeople.maxDaily).map { notified.add("person \($0 / 4)") }
        #expect(!isCounted.contains(false) && notified.bytes.count == 16_000)
        var again = NotifiedPeople(bytes: notified.bytes)
        let isCountedAgain = ["person 0", "somebody else"].map { again.add($0) }
        #expect(isCountedAgain == [false, false] && again == notified)
    }

    @Test("of many recipients of one call, each is told once, the later ones by a job", arguments: Engine.allCases)
    func manyNotified(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let ids = try await server.insertAccounts(FriendRules.maxRecipients)
            let sent = try await server.sendJSON("POST", "/friend-request", ["toUserIds": ids], as: ada)
            let requests = try sent.decodeCoves(FriendRequestIdsResponse.self).requestIds
            #expect(requests.count == ids.count)
            func received() async throws -> [String: String] {
                let rows = try await server.backend.database.read { tx in
                    try tx.rows("SELECT account, payload FROM event WHERE kind = 'friend.requested' ORDER BY account, seq").map {
                        (try $0.get("account", as: String.self), try $0.get("payload", as: String.self))
                    }
                }
                #expect(Set(rows.map(\.0)).count == rows.count, "somebody was told twice")
                return Dictionary(rows) { first, _ in first }
            }
            try await eventually { try await received().count == ids.count }
            let expected = zip(ids, requests).map { ($0, "{\"requestId\":\"\($1)\"}") }
            #expect(try await received() == Dictionary(uniqueKeysWithValues: expected))
        }
    }

    @Test("a person has at most 1,000 pending requests and 5,000 friends", arguments: Engine.allCases)
    func bounds(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            _ = try await server.insertAccounts(FriendRules.maxFriends)
            let (pending, friends) = (FriendRules.maxPending - 1, FriendRules.maxFriends - 1)
            try await server.backend.database.write { tx in
                try tx.run(
                    """
                    INSERT INTO friend_request (id, sender, recipient, created_at, status)
                    SELECT 'r' || id, \(ada.id), id, 1, 'PENDING' FROM account WHERE id LIKE 'many-%' ORDER BY id LIMIT \(pending)
                    """)
                try tx.run(
                    """
                    INSERT INTO friendship (id, account, friend, created_at)
                    SELECT 'f' || id, \(bob.id), id, 1 FROM account WHERE id LIKE 'many-%' ORDER BY id LIMIT \(friends)
                    """)
            }
            let two = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada)
            #expect(two.status == 409 && two.text.contains("1000"), "\(two.text)")
            let last = try await server.requestFriend(bob, as: ada)
            #expect(try await server.sendJSON("POST", "/send-friend-request", ["recipientId": eve.id], as: ada).status == 409)
            // The limit does not apply to a crossing request, which is never pending.
            let crossed = try await server.requestFriend(ada, as: eve)
            _ = try await server.requestFriend(eve, as: ada)
            #expect(try await server.resolve(crossed, accept: true, as: ada) == 200)

            let early = try await server.requestFriend(bob, as: eve)
            #expect(try await server.resolve(last, accept: true, as: bob) == 200)
            let full = try await server.sendJSON("POST", "/friend-request/resolve", ["requestId": early, "accept": true], as: bob)
            #expect(full.status == 409 && full.text.contains("5000"), "\(full.text)")
            let crossing = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": eve.id], as: bob)
            #expect(crossing.status == 409)
            #expect(try await server.resolve(early, accept: false, as: bob) == 200)
            // The request is also refused when it is the sender, not the recipient, who has too many friends.
            let dan = try await server.person("dan")
            let late = try await server.requestFriend(dan, as: bob)
            #expect(try await server.resolve(late, accept: true, as: dan) == 409)
        }
    }

    @Test("a resolved request is forgotten after 90 days, a pending one is not", arguments: Engine.allCases)
    func lifetime(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            let rejected = try await server.requestFriend(bob, as: ada)
            #expect(try await server.resolve(rejected, accept: false, as: bob) == 200)
            let pending = try await server.requestFriend(eve, as: ada)
            let store = server.backend.features[PeopleFeature.self].friends.store
            server.clock.advance(by: .days(90))
            try await store.sweep()
            func kept() async throws -> [String] {
                try await server.backend.database.read { tx in
                    try tx.rows("SELECT id FROM friend_request ORDER BY created_at, id").map { try $0.get("id") }
                }
            }
            #expect(try await Set(kept()) == [rejected, pending])
            server.clock.advance(by: .seconds(1))
            try await store.sweep()
            #expect(try await kept() == [pending])
        }
    }
}
