import Core
import Database
import KeepsakeWire
import People
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Lists of coves: blocked, closed and suspended accounts")
struct CoveListTests {
    private static let cove = "the-cove"

    /// A suspended account's memberships are hidden. Those of a closed account are deleted.
    private static let memberIsNotHidden = PeopleList.Condition(name: "hidden members", hides: [.suspended]) { _ in
        " AND cove_member.hidden = 0"
    }

    /// This condition hides only suspended senders, because a closed account is no longer an ADMIN.
    private static let senderIsNotHidden = PeopleList.Condition(name: "hidden senders", hides: [.suspended]) { _ in PersonSQL.isNotHidden }

    private static let members = PeopleList(
        name: "members",
        prepare: { viewer, server in try await server.insertCove(cove, members: [viewer]) },
        add: { person, _, server in try await join(person, server) },
        read: { viewer, server in
            let answer = try await server.send("GET", "/cove-members?coveId=\(cove)", as: viewer)
            return try answer.decodeCoves(CoveMembersResponse.self).members.map(\.id)
        },
        statement: { viewer, _ in (CoveStore.members(of: cove, seenBy: viewer.id, after: nil, limit: 11), "account") },
        conditions: [memberIsNotHidden, .isNotBlocked("cove_member.account")])

    private static let recommended = PeopleList(
        name: "recommended friends",
        prepare: { viewer, server in try await server.insertCove(cove, members: [viewer]) },
        add: { person, _, server in try await join(person, server) },
        read: { viewer, server in
            let answer = try await server.send("GET", "/recommended-friends", as: viewer)
            return try answer.decodeCoves(RecommendedFriends.self).users.map(\.id)
        },
        statement: { viewer, _ in
            let looked = [RecommendationStore.SourceCove(id: cove, isLarge: false)]
            return (
                RecommendationStore.people(
                    for: viewer.id, in: looked, asOf: Timestamp(microseconds: .max), after: nil, limit: 11), "account"
            )
        },
        conditions: [memberIsNotHidden, .isNotBlocked("near.account")])

    /// Each sender is an ADMIN of a separate cove, which somebody else created.
    private static let invitations = PeopleList(
        name: "invitations",
        prepare: { viewer, server in try await server.setPhone("+14155552671", of: viewer) },
        add: { person, _, server in
            let founder = try await server.person("founder")
            let cove = "cove of " + person.id
            let now = server.clock.now
            try await server.insertCove(cove, members: [founder, person])
            let invite = CoveInvite(
                id: "by " + person.id, cove: cove, phone: "+14155552671", sender: person.id, message: nil, createdAt: now)
            try await server.backend.database.write { tx in
                try tx.run("UPDATE cove_member SET role = 'ADMIN' WHERE account = \(person.id)")
                try tx.run(CoveInvite.table.insert(invite))
            }
        },
        read: { viewer, server in
            try await server.send("GET", "/invites", as: viewer).decodeCoves(InviteList.self).invites.map(\.sentBy.id)
        },
        statement: { viewer, _ in
            (InviteStore.received("+14155552671", by: viewer.id, Timestamp(microseconds: 0)), "sender")
        },
        conditions: [senderIsNotHidden, .isNotBlocked("invite.sender")])

    private static func join(_ person: TestServer.Person, _ server: TestServer) async throws {
        let answer = try await server.sendJSON("POST", "/join-cove", ["coveId": cove], as: person)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static let lists = [members, recommended, invitations]

    @Test("nobody whom the viewer must not see is shown, and who comes back is there again", arguments: StoragePair.allCases, lists)
    func standings(_ pair: StoragePair, _ list: PeopleList) async throws { try await list.checkStandings(pair) }

    @Test("control: without a condition, the statement shows those whom it hides", arguments: StoragePair.allCases, lists)
    func control(_ pair: StoragePair, _ list: PeopleList) async throws { try await list.checkControl(pair) }

    @Test("counts do not change when people block each other", arguments: StoragePair.allCases)
    func counts(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.server.block(home.bob, by: home.ada)
            #expect(try await home.roll() == ["Ada*"])
            #expect(try await home.roll(as: home.bob) == ["Bob"])
            for person in [home.ada, home.bob] { #expect(try await home.details(as: person).stats.memberCount == 2) }
            // The creator's name is hidden from a person whom the creator blocks.
            let creator = try await home.details(as: home.bob).creator
            #expect(creator == CoveDetails.Creator(id: home.ada.id, name: ""))
        }
    }
}
