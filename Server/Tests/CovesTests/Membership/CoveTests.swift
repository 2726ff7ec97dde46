import Accounts
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Database
@testable import FeatureTestKit
@testable import keepsake

@Suite("Coves")
struct CoveTests {
    @Test("a cove's life: what each route answers, to the key", arguments: StoragePair.allCases)
    func golden(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let start = EventHome.start
            let made = try await home.post(
                "/create-cove",
                [
                    "name": " Book club ", "description": " We read. ", "location": "Library", "id": "mine", "creator": bob.id, "role": "x",
                    "memberCount": 9,
                ], as: ada)
            #expect(made.status == 200)
            let id = try #require((made.json()["cove"] as? [String: Any])?["id"] as? String)
            let fields = #""id":"\#(id)","name":"Book club","description":"We read.","location":"Library","createdAt":"\#(start)""#
            let created = #"{"message":"The cove was created.","cove":{\#(fields)}}"#
            #expect(try made.decode(JSONValue.self) == EventHome.value(created), "\(made.text)")

            let read = try await server.send("GET", "/cove?coveId=\(id)", as: ada)
            let details = """
                {"cove":{\(fields),"creator":{"id":"\(ada.id)","name":"Ada"},"coverPhoto":null,
                "stats":{"memberCount":1,"eventCount":0},"joining":"id","role":"ADMIN","isCreator":true}}
                """
            #expect(try read.decode(JSONValue.self) == EventHome.value(details), "\(read.text)")

            server.clock.advance(by: .seconds(5))
            let joined = try await home.post("/join-cove", ["coveId": id, "role": "ADMIN"], as: bob)
            let member = try #require((joined.json()["member"] as? [String: Any])?["id"] as? String)
            let later = "2026-06-01T12:00:05.000Z"
            func membership(_ message: String, _ role: String) -> String {
                """
                {"message":"\(message)",
                "member":{"id":"\(member)","coveId":"\(id)","userId":"\(bob.id)","role":"\(role)","joinedAt":"\(later)"}}
                """
            }
            #expect(
                try joined.decode(JSONValue.self) == EventHome.value(membership("You have joined the cove.", "MEMBER")), "\(joined.text)")

            let list = try await server.send("GET", "/cove-members?coveId=\(id)", as: bob)
            let members = """
                {"members":[{"id":"\(bob.id)","name":"Bob","profilePhotoUrl":null,"role":"MEMBER","joinedAt":"\(later)"},
                {"id":"\(ada.id)","name":"Ada","profilePhotoUrl":null,"role":"ADMIN","joinedAt":"\(start)"}],
                "pagination":{"hasMore":false,"nextCursor":null}}
                """
            #expect(try list.decode(JSONValue.self) == EventHome.value(members), "\(list.text)")
            let own = try await server.send("GET", "/user-coves", as: bob)
            let coves = """
                {"coves":[{"id":"\(home.cove)","name":"Chess club","coverPhoto":null},{"id":"\(id)","name":"Book club","coverPhoto":null}]}
                """
            #expect(try own.decode(JSONValue.self) == EventHome.value(coves), "\(own.text)")

