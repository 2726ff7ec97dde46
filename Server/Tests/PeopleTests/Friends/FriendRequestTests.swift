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

    static func value(_ text: String) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    static func people(_ server: TestServer) async throws -> (ada: Person, bob: Person, eve: Person) {
        (try await server.person(), try await server.person("bob"), try await server.person("eve"))
    }

    static func counts(of person: Person, _ server: TestServer) async throws -> [Int] {
        let profile = try await server.profile(as: person).decodeCoves(ProfileResponse.self).profile
        return [profile.stats.friendCount, profile.stats.requestCount]
    }

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

            // A repeat of the resolution succeeds in both forms. The opposite resolution is refused.
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
            // The accepted request was deleted together with the friendship.
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
            // The response does not have the key `friendship`.
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
            let events = try await server.liveEvents("friend.", as: ada)
            #expect(events.map(\.type) == ["friend.accepted"])
            #expect(events.map(\.data) == [["friendshipId": friends[0].friendshipId]])
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

            // One of these requests crosses a request from Fay.
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
