import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

/// The clock shows 2026-06-01T12:00:00Z unless a test advances it.
private let noon = "2026-06-01T12:00:00.000Z"

@Suite("Friend requests")
struct FriendRequestTests {
    typealias Person = TestServer.Person

    private static func value(_ text: String) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    private static func people(_ server: TestServer) async throws -> (ada: Person, bob: Person, eve: Person) {
        (try await server.person(), try await server.person("bob"), try await server.person("eve"))
    }

    private static func counts(of person: Person, _ server: TestServer) async throws -> [Int] {
        let profile = try await server.profile(as: person).decodeCoves(ProfileResponse.self).profile
        return [profile.stats.friendCount, profile.stats.requestCount]
    }

    // MARK: Answers

    @Test("a request is sent, listed for both, accepted, and the two are friends", arguments: Engine.allCases)
    func accepted(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, _) = try await Self.people(server)
            try await server.onboard("Ada", as: ada)
            // Bob has not onboarded: the published client sends requests before that.
            let picture = try await server.addPhoto("palette.png", isProfilePic: true, as: ada)
                .decodeCoves(PhotoResponse.self).photo.url

            let sent = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": bob.id], as: ada)
            let request = try sent.decodeCoves(SendFriendRequestResponse.self).request?.id ?? ""
            #expect(
                try sent.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"message":"Friend request sent.","request":{"id":"\(request)","senderId":"\(ada.id)","recipientId":"\(bob.id)",
                        "status":"PENDING","createdAt":"\(noon)"}}
                        """))
            let received = try await server.send("GET", "/friend-requests", as: bob)
            #expect(
                try received.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"requests":[{"id":"\(request)","sender":{"id":"\(ada.id)","name":"Ada","profilePhotoUrl":"\(picture)"},
                        "createdAt":"\(noon)"}],"pagination":{"hasMore":false,"nextCursor":null}}
                        """), "\(received.text)")
            let own = try await server.send("GET", "/sent-friend-requests", as: ada)
            #expect(
                try own.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"requests":[{"id":"\(request)","recipient":{"id":"\(bob.id)","name":"","profilePhotoUrl":null},
                        "createdAt":"\(noon)"}],"pagination":{"hasMore":false,"nextCursor":null}}
                        """), "\(own.text)")
            #expect(try await Self.counts(of: ada, server) == [0, 0])
            #expect(try await Self.counts(of: bob, server) == [0, 1])

            server.clock.advance(by: .seconds(60))
            let answer = try await server.sendJSON(
                "POST", "/resolve-friend-request", ["requestId": request, "action": "ACCEPT"], as: bob)
            let friendship = try answer.decodeCoves(ResolveFriendRequestResponse.self).friendship?.id ?? ""
            let later = "2026-06-01T12:01:00.000Z"
            #expect(
                try answer.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"message":"Friend request accepted.","friendship":{"id":"\(friendship)","user1Id":"\(ada.id)",
                        "user2Id":"\(bob.id)","status":"ACCEPTED","createdAt":"\(later)"}}
                        """))
            let friends = try await server.send("GET", "/friends", as: bob)
            #expect(
                try friends.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"friends":[{"id":"\(ada.id)","name":"Ada","profilePhotoUrl":"\(picture)","friendshipId":"\(friendship)",
                        "createdAt":"\(later)"}],"pagination":{"hasMore":false,"nextCursor":null}}
                        """), "\(friends.text)")
            #expect(try await server.send("GET", picture).status == 200)
            let mirrored = try await server.send("GET", "/friends", as: ada).decodeCoves(FriendList.self).friends
            #expect(mirrored.map(\.id) == [bob.id] && mirrored.map(\.friendshipId) == [friendship])
            for person in [ada, bob] {
                #expect(try await Self.counts(of: person, server) == [1, 0])
                for list in ["/friend-requests", "/sent-friend-requests"] {
                    #expect(try await server.send("GET", list, as: person).text.contains(#""requests":[]"#))
                }
            }

            // The same resolution again, in both forms, gets the same answer; the opposite one does not.
            let again = try await server.sendJSON(
                "POST", "/resolve-friend-request", ["requestId": request, "action": "ACCEPT"], as: bob)
            #expect(again.status == 200)
            #expect(try again.decode(JSONValue.self) == answer.decode(JSONValue.self))
            let other = try await server.sendJSON(
                "POST", "/friend-request/resolve", ["requestId": request, "accept": true], as: bob)
            #expect(other.status == 200)
            #expect(try other.decode(JSONValue.self) == Self.value(#"{"message":"Friend request accepted."}"#))
            #expect(try await server.resolve(request, accept: false, as: bob) == 409)
            #expect(try await Self.counts(of: bob, server) == [1, 0])

            let removed = try await server.sendJSON("POST", "/remove-friend", ["friendshipId": friendship], as: ada)
            #expect(removed.status == 200)
            #expect(try removed.decode(JSONValue.self) == Self.value(#"{"message":"Friend removed."}"#))
            for person in [ada, bob] {
                #expect(try await server.send("GET", "/friends", as: person).text.contains(#""friends":[]"#))
                #expect(try await Self.counts(of: person, server) == [0, 0])
            }
            // The request ended with the friendship that it made.
            #expect(try await server.resolve(request, accept: true, as: bob) == 404)
            _ = try await server.requestFriend(ada, as: bob)
        }
    }

    @Test("a rejected request is gone for both, nobody is told, and the sender may ask again", arguments: Engine.allCases)
    func rejected(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, _) = try await Self.people(server)
            let request = try await server.requestFriend(bob, as: ada)
            let answer = try await server.sendJSON(
                "POST", "/resolve-friend-request", ["requestId": request, "action": "REJECT"], as: bob)
            #expect(answer.status == 200)
            // Without the key `friendship`.
            #expect(try answer.decode(JSONValue.self) == Self.value(#"{"message":"Friend request rejected."}"#))
            let again = try await server.sendJSON(
                "POST", "/friend-request/resolve", ["requestId": request, "accept": false], as: bob)
            #expect(again.status == 200)
            #expect(try again.decode(JSONValue.self) == Self.value(#"{"message":"Friend request rejected."}"#))
            #expect(try await server.resolve(request, accept: true, as: bob) == 409)
            #expect(try await Self.counts(of: bob, server) == [0, 0])
            #expect(try await server.send("GET", "/sent-friend-requests", as: ada).text.contains(#""requests":[]"#))
            #expect(try await server.liveEvents("friend.", as: ada).isEmpty)

            let second = try await server.requestFriend(bob, as: ada)
            // The new request replaces the old one.
            #expect(try await server.resolve(request, accept: false, as: bob) == 404)
            #expect(try await server.resolve(second, accept: true, as: bob) == 200)
            #expect(try await Self.counts(of: ada, server) == [1, 0])
        }
    }

    @Test("a request that crosses one the other way makes a friendship at once", arguments: Engine.allCases)
    func crossing(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, _) = try await Self.people(server)
            let first = try await server.requestFriend(bob, as: ada)
            let sent = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": ada.id], as: bob)
            let second = try sent.decodeCoves(SendFriendRequestResponse.self).request?.id ?? ""
            #expect(
                try sent.decode(JSONValue.self)
                    == Self.value(
                        """
                        {"message":"You are friends now.","request":{"id":"\(second)","senderId":"\(bob.id)","recipientId":"\(ada.id)",
                        "status":"ACCEPTED","createdAt":"\(noon)"}}
                        """))
            let friends = try await server.send("GET", "/friends", as: ada).decodeCoves(FriendList.self).friends
            #expect(friends.map(\.id) == [bob.id])
            for person in [ada, bob] { #expect(try await Self.counts(of: person, server) == [1, 0]) }
            // Both requests are accepted now.
            #expect(try await server.resolve(first, accept: true, as: bob) == 200)
            #expect(try await server.resolve(second, accept: true, as: ada) == 200)
            #expect(try await server.resolve(first, accept: false, as: bob) == 409)
            #expect(try await server.resolve(second, accept: false, as: ada) == 409)
            let told = try await server.liveEvents("friend.", as: ada)
            #expect(told.map(\.type) == ["friend.accepted"])
            #expect(told.map(\.data) == [["friendshipId": friends[0].friendshipId]])
        }
    }

    @Test("one call sends requests to several people, or to nobody when one of them fails", arguments: Engine.allCases)
    func several(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            let (dan, fay) = (try await server.person("dan"), try await server.person("fay"))
            _ = try await server.requestFriend(dan, as: ada)
            _ = try await server.requestFriend(ada, as: fay)
            for (path, ids, status) in [
                ("/friend-request", [bob.id, dan.id, eve.id], 409), ("/send-friend-request", [bob.id, "nobody"], 404),
                ("/friend-request", [bob.id, fay.id, ada.id], 400), ("/friend-request", [bob.id, eve.id, bob.id], 400),
            ] {
                let answer = try await server.sendJSON("POST", path, ["toUserIds": ids], as: ada)
                #expect(answer.status == status, "\(answer.text)")
            }
            let nobody = try await server.send("GET", "/sent-friend-requests", as: ada).decodeCoves(SentFriendRequestList.self)
            #expect(nobody.requests.map(\.recipient.id) == [dan.id])
            for person in [bob, eve] {
                #expect(try await server.liveEvents("friend.", as: person).isEmpty)
                #expect(try await Self.counts(of: person, server) == [0, 0])
            }
            #expect(try await Self.counts(of: ada, server) == [0, 1])

            // One of them crosses a request.
            let sent = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [eve.id, fay.id, bob.id]], as: ada)
            let ids = try sent.decodeCoves(FriendRequestIdsResponse.self).requestIds
            #expect(Set(ids).count == 3)
            let listed = ids.map { "\"\($0)\"" }.joined(separator: ",")
            #expect(
                try sent.decode(JSONValue.self) == Self.value("{\"message\":\"Friend requests sent.\",\"requestIds\":[\(listed)]}"))
            #expect(try await server.send("GET", "/friends", as: ada).decodeCoves(FriendList.self).friends.map(\.id) == [fay.id])
            for (person, id) in [(eve, ids[0]), (bob, ids[2])] {
                let received = try await server.send("GET", "/friend-requests", as: person).decodeCoves(FriendRequestList.self)
                #expect(received.requests.map(\.id) == [id])
                #expect(try await server.liveEvents("friend.", as: person).map(\.data) == [["requestId": id]])
            }
            let one = try await server.sendJSON("POST", "/send-friend-request", ["toUserIds": [bob.id]], as: eve)
            let only = try one.decodeCoves(SendFriendRequestResponse.self)
            #expect(only.request == nil && only.requestIds?.count == 1)
            #expect(try Set(one.json().keys) == ["message", "requestIds"])
        }
    }

    // MARK: Refusals

    @Test("a request to oneself, to nobody, to a friend or a second time is refused, and nothing changes", arguments: Engine.allCases)
    func refusedSending(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            try await server.befriend(ada, bob)
            _ = try await server.requestFriend(eve, as: ada)
            let (hidden, closed, blocked, blocker) = (
                try await server.person("hidden"), try await server.person("closed"), try await server.person("blocked"),
                try await server.person("blocker")
            )
            try await server.hide(hidden)
            try await server.closeAccount(of: closed)
            try await server.block(blocked, by: ada)
            try await server.block(ada, by: blocker)
            let long = String(repeating: "x", count: 129)
            let bodies: [([String: any Sendable], Int, String)] = [
                (["recipientId": ada.id], 400, "recipientId"), (["recipientId": ""], 400, "recipientId"),
                (["recipientId": "  "], 400, "recipientId"), (["recipientId": 1], 400, "recipientId"),
                (["recipientId": "a\u{0}"], 400, "recipientId"), (["recipientId": long], 400, "recipientId"), ([:], 400, "recipientId"),
                (["recipientId": eve.id, "toUserIds": [eve.id]], 400, "toUserIds"), (["toUserIds": [String]()], 400, "toUserIds"),
                (["toUserIds": bob.id], 400, "toUserIds"), (["toUserIds": [eve.id, " "]], 400, "toUserIds[1]"),
                (["toUserIds": Array(repeating: "x", count: 201)], 400, "toUserIds"),
                (["recipientId": "nobody"], 404, "no such user"), (["recipientId": hidden.id], 404, "no such user"),
                (["recipientId": closed.id], 404, "no such user"), (["recipientId": blocked.id], 404, "no such user"),
                (["recipientId": blocker.id], 404, "no such user"), (["recipientId": eve.id], 409, "pending"),
                (["recipientId": bob.id], 409, "friends already"),
            ]
            for (body, status, words) in bodies {
                let answer = try await server.sendJSON("POST", "/send-friend-request", body, as: ada)
                #expect(answer.status == status && answer.text.contains(words), "\(body): \(answer.status) \(answer.text)")
                #expect(try Set(answer.json().keys) == ["message"])
            }
            #expect(try await server.sendJSON("POST", "/friend-request", [:], as: ada).status == 400)
            // An id is trimmed.
            let trimmed = try await server.sendJSON("POST", "/send-friend-request", ["recipientId": " \(eve.id) "], as: bob)
            #expect(trimmed.status == 200)
            #expect(try await Self.counts(of: eve, server) == [0, 2])
        }
    }

    @Test("only the recipient resolves a request, and only the sender cancels it", arguments: Engine.allCases)
    func refusedResolving(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob, eve) = try await Self.people(server)
            let request = try await server.requestFriend(bob, as: ada)
            for accept in [true, false] {
                #expect(try await server.resolve(request, accept: accept, as: ada) == 403)
                #expect(try await server.resolve(request, accept: accept, as: eve) == 403)
                #expect(try await server.resolve("nothing", accept: accept, as: bob) == 404)
            }
            #expect(try await server.cancel(request, as: bob) == 403)
            #expect(try await server.cancel(request, as: eve) == 403)
            #expect(try await server.cancel("nothing", as: ada) == 404)
            let bodies: [(String, [String: any Sendable], String)] = [
                ("/resolve-friend-request", ["requestId": request], "action"),
                ("/resolve-friend-request", ["requestId": request, "action": "accept"], "action"),
                ("/resolve-friend-request", ["requestId": request, "action": true], "action"),
                ("/resolve-friend-request", ["action": "ACCEPT"], "requestId"),
                ("/resolve-friend-request", ["requestId": "", "action": "ACCEPT"], "requestId"),
                ("/friend-request/resolve", ["requestId": request], "accept"),
                ("/friend-request/resolve", ["requestId": request, "accept": "yes"], "accept"),
                ("/friend-request/resolve", ["requestId": 5, "accept": true], "requestId"),
                ("/cancel-friend-request", [:], "requestId"), ("/cancel-friend-request", ["requestId": " "], "requestId"),
                ("/remove-friend", [:], "friendshipId"), ("/remove-friend", ["friendshipId": ""], "friendshipId"),
            ]
            for (path, body, words) in bodies {
                let answer = try await server.sendJSON("POST", path, body, as: bob)
                #expect(answer.status == 400 && answer.text.contains(words), "\(path) \(body): \(answer.text)")
            }
            #expect(try await Self.counts(of: bob, server) == [0, 1])

            let cancelled = try await server.sendJSON("POST", "/cancel-friend-request", ["requestId": request], as: ada)
            #expect(cancelled.status == 200)
            #expect(try cancelled.decode(JSONValue.self) == Self.value(#"{"message":"Friend request cancelled."}"#))
            #expect(try await server.cancel(request, as: ada) == 404)
            #expect(try await server.resolve(request, accept: true, as: bob) == 404)
            #expect(try await Self.counts(of: bob, server) == [0, 0])

            let second = try await server.requestFriend(bob, as: ada)
            #expect(try await server.resolve(second, accept: true, as: bob) == 200)
            #expect(try await server.cancel(second, as: ada) == 409)
            let friendship = try await server.send("GET", "/friends", as: ada).decodeCoves(FriendList.self).friends[0].friendshipId
            #expect(try await server.sendJSON("POST", "/remove-friend", ["friendshipId": friendship], as: eve).status == 404)
            #expect(try await server.sendJSON("POST", "/remove-friend", ["friendshipId": "nothing"], as: ada).status == 404)
            #expect(try await Self.counts(of: ada, server) == [1, 0])
        }
    }

    @Test("every route needs a credential and refuses other methods", arguments: Engine.allCases)
    func credentials(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let posts = [
                "/send-friend-request", "/friend-request", "/resolve-friend-request", "/friend-request/resolve",
                "/cancel-friend-request", "/remove-friend", "/block", "/unblock",
            ]
            for path in posts {
                let stranger = try await server.sendJSON("POST", path, ["toUserIds": ["x"]], as: nil)
                #expect(stranger.status == 401, "\(path)")
                #expect(try Set(stranger.json().keys) == ["message"])
                let read = try await server.send("GET", path, as: ada)
                #expect(read.status == 405 && read.header("Allow")?.contains("POST") == true, "\(path)")
            }
            for path in ["/friends", "/friend-requests", "/sent-friend-requests", "/blocks"] {
                #expect(try await server.send("GET", path).status == 401, "\(path)")
                let written = try await server.sendJSON("POST", path, [:], as: ada)
                #expect(written.status == 405, "\(path)")
                #expect(try Set(written.json().keys) == ["message"])
            }
        }
    }

    // MARK: Keys, events, bounds

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
            // A refusal frees its key.
            let refused = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [ada.id]], as: ada, key: "k2")
            #expect(refused.status == 400)
            let several = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            let repeated = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            #expect(several.status == 200 && repeated.body == several.body)
            #expect(try await Self.counts(of: bob, server) == [0, 1])
            // A block by the recipient deletes one of the two requests, the sender's cancellation the other.
            #expect(try await server.sendJSON("POST", "/block", ["userId": ada.id], as: bob).status == 200)
            let half = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            #expect(half.status == 200)
            let ids = try several.decodeCoves(FriendRequestIdsResponse.self).requestIds
            #expect(try await server.cancel(ids[1], as: ada) == 200)
            let none = try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob.id, eve.id]], as: ada, key: "k2")
            #expect(none.status == 410)
            _ = try await server.balancedBooks(of: ada)
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
            func told(_ person: Person) async throws -> [String] {
                try await server.liveEvents("", as: person).map { event in
                    event.type + " " + event.data.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
                }
            }
            #expect(try await told(ada) == ["friend.accepted friendshipId=\(friendship)"])
            #expect(try await told(bob) == ["friend.requested requestId=\(first)", "friend.accepted friendshipId=\(friendship)"])
            #expect(try await told(eve) == ["friend.requested requestId=\(second)", "friend.requested requestId=\(third)"])
        }
    }

    @Test("of many recipients of one call, each is told once, the later ones by a job", arguments: Engine.allCases)
    func manyTold(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let ids = try await server.insertAccounts(FriendRules.maxRecipients)
            let sent = try await server.sendJSON("POST", "/friend-request", ["toUserIds": ids], as: ada)
            let requests = try sent.decodeCoves(FriendRequestIdsResponse.self).requestIds
            #expect(requests.count == ids.count)
            func told() async throws -> [String: String] {
                let rows = try await server.backend.database.read { tx in
                    try tx.rows("SELECT account, payload FROM event WHERE kind = 'friend.requested' ORDER BY account, seq").map {
                        (try $0.get("account", as: String.self), try $0.get("payload", as: String.self))
                    }
                }
                #expect(Set(rows.map(\.0)).count == rows.count, "somebody was told twice")
                return Dictionary(rows) { first, _ in first }
            }
            try await eventually { try await told().count == ids.count }
            let expected = zip(ids, requests).map { ($0, "{\"requestId\":\"\($1)\"}") }
            #expect(try await told() == Dictionary(uniqueKeysWithValues: expected))
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
            // A crossing request is never pending.
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
            // The other one of the two may be the one without room.
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

extension TestServer {
    /// - Returns: the status.
    func resolve(_ request: String, accept: Bool, as person: Person) async throws -> Int {
        try await sendJSON("POST", "/friend-request/resolve", ["requestId": request, "accept": accept], as: person).status
    }

    /// - Returns: the status.
    func cancel(_ request: String, as person: Person) async throws -> Int {
        try await sendJSON("POST", "/cancel-friend-request", ["requestId": request], as: person).status
    }

    /// Inserts accounts that nobody signs in to.
    /// - Returns: their ids: `many-100000`, `many-100001`, …
    func insertAccounts(_ count: Int) async throws -> [String] {
        try await backend.database.write { tx in
            try tx.run(
                """
                WITH RECURSIVE numbers(n) AS (
                    SELECT CAST(100000 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < \(Int64(100_000 + count)))
                INSERT INTO account (id, created_at) SELECT 'many-' || CAST(n AS TEXT), 1 FROM numbers
                """)
        }
        return (0..<count).map { "many-\(100_000 + $0)" }
    }
}
