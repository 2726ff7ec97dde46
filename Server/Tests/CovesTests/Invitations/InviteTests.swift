import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Database
@testable import FeatureTestKit
@testable import keepsake

@Suite("Invitations to coves")
struct InviteTests {
    private static let eves = "+14155552671"

    @Test("an invitation's life: what each route answers, to the key", arguments: StoragePair.allCases)
    func golden(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            try await server.setPhone("+14155550100", of: ada)
            try await server.setPhone("+14155550101", of: bob)
            try await server.setPhone(Self.eves, of: eve)
            let start = EventHome.start
            // The numbers are written as people write them. The first two are both Eve's.
            let sent = try await home.invite(
                ["(415) 555-2671", "+1 415 555 2671", "415-555-0101", "12", "0044 20 7946 0958"], ["message": " Come! "])
            #expect(sent.status == 200)
            let made = try sent.decodeCoves(SentInvites.self).invites.map(\.id)
            try #require(made.count == 2, "\(sent.text)")
            let expected = """
                {"message":"2 invitations were sent.",
                "invites":[{"id":"\(made[0])","phoneNumber":"(415) 555-2671","createdAt":"\(start)"},
                {"id":"\(made[1])","phoneNumber":"0044 20 7946 0958","createdAt":"\(start)"}],
                "errors":[{"phoneNumber":"+1 415 555 2671","error":"An invitation already exists for this phone number."},
                {"phoneNumber":"415-555-0101","error":"This person is already a member of this cove."},
                {"phoneNumber":"12","error":"This is not a phone number."}]}
                """
            #expect(try sent.decode(JSONValue.self) == EventHome.value(expected), "\(sent.text)")
            let again = try await home.invite([Self.eves])
            #expect(again.text.contains("already exists") && again.text.contains(#""invites":[]"#), "\(again.text)")

            func invite(isOpened: Bool) -> String {
                """
                {"id":"\(made[0])","message":"Come!","createdAt":"\(start)","isOpened":\(isOpened),
                "cove":{"id":"\(home.cove)","name":"Chess club","description":null,"location":"Here","coverPhotoId":null,
                "coverPhotoUrl":null},"sentBy":{"id":"\(ada.id)","name":"Ada","profilePhotoId":null,"profilePhotoUrl":null}}
                """
            }
            let list = try await server.send("GET", "/invites", as: eve)
            #expect(try list.decode(JSONValue.self) == EventHome.value("{\"invites\":[\(invite(isOpened: false))]}"), "\(list.text)")
            let notice = #"cove.invited {"coveId":"\#(home.cove)","inviteId":"\#(made[0])"}"#
            #expect(try await home.received(eve, "cove.invited") == [notice])
            let opened = try await server.sendJSON("PUT", "/open-invite", ["inviteId": made[0]], as: eve)
            let answer = "{\"message\":\"The invitation was opened.\",\"invite\":\(invite(isOpened: true))}"
            #expect(try opened.decode(JSONValue.self) == EventHome.value(answer), "\(opened.text)")

            let sents = try await server.send("GET", "/sent-invites?coveId=\(home.cove)&limit=1", as: ada).decodeCoves(SentInvitesPage.self)
            #expect(sents.invites.count == 1 && sents.pagination.hasMore)
            let whole = try await server.send("GET", "/sent-invites", as: ada)
            let rows = [(made[0], Self.eves, true), (made[1], "+442079460958", false)].sorted { $0.0 > $1.0 }.map {
                #"{"id":"\#($0.0)","phone":"\#($0.1)","createdAt":"\#(start)","isOpened":\#($0.2)}"#
            }
            let page = "{\"invites\":[\(rows.joined(separator: ","))],\"pagination\":{\"hasMore\":false,\"nextCursor\":null}}"
            #expect(try whole.decode(JSONValue.self) == EventHome.value(page), "\(whole.text)")
            #expect(try await server.send("GET", "/sent-invites", as: bob).decodeCoves(SentInvitesPage.self).invites.isEmpty)

            let cancelled = try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": made[1]], as: ada)
            #expect(cancelled.text == #"{"message":"The invitation was cancelled."}"#)
            let rejected = try await server.sendJSON("DELETE", "/reject-invite", ["inviteId": made[0]], as: eve)
            #expect(rejected.text == #"{"message":"The invitation was rejected."}"#)
            #expect(try await home.invites(of: eve).isEmpty)
            // A rejected number can be invited again.
            #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."))
            for person in [ada, eve] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("only the person invited opens and rejects an invitation, and only its sender cancels it", arguments: StoragePair.allCases)
    func others(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            try await server.setPhone(Self.eves, of: eve)
            try await server.setPhone("+14155550101", of: bob)
            try await home.setRole("ADMIN", of: bob)
            let id = try await home.invite([Self.eves]).decodeCoves(SentInvites.self).invites[0].id
            for (method, path, person) in [
                ("PUT", "/open-invite", ada), ("PUT", "/open-invite", bob), ("DELETE", "/reject-invite", ada),
                ("DELETE", "/reject-invite", bob), ("DELETE", "/cancel-invite", bob), ("DELETE", "/cancel-invite", eve),
            ] {
                let answer = try await server.sendJSON(method, path, ["inviteId": id], as: person)
                #expect(answer.status == 404, "\(path)")
                #expect(try await server.sendJSON(method, path, ["inviteId": "x\u{0}"], as: person).status == 400, "\(path)")
                #expect(try await server.sendJSON(method, path, [:], as: person).status == 400, "\(path)")
                #expect(try await server.send(method, path, as: person).status == 400, "\(path) without a body")
            }
            #expect(try await home.invites(of: eve).map(\.isOpened) == [false])
            // A former member can list and cancel the invitations that he sent, but cannot list those of the cove.
            let bobs = try await home.invite(["+14155552672"], as: bob).decodeCoves(SentInvites.self).invites[0].id
            try await home.leave(bob)
            #expect(try await server.send("GET", "/sent-invites?coveId=\(home.cove)", as: bob).status == 403)
            let own = try await server.send("GET", "/sent-invites", as: bob).decodeCoves(SentInvitesPage.self).invites
            #expect(own.map(\.id) == [bobs])
            #expect(try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": bobs], as: bob).status == 200)
        }
    }

