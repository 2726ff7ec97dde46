import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Guest lists: blocked, closed and suspended accounts")
struct GuestListTests {
    private static let cove = "the-cove"
    private static let event = "the-event"

    /// A suspended account's RSVPs are hidden. Those of a closed account are deleted.
    private static let isNotHidden = PeopleList.Condition(name: "hidden guests", hides: [.suspended]) { _ in " AND rsvp.hidden = 0" }

    private static func guests(
        _ name: String, _ status: RSVPStatus?, _ read: @escaping @Sendable (TestServer.Person, TestServer) async throws -> [String]
    ) -> PeopleList {
        PeopleList(
            name: name,
            prepare: { viewer, server in
                let now = server.clock.now
                try await server.insertCove(cove, members: [viewer])
                try await server.backend.database.write { tx in
                    try tx.run(
                        """
                        INSERT INTO cove_event (id, cove, host, name, date, location, row_bytes, created_at, changed_at)
                        VALUES (\(event), \(cove), \(viewer.id), 'Party', \(now), 'Here', 0, \(now), \(now))
                        """)
                }
            },
            add: { person, _, server in
                let join = try await server.sendJSON("POST", "/join-cove", ["coveId": cove], as: person)
                try #require(join.status == 200, "\(join.text)")
                let answer = try await server.sendJSON(
                    "POST", "/update-event-rsvp", ["eventId": event, "status": "GOING"], as: person)
                try #require(answer.status == 200, "\(answer.text)")
            },
            read: read,
            statement: { viewer, _ in (EventStore.guests(of: event, status, seenBy: viewer.id, after: nil, limit: 11), "account") },
            conditions: [isNotHidden, .isNotBlocked("rsvp.account")])
    }

    private static let lists = [
        guests("guest list", nil) { viewer, server in
            let answer = try await server.send("GET", "/event-members?eventId=\(event)", as: viewer)
            return try answer.decodeCoves(CoveGuestsResponse.self).members.map(\.userId)
        },
        guests("the GOING of a guest list", .going) { viewer, server in
            let answer = try await server.send("GET", "/event-members?eventId=\(event)&status=GOING", as: viewer)
            return try answer.decodeCoves(CoveGuestsResponse.self).members.map(\.userId)
        },
        guests("the guests that an event shows", .going) { viewer, server in
            let answer = try await server.send("GET", "/event?eventId=\(event)", as: viewer)
            return try answer.decodeCoves(CoveEventResponse.self).event.rsvps.map(\.userId)
        },
    ]

    @Test("nobody whom the viewer must not see is shown, and who comes back is there again", arguments: StoragePair.allCases, lists)
    func standings(_ pair: StoragePair, _ list: PeopleList) async throws { try await list.checkStandings(pair) }

    @Test("control: without a condition, the statement shows those whom it hides", arguments: StoragePair.allCases, lists)
    func control(_ pair: StoragePair, _ list: PeopleList) async throws { try await list.checkControl(pair) }
}
