import Database
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Lists of people: blocked, closed and suspended accounts")
struct PeopleListTests {
    private static let friends = PeopleList(
        name: "friends",
        add: { person, viewer, server in try await server.befriend(viewer, person) },
        read: { viewer, server in
            let answer = try await server.send("GET", "/friends", as: viewer)
            return try answer.decodeCoves(FriendList.self).friends.map(\.id)
        },
        statement: { viewer, _ in (FriendStore.page(.friends, of: viewer.id, after: nil, limit: 11), "person") },
        conditions: [.isNotHidden, .isNotBlocked("friendship.friend")])

    private static let requests = PeopleList(
        name: "friend requests",
        add: { person, viewer, server in _ = try await server.requestFriend(viewer, as: person) },
        read: { viewer, server in
            let answer = try await server.send("GET", "/friend-requests", as: viewer)
            return try answer.decodeCoves(FriendRequestList.self).requests.map(\.sender.id)
        },
        statement: { viewer, _ in (FriendStore.page(.requests, of: viewer.id, after: nil, limit: 11), "person") },
        conditions: [.isNotHidden, .isNotBlocked("friend_request.sender")])

    private static let sent = PeopleList(
        name: "sent friend requests",
        add: { person, viewer, server in _ = try await server.requestFriend(person, as: viewer) },
        read: { viewer, server in
            let answer = try await server.send("GET", "/sent-friend-requests", as: viewer)
            return try answer.decodeCoves(SentFriendRequestList.self).requests.map(\.recipient.id)
        },
        statement: { viewer, _ in (FriendStore.page(.sent, of: viewer.id, after: nil, limit: 11), "person") },
        conditions: [.isNotHidden, .isNotBlocked("friend_request.recipient")])

    /// The list shows the people whom the viewer has blocked, also those who have blocked the viewer.
    private static let blocks = PeopleList(
        name: "blocks",
        add: { person, viewer, server in
            let answer = try await server.sendJSON("POST", "/block", ["userId": person.id], as: viewer)
            #expect(answer.status == 200, "\(answer.text)")
        },
        read: { viewer, server in
            let answer = try await server.send("GET", "/blocks", as: viewer)
            return try answer.decodeCoves(BlockList.self).blocks.map(\.id)
        },
        statement: { viewer, _ in (BlockStore.page(of: viewer.id, after: nil, limit: 11), "blocked") },
        conditions: [.isNotHidden], exceptions: [.blocked, .blocker])

    private static let contacts = PeopleList(
        name: "contacts",
        add: { person, _, server in try await server.setPhone(number(of: person), of: person) },
        read: { viewer, server in
            let people = try await server.backend.database.read { tx in
                try tx.rows("SELECT phone FROM account WHERE phone IS NOT NULL").map { try $0.get("phone", as: String.self) }
            }
            let answer = try await server.sendJSON("POST", "/contacts", ["phoneNumbers": people], as: viewer)
            return try answer.decodeCoves(ContactsResponse.self).contacts.map(\.id)
        },
        statement: { viewer, people in (ContactStore.cards(people.map(\.id), visibleTo: viewer.id), "id") },
        conditions: [.isNotHidden, .isNotBlocked("account.id")])

    private static let all = [friends, requests, sent, blocks, contacts]

    /// A phone number that differs for each person of a test.
    private static func number(of person: TestServer.Person) -> String {
        let digits = person.id.utf8.suffix(12).reduce(0) { ($0 * 31 + Int($1)) % 10_000_000 }
        return "+49151\(10_000_000 + digits)"
    }

    @Test("a list shows nobody whom the viewer must not see, and shows everybody who comes back", arguments: all, StoragePair.allCases)
    func standings(_ list: PeopleList, _ pair: StoragePair) async throws { try await list.checkStandings(pair) }

    @Test("control: without one of its conditions, each list shows those whom the condition hides", arguments: all, StoragePair.allCases)
    func control(_ list: PeopleList, _ pair: StoragePair) async throws { try await list.checkControl(pair) }
}
