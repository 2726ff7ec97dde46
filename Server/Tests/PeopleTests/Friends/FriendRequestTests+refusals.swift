import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

/// Who may not send, resolve or cancel a request.
extension FriendRequestTests {
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
}
