import Core
import Database
import Foundation
import KeepsakeWire
import Live
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// A server with a cove. Ada is the creator of the cove, Bob is a member, and Eve is not.
struct EventHome: Sendable {
    let server: TestServer
    let ada: TestServer.Person
    let bob: TestServer.Person
    let eve: TestServer.Person
    let cove: String

    /// The test clock's start: 2026-06-01T12:00:00Z.
    static let start = "2026-06-01T12:00:00.000Z"

    static func run(_ pair: StoragePair, _ test: @Sendable (EventHome) async throws -> Void) async throws {
        try await TestServer.run(pair) { server in
            let (ada, bob, eve) = (try await server.person(), try await server.person("bob"), try await server.person("eve"))
            for (name, person) in [("Ada", ada), ("Bob", bob), ("Eve", eve)] { try await server.onboard(name, as: person) }
            let made = try await server.sendJSON("POST", "/create-cove", ["name": "Chess club", "location": "Here"], as: ada)
            try #require(made.status == 200, "\(made.text)")
            let cove = try #require((made.json()["cove"] as? [String: Any])?["id"] as? String)
            let home = EventHome(server: server, ada: ada, bob: bob, eve: eve, cove: cove)
            try await home.join(bob)
            try await test(home)
        }
    }

    // MARK: Coves

    func join(_ person: TestServer.Person, _ cove: String? = nil) async throws {
        let answer = try await server.sendJSON("POST", "/join-cove", ["coveId": cove ?? self.cove], as: person)
        try #require(answer.status == 200, "\(answer.text)")
    }

    func leave(_ person: TestServer.Person) async throws {
        let answer = try await server.sendJSON("POST", "/leave-cove", ["coveId": cove], as: person)
        try #require(answer.status == 200, "\(answer.text)")
    }

    func setRole(_ role: String, of person: TestServer.Person) async throws {
        let answer = try await server.sendJSON("POST", "/cove-role", ["coveId": cove, "userId": person.id, "role": role], as: ada)
        try #require(answer.status == 200, "\(answer.text)")
    }

    func anotherCove(_ name: String, by person: TestServer.Person) async throws -> String {
        let answer = try await server.sendJSON("POST", "/create-cove", ["name": name, "location": "There"], as: person)
        return try #require((answer.json()["cove"] as? [String: Any])?["id"] as? String, "\(answer.text)")
    }

    /// `stats.eventCount` of the cove.
    func eventCount() async throws -> Int? {
        let answer = try await server.send("GET", "/cove?coveId=\(cove)", as: ada)
        let stats = (try answer.json()["cove"] as? [String: Any])?["stats"] as? [String: Any]
        return stats?["eventCount"] as? Int
    }

    // MARK: Events

    func create(_ fields: [String: Any] = [:], as person: TestServer.Person? = nil, key: String? = nil) async throws -> TestServer.Answer {
        let usual: [String: Any] = ["coveId": cove, "name": "Party", "date": "2026-06-24T18:03:11.482Z", "location": "Garden"]
        return try await server.sendJSON("POST", "/create-event", usual.merging(fields) { $1 }, as: person ?? ada, key: key)
    }

    /// - Returns: the id of the new event.
    func event(_ fields: [String: Any] = [:], as person: TestServer.Person? = nil) async throws -> String {
        let answer = try await create(fields, as: person)
        return try #require((answer.json()["event"] as? [String: Any])?["id"] as? String, "\(answer.text)")
    }

    func rsvp(_ status: String, to event: String, as person: TestServer.Person) async throws -> TestServer.Answer {
        try await server.sendJSON("POST", "/update-event-rsvp", ["eventId": event, "status": status], as: person)
    }

    func read(_ event: String, as person: TestServer.Person) async throws -> CoveEventDetails {
        let answer = try await server.send("GET", "/event?eventId=\(event)", as: person)
        return try Self.decoder.decode(CoveEventResponse.self, from: answer.body).event
    }

    func guests(_ event: String, _ rest: String = "", as person: TestServer.Person) async throws -> CoveGuestsResponse {
        let answer = try await server.send("GET", "/event-members?eventId=\(event)\(rest)", as: person)
        return try Self.decoder.decode(CoveGuestsResponse.self, from: answer.body)
    }

    /// - Parameter path: the path of a list of events.
    func list(_ path: String, as person: TestServer.Person) async throws -> CoveEventsResponse {
        let answer = try await server.send("GET", path, as: person)
        return try Self.decoder.decode(CoveEventsResponse.self, from: answer.body)
    }

    var coveEvents: String { "/cove-events?coveId=\(cove)" }

    static let decoder = Surface.coves.makeDecoder()

    static func value(_ text: String) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }

    // MARK: Live events

    /// The kinds and payloads of the person's live events, oldest first.
    func received(_ person: TestServer.Person, _ kind: String? = nil) async throws -> [String] {
        try await server.backend.database.read { tx in
            try tx.rows("SELECT kind, payload FROM event WHERE account = \(person.id) ORDER BY seq").compactMap { row in
                let (found, payload): (String, String) = (try row.get("kind"), try row.get("payload"))
                return kind == nil || kind == found ? "\(found) \(payload)" : nil
            }
        }
    }

    // MARK: People without a token

    /// Inserts accounts that are members of the cove.
    func addMembers(_ numbers: Range<Int>) async throws {
        let (cove, now) = (cove, server.clock.now)
        try await server.backend.database.write { tx in
            for number in numbers {
                let account = Self.member(number)
                try tx.run("INSERT INTO account (id, created_at) VALUES (\(account), \(now))")
                try tx.run(
                    """
                    INSERT INTO cove_member (id, cove, account, role, joined_at)
                    VALUES (\("membership of " + account), \(cove), \(account), 'MEMBER', \(now))
                    """)
            }
            try tx.run("UPDATE cove SET member_count = member_count + \(numbers.count) WHERE id = \(cove)")
        }
    }

    static func member(_ number: Int) -> String { "member-\(100_000 + number)" }
}