    @Test("a cove open by invitation only needs one, which joining uses up", arguments: StoragePair.allCases)
    func joining(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, eve) = (home.server, home.eve)
            let join: @Sendable () async throws -> Int = {
                try await home.post("/join-cove", ["coveId": home.cove], as: eve).status
            }
            #expect(try await home.edit(["joining": "invite"]).status == 200)
            #expect(try await join() == 403)
            // Eve is invited before she has proved her number.
            #expect(try await home.invite([Self.eves]).status == 200)
            #expect(try await join() == 403)
            try await server.setPhone(Self.eves, of: eve)
            #expect(try await home.invites(of: eve).count == 1)
            #expect(try await join() == 200)
            #expect(try await home.invites(of: eve).isEmpty)
            #expect(try await server.send("GET", "/sent-invites", as: home.ada).decodeCoves(SentInvitesPage.self).invites.isEmpty)
            #expect(try await join() == 409)
            try await home.leave(eve)
            #expect(try await join() == 403)
            // Joining uses up the invitation, even while the cove can be joined without one.
            #expect(try await home.invite([Self.eves]).status == 200)
            #expect(try await home.edit(["joining": "id"]).status == 200)
            #expect(try await join() == 200)
            #expect(try await home.invites(of: eve).isEmpty)
            for person in [home.ada, eve] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("a person who was removed returns by a new invitation only", arguments: StoragePair.allCases)
    func removed(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, bob) = (home.server, home.bob)
            let join: @Sendable () async throws -> Int = {
                try await home.post("/join-cove", ["coveId": home.cove], as: bob).status
            }
            // An invitation from before the removal does not count.
            #expect(try await home.invite([Self.eves]).status == 200)
            try await server.setPhone(Self.eves, of: bob)
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": bob.id], as: home.ada).status == 200)
            #expect(try await join() == 403)
            #expect(try await home.invites(of: bob).isEmpty)
            #expect(try await home.invite([Self.eves]).status == 200)
            #expect(try await join() == 200)
            // After he has returned by invitation, Bob may leave and join again like others.
            try await home.leave(bob)
            #expect(try await join() == 200)
        }
    }

    @Test("somebody who was removed does not return by an older invitation to another number", arguments: StoragePair.allCases)
    func olderInvitation(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            #expect(try await home.invite([Self.eves]).status == 200)
            server.clock.advance(by: .seconds(1))
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": bob.id], as: ada).status == 200)
            try await server.setPhone(Self.eves, of: bob)
            #expect(try await home.invites(of: bob).isEmpty)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: bob).status == 403)
            // Control: the same invitation works for somebody else.
            try await server.setPhone(nil, of: bob)
            try await server.setPhone(Self.eves, of: home.eve)
            #expect(try await home.invites(of: home.eve).count == 1)
            #expect(try await home.edit(["joining": "invite"]).status == 200)
            try await home.join(home.eve)
        }
    }

    @Test("an invitation ends with its sender's role, and does not keep others from inviting", arguments: StoragePair.allCases)
    func senderRole(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            #expect(try await home.edit(["joining": "invite"]).status == 200)
            try await server.setPhone(Self.eves, of: eve)
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.invite([Self.eves], as: bob).status == 200)
            #expect(try await home.invites(of: eve).count == 1)
            let id = try await home.invites(of: eve)[0].id
            let join: @Sendable () async throws -> Int = {
                try await home.post("/join-cove", ["coveId": home.cove], as: eve).status
            }
            try await home.setRole("MEMBER", of: bob)
            #expect(try await home.invites(of: eve).isEmpty)
            #expect(try await join() == 403)
            #expect(try await server.sendJSON("PUT", "/open-invite", ["inviteId": id], as: eve).status == 404)
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.invites(of: eve).count == 1)
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": bob.id], as: ada).status == 200)
            #expect(try await home.invites(of: eve).isEmpty)
            #expect(try await join() == 403)
            // Ada's invitation replaces Bob's.
            #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."))
            #expect(try await server.send("GET", "/sent-invites", as: bob).decodeCoves(SentInvitesPage.self).invites.isEmpty)
            #expect(try await home.invites(of: eve).map(\.sentBy.id) == [ada.id])
            #expect(try await join() == 200)
            for person in [ada, bob, eve] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("an invitation is valid for 90 days, also for somebody who registers later", arguments: StoragePair.allCases)
    func expiry(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            #expect(try await home.edit(["joining": "invite"]).status == 200)
            #expect(try await home.invite([Self.eves, "+14155552672"]).status == 200)
            server.clock.advance(by: .days(90) - .seconds(1))
            let (ada, zoe, max) = (try await server.person(), try await server.person("zoe"), try await server.person("max"))
            try await server.setPhone(Self.eves, of: zoe)
            try await server.setPhone("+14155552672", of: max)
            #expect(try await home.invites(of: zoe).count == 1)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: zoe).status == 200)
            server.clock.advance(by: .seconds(1))
            #expect(try await home.invites(of: max).isEmpty)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: max).status == 403)
            #expect(try await server.send("GET", "/sent-invites", as: ada).decodeCoves(SentInvitesPage.self).invites.isEmpty)
            // The number can be invited again.
            #expect(try await home.invite(["+14155552672"], as: ada).text.contains("1 invitation was sent."))
            #expect(try await home.invites(of: max).count == 1)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("an invitation does not help while its sender is blocked or suspended", arguments: StoragePair.allCases)
    func senders(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.edit(["joining": "invite"]).status == 200)
            try await server.setPhone(Self.eves, of: eve)
            #expect(try await home.invite([Self.eves], as: bob).status == 200)
            try await server.suspend(bob.id)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: eve).status == 403)
            try await server.restore(bob.id)
            #expect(try await home.invites(of: eve).count == 1)
            try await server.block(bob, by: eve)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: eve).status == 403)
            try await server.backend.database.write { tx in try tx.run("DELETE FROM block") }
            // The number of a blocked member looks like any other number. When Eve's account is closed, the invitations to her number end.
            let zoe = try await home.person("zoe")
            try await server.setPhone("+14155552672", of: zoe)
            #expect(try await home.invite(["+14155552672"]).status == 200)
            try await home.join(zoe)
            try await server.block(zoe, by: ada)
            #expect(try await home.invite(["+14155552672"]).text.contains("1 invitation was sent."))
            #expect(try await home.received(zoe, "cove.invited").count == 1)
            try await server.closeAccount(of: eve)
            #expect(try await server.send("GET", "/sent-invites", as: bob).decodeCoves(SentInvitesPage.self).invites.isEmpty)
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("of racing requests that use one invitation, one joins, and it is sent once", arguments: StoragePair.allCases)
    func races(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, eve) = (home.server, home.eve)
            try await server.setPhone(Self.eves, of: eve)
            try await home.setRole("ADMIN", of: home.bob)
            let sent = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let answer = try await home.invite([Self.eves], as: number.isMultiple(of: 2) ? home.ada : home.bob)
                        return try answer.decodeCoves(SentInvites.self).invites.count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sent == 1)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await home.post("/join-cove", ["coveId": home.cove], as: eve).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 409, 409, 409, 409, 409])
            #expect(try await home.countsAreExact())
            for person in [home.ada, home.bob, eve] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test(
        "the published client's requests run as it makes them: a Firebase token, PUT and DELETE with bodies",
        arguments: StoragePair.allCases)
    func publishedClient(_ pair: StoragePair) async throws {
        try await TestServer.runWithFirebase(pair) { server, standIn in
            let ada = try server.firebasePerson("Ada28charactersOfFirebaseUid", phone: "+14155550100", standIn)
            let eve = try server.firebasePerson("Eve28charactersOfFirebaseUid", phone: Self.eves, standIn)
            for person in [ada, eve] {
                let login = try await server.sendJSON("POST", "/login", [:], as: person)
                #expect(login.status == 200, "\(login.text)")
            }
            let made = try await server.sendJSON("POST", "/create-cove", ["name": "Chess club", "location": "Here"], as: ada)
            let cove = try #require((made.json()["cove"] as? [String: Any])?["id"] as? String, "\(made.text)")
            let sent = try await server.sendJSON(
                "POST", "/send-invite", ["coveId": cove, "phoneNumbers": ["+14155552671"], "message": "Hi"], as: ada)
            #expect(sent.status == 200, "\(sent.text)")
            let invites = try await server.send("GET", "/invites", as: eve).decodeCoves(InviteList.self).invites
            // Ada has not onboarded, so her name is empty. Required names are never null.
            #expect(invites.map(\.sentBy.name) == [""] && invites.map(\.sentBy.id) == [ada.id])
            let opened = try await server.sendJSON("PUT", "/open-invite", ["inviteId": invites[0].id], as: eve)
            #expect(opened.status == 200, "\(opened.text)")
            let joined = try await server.sendJSON("POST", "/join-cove", ["coveId": cove], as: eve)
            #expect(try (joined.json()["member"] as? [String: Any])?["userId"] as? String == eve.id)
            let members = try await server.send("GET", "/cove-members?coveId=\(cove)&limit=5", as: eve)
            #expect(try Set(members.decodeCoves(CoveMembersResponse.self).members.map(\.id)) == [ada.id, eve.id])
            let dates = members.text.matches(of: /"joinedAt":"([^"]+)"/).map(\.output.1)
            #expect(dates.count == 2 && dates.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil })
            let again = try await server.sendJSON("POST", "/send-invite", ["coveId": cove, "phoneNumbers": ["415 555 2671"]], as: ada)
            #expect(again.text.contains("already a member"), "\(again.text)")
        }
    }
}
