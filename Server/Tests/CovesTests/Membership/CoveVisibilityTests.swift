import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Coves of closed and suspended accounts")
struct CoveVisibilityTests {
    @Test("a suspended member disappears and comes back with the same role and place", arguments: StoragePair.allCases)
    func suspension(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            server.clock.advance(by: .seconds(1))
            let zoe = try await home.member("zoe")
            let rows: @Sendable () async throws -> [String] = {
                try await server.backend.database.read { tx in
                    try tx.rows("SELECT account, role, is_creator, is_acting, joined_at, hidden FROM cove_member ORDER BY account").map {
                        "\($0.values)"
                    }
                }
            }
            let before = try await rows()
            try await server.suspend(bob.id)
            #expect(try await home.roll() == ["Zoe", "Ada*"])
            #expect(try await home.details().stats.memberCount == 2)
            // Nobody can act on a person whom nobody sees.
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": bob.id], as: ada).status == 404)
            let role = try await home.post("/cove-role", ["coveId": home.cove, "userId": bob.id, "role": "ADMIN"], as: ada)
            #expect(role.status == 404)
            // When the creator is suspended, the cove stays, but does not show the creator's name. The longest-standing member stands in as
            // ADMIN.
            try await server.suspend(ada.id)
            let details = try await home.details(as: zoe)
            #expect(details.creator == CoveDetails.Creator(id: "", name: "") && details.role == .admin && !details.isCreator)
            #expect(try await home.roll(as: zoe) == ["Zoe*"])
            #expect(try await home.edit(["location": "There"], as: zoe).status == 200)
            #expect(try await home.covesWithoutAdmin() == 0)
            try await server.restore(bob.id)
            #expect(try await home.roll(as: zoe) == ["Zoe*", "Bob"])
            try await server.restore(ada.id)
            #expect(try await rows() == before)
            #expect(try await home.countsAreExact())
            #expect(try await home.details().creator.name == "Ada")
        }
    }

    @Test("a cover is shown to nobody while the account that uploaded it is suspended", arguments: StoragePair.allCases)
    func suspendedCover(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            try await home.setRole("ADMIN", of: bob)
            let picture = try Fixture.data("palette.png").base64EncodedString()
            #expect(try await home.edit(["coverPhoto": picture], as: bob).status == 200)
            try await server.setPhone("+14155552671", of: eve)
            #expect(try await home.invite(["+14155552671"], as: ada).status == 200)
            let event = try await home.event(as: ada)
            // The cover in one response of each kind that contains a cove's cover.
            let covers: @Sendable () async throws -> [String?] = {
                let coves = try await server.send("GET", "/user-coves", as: ada).decodeCoves(UserCoves.self).coves
                let invites = try await home.invites(of: eve)
                let events = try await home.list(home.coveEvents, as: ada).events
                return [
                    try await home.details().coverPhoto?.id, coves.first?.coverPhoto?.id, invites.first?.cove.coverPhotoId,
                    try await home.read(event, as: ada).cove.coverPhoto?.id, events.first?.coveCoverPhoto?.id,
                ]
            }
            let cover = try #require(try await home.details().coverPhoto)
            #expect(try await covers() == [String?](repeating: cover.id, count: 5))
            try await server.suspend(bob.id)
            #expect(try await server.send("GET", cover.url).status == 404)
            #expect(try await covers() == [String?](repeating: nil, count: 5))
            try await server.restore(bob.id)
            #expect(try await covers() == [String?](repeating: cover.id, count: 5))
        }
    }

    @Test(
        "the role of a stand-in stays when the suspended ADMIN is gone for good or the creator confirms it", arguments: StoragePair.allCases
    )
    func standIn(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            try await server.suspend(ada.id)
            #expect(try await home.roll(as: bob) == ["Bob*"])
            server.clock.advance(by: .seconds(1))
            let zoe = try await home.member("zoe")
            try await server.restore(ada.id)
            #expect(try await home.roll() == ["Zoe", "Bob", "Ada*"])
            try await home.setRole("ADMIN", of: bob)
            try await server.suspend(ada.id)
            try await server.restore(ada.id)
            #expect(try await home.roll() == ["Zoe", "Bob*", "Ada*"])
            try await home.setRole("MEMBER", of: bob)
            try await server.suspend(ada.id)
            try await home.leave(zoe)
            try await home.leave(bob)
            // Only Ada is left, and she is suspended. The cove does not end.
            try await server.restore(ada.id)
            #expect(try await home.roll() == ["Ada*"])
            #expect(try await home.details().isCreator)
        }
    }

    @Test("a stand-in may leave, and the next longest-standing member stands in then", arguments: StoragePair.allCases)
    func standInLeaves(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            server.clock.advance(by: .seconds(1))
            _ = try await home.member("zoe")
            server.clock.advance(by: .seconds(1))
            let max = try await home.member("max")
            try await server.suspend(ada.id)
            #expect(try await home.roll(as: max) == ["Max", "Zoe", "Bob*"])
            #expect(try await home.post("/leave-cove", ["coveId": home.cove], as: bob).status == 200)
            #expect(try await home.roll(as: max) == ["Max", "Zoe*"])
            try await server.restore(ada.id)
            #expect(try await home.roll() == ["Max", "Zoe", "Ada*"])
            // An ADMIN in her own right still may not leave the others without one.
            #expect(try await home.post("/leave-cove", ["coveId": home.cove], as: ada).status == 409)
            #expect(try await home.countsAreExact())
        }
    }

    @Test(
        "a deleted account's memberships end, and a cove whose last ADMIN it was gets the longest-standing member",
        arguments: StoragePair.allCases)
    func succession(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            server.clock.advance(by: .seconds(1))
            let zoe = try await home.member("zoe")
            server.clock.advance(by: .seconds(1))
            let max = try await home.member("max")
            try await home.setRole("ADMIN", of: zoe)
            // The creator leaves, so that the cove does not end with her account.
            try await home.leave(ada)
            try await server.closeAccount(of: zoe)
            // Bob has been in the cove for longer than Max.
            #expect(try await home.roll(as: max) == ["Max", "Bob*"])
            #expect(try await home.details(as: max).stats.memberCount == 2)
            try await server.closeAccount(of: bob)
            #expect(try await home.roll(as: max) == ["Max*"])
            #expect(try await home.covesWithoutAdmin() == 0)
            #expect(try await home.countsAreExact())
            try await server.closeAccount(of: max)
            // The cove ended when its last member's account was closed.
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: home.eve).status == 404)
        }
    }

    @Test("a deleted account's coves end, also one that it has left, and everybody loses them at once", arguments: StoragePair.allCases)
    func ended(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            let other = try await home.anotherCove("Other", by: ada)
            try await home.join(bob, other)
            try await home.setRole("ADMIN", of: bob)
            try await server.setPhone("+14155552671", of: eve)
            #expect(try await home.invite(["+14155552671"], as: bob).status == 200)
            try await home.leave(ada)
            #expect(try await home.invites(of: eve).count == 1)
            try await server.closeAccount(of: ada)
            #expect(try await home.coves(of: bob).isEmpty)
            #expect(try await home.invites(of: eve).isEmpty)
            for id in [home.cove, other] {
                #expect(try await server.send("GET", "/cove?coveId=\(id)", as: bob).status == 404)
                #expect(try await home.post("/join-cove", ["coveId": id], as: eve).status == 404)
            }
        }
    }

    @Test(
        "with keepCoves each cove goes whole to the longest-standing ADMIN, else to the longest-standing MEMBER",
        arguments: StoragePair.allCases
    )
    func kept(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let sent = try Fixture.data("palette.png")
            #expect(try await home.edit(["coverPhoto": sent.base64EncodedString(), "description": "Every Sunday"]).status == 200)
            server.clock.advance(by: .seconds(1))
            let zoe = try await home.member("zoe")
            server.clock.advance(by: .seconds(1))
            let max = try await home.member("max")
            for person in [max, zoe] { try await home.setRole("ADMIN", of: person) }
            // The creator leaves the first of these three coves. In the second she is the only ADMIN, and in the third the only member.
            let left = try await home.anotherCove("Left", by: ada)
            try await home.join(bob, left)
            let role = try await home.post("/cove-role", ["coveId": left, "userId": bob.id, "role": "ADMIN"], as: ada)
            #expect(role.status == 200)
            #expect(try await home.post("/leave-cove", ["coveId": left], as: ada).status == 200)
            let plain = try await home.anotherCove("Plain", by: ada)
            for person in [bob, max] {
                server.clock.advance(by: .seconds(1))
                try await home.join(person, plain)
            }
            let lonely = try await home.anotherCove("Lonely", by: ada)
            let old = try #require(try await home.details().coverPhoto)

            try await home.close(ada, keepCoves: true)
            let details = try await home.details(as: zoe)
            #expect(details.creator == CoveDetails.Creator(id: zoe.id, name: "Zoe") && details.isCreator && details.role == .admin)
            #expect(details.name == "Chess club" && details.description == "Every Sunday" && details.stats.memberCount == 3)
            let cover = try #require(details.coverPhoto)
            #expect(try await server.send("GET", cover.url).body == sent)
            #expect(try await server.send("GET", old.url).status == 404)
            #expect(try await home.details(as: bob, left).isCreator)
            let plains = try await home.details(as: bob, plain)
            #expect(plains.isCreator && plains.role == .admin && plains.creator.name == "Bob")
            #expect(try await home.details(as: max, plain).role == .member)
            #expect(try await home.countsAreExact())
            let isLonelyOpen = try await server.backend.database.read { tx in
                try tx.row("SELECT id FROM cove WHERE id = \(lonely) AND ended_at IS NULL") != nil
            }
            #expect(!isLonelyOpen)

            // The erasure does not touch the coves that were handed over, nor their covers.
            try await server.waitUntilErased(ada.id)
            #expect(try await server.rowCounts(of: ada.id) == [:])
            #expect(try await home.details(as: zoe) == details)
            #expect(try await server.send("GET", cover.url).body == sent)
            for person in [bob, zoe, max] { _ = try await server.checkedUsage(of: person) }
            // The heir has the creator's rights, and the cove counts in the heir's usage.
            #expect(try await home.post("/delete-cove", ["coveId": home.cove], as: zoe).status == 200)
            #expect(try await server.send("GET", cover.url).status == 404)
            _ = try await server.checkedUsage(of: zoe)

            // `/auth/delete` does the same. It accepts its own name of the JSON member and that of `/delete-user`.
            server.clock.advance(by: .seconds(1))
            try await home.join(zoe, plain)
            for (heir, next, member) in [(bob, max, "keep_coves"), (max, zoe, "keepCoves")] {
                try await home.close(heir, by: "/auth/delete", [member: true])
                let handed = try await home.details(as: next, plain)
                #expect(handed.isCreator && handed.role == .admin && handed.name == "Plain", "\(member)")
            }
            try await home.close(zoe, by: "/auth/delete", ["keep_coves": false])
            #expect(try await home.post("/join-cove", ["coveId": plain], as: home.eve).status == 404)
        }
    }

    @Test("nothing of a deleted account's coves and invitations is left, and others' rows stay", arguments: StoragePair.allCases)
    func erased(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let canary = "canary canary"
            #expect(try await home.edit(["name": canary, "description": canary, "location": canary]).status == 200)
            #expect(try await home.invite(["+14155552671", "+14155552672"], ["message": canary]).status == 200)
            let bobs = try await home.anotherCove("Bob's", by: bob)
            try await home.join(ada, bobs)
            #expect(try await home.post("/remove-member", ["coveId": bobs, "userId": ada.id], as: bob).status == 200)
            try await home.addMembers(0..<250)
            let tables = try await server.rowCounts(of: ada.id).keys.filter { $0.hasPrefix("cove") }
            #expect(Set(tables) == ["cove", "cove_invite", "cove_member", "cove_removal"])
            try await home.close(ada)
            try await server.waitUntilErased(ada.id)
            #expect(try await server.rowCounts(of: ada.id) == [:])
            #expect(try await server.tables(holding: canary, pair) == [])
            #expect(try await server.tables(holding: home.cove, pair).subtracting(["event", "idempotency"]) == [])
            #expect(try await home.coves(of: bob) == [bobs])
            _ = try await server.checkedUsage(of: bob)
        }
    }

    @Test("a cove that ended is kept for 31 days, then deleted with all that belongs to it", arguments: StoragePair.allCases)
    func swept(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            #expect(try await home.invite(["+14155552671"]).status == 200)
            _ = try await home.event()
            try await home.addMembers(0..<600)
            #expect(try await home.post("/delete-cove", ["coveId": home.cove], as: ada).status == 200)
            let store = server.backend.features[CovesFeature.self].store
            let count: @Sendable () async throws -> Int = {
                try await server.backend.database.read { tx in
                    let rows: [SQL] = [
                        "SELECT id FROM cove", "SELECT id FROM cove_member", "SELECT id FROM cove_invite", "SELECT id FROM cove_event",
                    ]
                    return try rows.reduce(0) { $0 + (try tx.rows($1).count) }
                }
            }
            // A job deletes the invitation before: whoever invites its number would read it.
            try await eventually { try await count() == 604 }
            server.clock.advance(by: .days(30))
            try await store.sweep()
            #expect(try await count() == 604)
            server.clock.advance(by: .days(1) + .seconds(1))
            try await store.sweep()
            #expect(try await count() == 0)
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("an account that is closed looks up its phone number once for all coves that it leaves", arguments: Engine.allCases)
    func manyCoves(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let (server, bob) = (home.server, home.bob)
            for name in ["Gardens", "Lakes", "Trees", "Birds"] {
                let cove = try await home.anotherCove(name, by: home.ada)
                try await home.join(bob, cove)
            }
            let texts = try await server.backend.database.write { tx in
                var texts: [String] = []
                let observed = WriteTransaction(ObservedEngine(tx.engine) { sql in texts.append(sql.text { _ in "?" }) })
                for feature in server.backend.features.all { try feature.hide(bob.id, .closed(keepsCoves: false), observed) }
                try observed.end()
                return texts
            }
            #expect(texts.filter { $0.hasPrefix("DELETE FROM cove_rsvp WHERE account") }.count == 5, "\(texts)")
            // One read of the phone number serves all coves, and one serves all invitations to the number.
            #expect(texts.filter { $0.hasPrefix("SELECT phone FROM account") }.count <= 2, "\(texts)")
        }
    }

    @Test("a request that runs while its account is closed adds nothing that others would see", arguments: StoragePair.allCases)
    func late(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, eve) = (home.server, home.eve)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.closeAccount(of: eve) }
                for path in ["/join-cove", "/create-cove"] {
                    group.addTask {
                        let body = ["coveId": home.cove, "name": "x", "location": "y"]
                        let status = try await home.post(path, body, as: eve).status
                        #expect(status == 200 || status == 401)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await home.roll() == ["Bob", "Ada*"])
            #expect(try await home.countsAreExact())
            let open = try await server.backend.database.read { tx in
                try tx.rows("SELECT id FROM cove WHERE ended_at IS NULL").count
            }
            #expect(open == 1)
        }
    }
}