            let role = try await home.post("/cove-role", ["coveId": id, "userId": bob.id, "role": "ADMIN"], as: ada)
            #expect(try role.decode(JSONValue.self) == EventHome.value(membership("The role was changed.", "ADMIN")), "\(role.text)")
            let edited = try await home.post(
                "/edit-cove", ["coveId": id, "name": "Poets", "description": NSNull(), "joining": "invite"], as: bob)
            let changed = created.replacing("The cove was created.", with: "The cove was changed.")
                .replacing(#""Book club""#, with: #""Poets""#).replacing(#""We read.""#, with: "null")
            #expect(try edited.decode(JSONValue.self) == EventHome.value(changed), "\(edited.text)")
            #expect(try await home.details(id).joining == .invite)

            let removed = try await home.post("/remove-member", ["coveId": id, "userId": bob.id], as: ada)
            #expect(removed.text == #"{"message":"The member was removed."}"#)
            #expect(try await home.details(id).stats.memberCount == 1)
            let left = try await home.post("/leave-cove", ["coveId": home.cove], as: bob)
            #expect(left.text == #"{"message":"You have left the cove."}"#)
            let deleted = try await home.post("/delete-cove", ["coveId": id], as: ada)
            #expect(deleted.text == #"{"message":"The cove was deleted."}"#)
            #expect(try await home.coves(of: ada) == [home.cove])
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    // MARK: Refusals

    /// Every route that is about one cove, as an ADMIN would call it.
    private static func requests(_ cove: String) -> [(method: String, path: String, body: [String: Any]?)] {
        [
            ("GET", "/cove?coveId=\(cove)", nil), ("GET", "/cove-members?coveId=\(cove)", nil),
            ("GET", "/sent-invites?coveId=\(cove)", nil), ("POST", "/leave-cove", ["coveId": cove]),
            ("POST", "/edit-cove", ["coveId": cove, "name": "x"]), ("POST", "/delete-cove", ["coveId": cove]),
            ("POST", "/remove-member", ["coveId": cove, "userId": "somebody"]),
            ("POST", "/cove-role", ["coveId": cove, "userId": "somebody", "role": "ADMIN"]),
            ("POST", "/send-invite", ["coveId": cove, "phoneNumbers": ["+14155552671"]]),
        ]
    }

    /// Every route of the feature that is not about one cove.
    private static var others: [(method: String, path: String, body: [String: Any]?)] {
        [
            ("POST", "/create-cove", ["name": "x", "location": "y"]), ("GET", "/user-coves", nil), ("GET", "/invites", nil),
            ("POST", "/join-cove", ["coveId": "x"]), ("PUT", "/open-invite", ["inviteId": "x"]),
            ("DELETE", "/reject-invite", ["inviteId": "x"]), ("DELETE", "/cancel-invite", ["inviteId": "x"]),
            ("GET", "/sent-invites", nil), ("GET", "/recommended-friends", nil),
        ]
    }

    private static func statuses(
        _ requests: [(method: String, path: String, body: [String: Any]?)], as person: TestServer.Person?, _ server: TestServer
    ) async throws -> Set<String> {
        var statuses: Set<String> = []
        for (method, path, body) in requests {
            let answer =
                if let body {
                    try await server.sendJSON(method, path, body, as: person)
                } else {
                    try await server.send(method, path, as: person)
                }
            statuses.insert("\(answer.status) \(path.prefix { $0 != "?" })")
            if answer.status != 200 { #expect(try Set(answer.json().keys) == ["message"], "\(path): \(answer.text)") }
            // All 404 of these requests are about the cove that they name.
            if answer.status == 404 { #expect(answer.header("Error-Field") == "coveId", "\(path)") }
        }
        return statuses
    }

    private static func all(_ status: Int, _ requests: [(method: String, path: String, body: [String: Any]?)]) -> Set<String> {
        Set(requests.map { "\(status) \($0.path.prefix { $0 != "?" })" })
    }

    @Test(
        "strangers and former members get 403, unknown and ended coves 404, wrong methods 405, closed accounts 401, suspended ones 403",
        arguments: StoragePair.allCases)
    func refusals(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            let requests = Self.requests(home.cove)
            #expect(try await Self.statuses(requests, as: eve, server) == Self.all(403, requests))
            let everything = requests + Self.others
            #expect(try await Self.statuses(everything, as: nil, server) == Self.all(401, everything))
            for (method, path, _) in everything where method != "GET" {
                let answer = try await server.send("PATCH", path, as: ada)
                #expect(answer.status == 405 && answer.header("Allow")?.contains(method) == true, "\(path)")
            }
            for (method, path, _) in everything where method == "GET" {
                #expect(try await server.send("POST", path, as: ada).status == 405, "\(path)")
            }
            // Bob left, Zoe was removed.
            let zoe = try await home.member("zoe")
            try await home.leave(bob)
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": zoe.id], as: ada).status == 200)
            for person in [bob, zoe] { #expect(try await Self.statuses(requests, as: person, server) == Self.all(403, requests)) }
            for id in ["unknown", String(repeating: "x", count: 128)] {
                let unknown = Self.requests(id)
                #expect(try await Self.statuses(unknown, as: ada, server) == Self.all(404, unknown))
                let joined = try await home.post("/join-cove", ["coveId": id], as: eve)
                #expect(joined.status == 404 && joined.header("Error-Field") == "coveId")
            }
            #expect(try await home.post("/delete-cove", ["coveId": home.cove], as: ada).status == 200)
            for person in [ada, bob, eve] {
                #expect(try await Self.statuses(requests, as: person, server) == Self.all(404, requests))
                #expect(try await home.post("/join-cove", ["coveId": home.cove], as: person).status == 404)
            }
            try await server.suspend(bob.id)
            #expect(try await Self.statuses(everything, as: bob, server) == Self.all(403, everything))
            try await home.close(eve)
            #expect(try await Self.statuses(everything, as: eve, server) == Self.all(401, everything))
        }
    }

    @Test("a body that is incomplete or out of range is 400, and the message names the field", arguments: StoragePair.allCases)
    func invalid(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let cove = home.cove
            let long = String(repeating: "x", count: 5_001)
            let samples: [(String, [String: Any], String)] = [
                ("/create-cove", ["location": "y"], "name"), ("/create-cove", ["name": "x"], "location"),
                ("/create-cove", ["name": " ", "location": "y"], "name"),
                ("/create-cove", ["name": String(repeating: "x", count: 101), "location": "y"], "name"),
                ("/create-cove", ["name": "x", "location": String(repeating: "y", count: 201)], "location"),
                ("/create-cove", ["name": "x", "location": "y", "description": long], "description"),
                ("/create-cove", ["name": "x\u{0}", "location": "y"], "name"), ("/create-cove", ["name": 5, "location": "y"], "name"),
                ("/create-cove", ["name": "x", "location": "y", "coverPhoto": 5], "coverPhoto"),
                ("/create-cove", ["name": "x", "location": "y", "coverPhoto": Data("text".utf8).base64EncodedString()], "picture"),
                ("/edit-cove", ["name": "x"], "coveId"), ("/edit-cove", ["coveId": cove, "name": NSNull()], "name"),
                ("/edit-cove", ["coveId": cove, "location": NSNull()], "location"),
                ("/edit-cove", ["coveId": cove, "joining": "nobody"], "joining"), ("/join-cove", [:], "coveId"),
                ("/join-cove", ["coveId": ""], "coveId"), ("/join-cove", ["coveId": "a\u{0}b"], "coveId"),
                ("/join-cove", ["coveId": String(repeating: "x", count: 129)], "coveId"), ("/leave-cove", [:], "coveId"),
                ("/delete-cove", ["coveId": 7], "coveId"), ("/remove-member", ["coveId": cove], "userId"),
                ("/remove-member", ["coveId": cove, "userId": home.ada.id], "leave-cove"),
                ("/cove-role", ["coveId": cove, "userId": home.bob.id, "role": "OWNER"], "role"),
                ("/cove-role", ["coveId": cove, "userId": home.bob.id], "role"),
                ("/send-invite", ["coveId": cove], "phoneNumbers"),
                ("/send-invite", ["coveId": cove, "phoneNumbers": [String]()], "phone"),
                ("/send-invite", ["coveId": cove, "phoneNumbers": Array(repeating: "+14155552671", count: 201)], "phone"),
                ("/send-invite", ["coveId": cove, "phoneNumbers": ["+14155552671"], "message": String(long.prefix(501))], "message"),
            ]
            for (path, body, word) in samples {
                let answer = try await home.post(path, body, as: home.ada)
                #expect(answer.status == 400 && answer.text.contains(word), "\(path) \(body.keys): \(answer.text.prefix(200))")
            }
            for (path, word) in [
                ("/cove", "coveId"), ("/cove?coveId=", "coveId"), ("/cove-members", "coveId"),
                ("/cove-members?coveId=\(cove)&limit=0", "limit"), ("/cove-members?coveId=\(cove)&limit=many", "limit"),
                ("/cove-members?coveId=\(cove)&cursor=AAAA", "cursor"), ("/recommended-friends?limit=-1", "limit"),
                ("/recommended-friends?cursor=\(home.eve.id)", "cursor"), ("/sent-invites?cursor=x", "cursor"),
            ] {
                let answer = try await home.server.send("GET", path, as: home.ada)
                #expect(answer.status == 400 && answer.text.contains(word), "\(path): \(answer.text)")
            }
            #expect(try await home.details().name == "Chess club")
            #expect(try await home.roll() == ["Bob", "Ada*"])
        }
    }

    @Test("a member may not do what only ADMINs may, and an ADMIN not what only the creator may", arguments: StoragePair.allCases)
    func rights(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (cove, ada, bob) = (home.cove, home.ada, home.bob)
            let zoe = try await home.member("zoe")
            let forAdmins: [(String, [String: Any])] = [
                ("/edit-cove", ["coveId": cove, "name": "Ours"]), ("/send-invite", ["coveId": cove, "phoneNumbers": ["+14155552671"]]),
                ("/remove-member", ["coveId": cove, "userId": zoe.id]),
            ]
            let forCreator: [(String, [String: Any])] = [
                ("/cove-role", ["coveId": cove, "userId": bob.id, "role": "MEMBER"]), ("/delete-cove", ["coveId": cove]),
            ]
            for (path, body) in forAdmins + forCreator { #expect(try await home.post(path, body, as: bob).status == 403, "\(path)") }
            try await home.setRole("ADMIN", of: bob)
            for (path, body) in forCreator { #expect(try await home.post(path, body, as: bob).status == 403, "\(path)") }
            #expect(try await home.post("/remove-member", ["coveId": cove, "userId": ada.id], as: bob).status == 403)
            for (path, body) in forAdmins { #expect(try await home.post(path, body, as: bob).status == 200, "\(path)") }
            // White space around an id does not count.
            #expect(try await home.post("/edit-cove", ["coveId": " \(cove)\n", "name": "Ours"], as: bob).status == 200)
            #expect(try await home.roll() == ["Bob*", "Ada*"])
            // Somebody who is not a member has no role.
            #expect(try await home.post("/remove-member", ["coveId": cove, "userId": zoe.id], as: bob).status == 404)
            let role = try await home.post("/cove-role", ["coveId": cove, "userId": home.eve.id, "role": "ADMIN"], as: ada)
            #expect(role.status == 404)

            // A creator who leaves loses the creator's rights, and does not get them back by joining again.
            try await home.leave(ada)
            try await home.join(ada)
            #expect(try await home.details(as: bob).creator == CoveDetails.Creator(id: ada.id, name: "Ada"))
            let back = try await home.details()
            #expect(back.role == .member && !back.isCreator)
            for (path, body) in forAdmins + forCreator { #expect(try await home.post(path, body, as: ada).status == 403, "\(path)") }
            #expect(try await home.post("/remove-member", ["coveId": cove, "userId": ada.id], as: bob).status == 200)
        }
    }

    @Test("only verified users create coves", arguments: StoragePair.allCases)
    func verified(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.features[AccountsFeature.verify] = .phone
        } _: { server in
            let ada = try await server.person()
            let body = ["name": "x", "location": "y"]
            let refused = try await server.sendJSON("POST", "/create-cove", body, as: ada)
            #expect(refused.status == 403 && refused.text.contains("verified"), "\(refused.text)")
            // The text says what to do.
            #expect(refused.text.contains("a phone number or with Apple"), "\(refused.text)")
            try await server.setPhone("+14155550100", of: ada)
            #expect(try await server.sendJSON("POST", "/create-cove", body, as: ada).status == 200)
        }
    }

    // MARK: Covers and keys

    @Test(
        "a cover is stored with its cove, replaced with its file, and disappears with it from the library", arguments: StoragePair.allCases)
    func covers(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let sent = try Fixture.data("palette.png")
            let picture = sent.base64EncodedString()
            func files(of person: TestServer.Person) async throws -> [String] {
                try await server.send("GET", server.moments(person, "multimedia"), as: person).decode(MediaListResponse.self).files.map(
                    \.fileId)
            }
            #expect(try await home.edit(["coverPhoto": "data:image/png;base64," + picture]).status == 200)
            let first = try #require(try await home.details(as: bob).coverPhoto)
            #expect(try await server.send("GET", first.url).body == sent)
            #expect(try await files(of: ada) == [first.id])
            let summary = try await server.send("GET", "/user-coves", as: bob).decodeCoves(UserCoves.self).coves[0]
            #expect(summary.coverPhoto == first)

            // Another ADMIN's cover is that ADMIN's file. The old file is erased from its owner's library.
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.edit(["coverPhoto": picture], as: bob).status == 200)
            let second = try #require(try await home.details().coverPhoto)
            let (adas, bobs) = (try await files(of: ada), try await files(of: bob))
            #expect(second.id != first.id && adas.isEmpty && bobs == [second.id])
            #expect(try await server.send("GET", first.url).status == 404)
            // A change without `coverPhoto` keeps the cover. A new cover of the same owner replaces it.
            #expect(try await home.edit(["name": "Chess"]).status == 200)
            #expect(try await home.details().coverPhoto?.id == second.id)
            #expect(try await home.edit(["coverPhoto": picture], as: bob).status == 200)
            let third = try #require(try await home.details().coverPhoto)
            #expect(try await files(of: bob) == [third.id])
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }

            // A picture that is deleted from the library is not a cover any more.
            #expect(try await server.send("DELETE", server.moments(bob, "multimedia/\(third.id)"), as: bob).status == 200)
            #expect(try await home.details().coverPhoto == nil)
            #expect(try await home.edit(["coverPhoto": picture]).status == 200)
            #expect(try await home.edit(["coverPhoto": NSNull()]).status == 200)
            #expect(try await home.details().coverPhoto == nil)
            #expect(try await files(of: ada).isEmpty)
            // The cover is deleted with its cove.
            #expect(try await home.edit(["coverPhoto": picture]).status == 200)
            let last = try #require(try await home.details().coverPhoto)
            #expect(try await home.post("/delete-cove", ["coveId": home.cove], as: ada).status == 200)
            #expect(try await server.send("GET", last.url).status == 404)
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("creations repeat their first answer, and are 410 once what they created is gone", arguments: StoragePair.allCases)
    func idempotency(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, eve) = (home.server, home.ada, home.eve)
            let picture = try Fixture.data("palette.png").base64EncodedString()
            let body = ["name": "x", "location": "y", "coverPhoto": picture]
            let first = try await home.post("/create-cove", body, as: ada, key: "k1")
            let again = try await home.post("/create-cove", body, as: ada, key: "k1")
            #expect(first.status == 200 && first.text == again.text && again.header("Idempotency-Replayed") == "true")
            #expect(try await home.coves(of: ada).count == 2)
            #expect(try await home.post("/create-cove", ["name": "z", "location": "y"], as: ada, key: "k1").status == 422)
            let id = try #require((first.json()["cove"] as? [String: Any])?["id"] as? String)
            #expect(try await home.post("/delete-cove", ["coveId": id], as: ada).status == 200)
            #expect(try await home.post("/create-cove", body, as: ada, key: "k1").status == 410)

            let joined = try await home.post("/join-cove", ["coveId": home.cove], as: eve, key: "k2")
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: eve, key: "k2").text == joined.text)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: eve, key: "k3").status == 409)
            try await home.leave(eve)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: eve, key: "k2").status == 410)

            try await server.setPhone("+14155550100", of: ada)
            let numbers = ["coveId": home.cove, "phoneNumbers": ["(415) 555-2671"]] as [String: Any]
            let invited = try await home.post("/send-invite", numbers, as: ada, key: "k4")
            #expect(invited.status == 200)
            #expect(try await home.post("/send-invite", numbers, as: ada, key: "k4").text == invited.text)
            let invites = try await server.send("GET", "/sent-invites", as: ada).decodeCoves(SentInvitesPage.self).invites
            #expect(invites.map(\.phone) == ["+14155552671"])
            let cancelled = try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": invites[0].id], as: ada)
            #expect(cancelled.status == 200)
            #expect(try await home.post("/send-invite", numbers, as: ada, key: "k4").status == 410)
            for person in [ada, eve] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("members are told who joins and leaves; who has blocked the person is not told", arguments: StoragePair.allCases)
    func live(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            try await server.block(eve, by: bob)
            try await home.join(eve)
            let event = #"{"coveId":"\#(home.cove)","userId":"\#(eve.id)"}"#
            #expect(try await home.received(ada, "cove.joined").last == "cove.joined " + event)
            #expect(try await home.received(eve, "cove.joined") == ["cove.joined " + event])
            #expect(try await !home.received(bob).contains("cove.joined " + event))
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": eve.id], as: ada).status == 200)
            for person in [ada, eve] { #expect(try await home.received(person, "cove.left") == ["cove.left " + event]) }
            #expect(try await home.received(bob, "cove.left").isEmpty)
            #expect(try await home.post("/delete-cove", ["coveId": home.cove], as: ada).status == 200)
            for person in [ada, bob] {
                #expect(try await home.received(person, "cove.ended") == [#"cove.ended {"coveId":"\#(home.cove)"}"#])
            }
            #expect(try await home.received(eve, "cove.ended").isEmpty)
        }
    }
}
