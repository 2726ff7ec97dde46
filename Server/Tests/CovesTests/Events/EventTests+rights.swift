import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Who may use which route.
extension EventTests {
    /// Every route of an event.
    private static func requests(_ event: String, _ cove: String) -> [(method: String, path: String, body: [String: Any]?)] {
        [
            ("POST", "/edit-event", ["eventId": event, "name": "x"]), ("POST", "/delete-event", ["eventId": event]),
            ("POST", "/update-event-rsvp", ["eventId": event, "status": "GOING"]), ("POST", "/remove-event-rsvp", ["eventId": event]),
            ("GET", "/event?eventId=\(event)", nil), ("GET", "/event-members?eventId=\(event)", nil),
            (
                "POST", "/create-event",
                ["coveId": cove, "name": "Party", "date": "2026-06-24T18:00:00Z", "location": "Garden"]
            ), ("GET", "/cove-events?coveId=\(cove)", nil),
        ]
    }

    private static func statuses(
        _ requests: [(method: String, path: String, body: [String: Any]?)], as person: TestServer.Person?, _ home: EventHome
    ) async throws -> [String: Int] {
        var statuses: [String: Int] = [:]
        for (method, path, body) in requests {
            let answer =
                if let body {
                    try await home.server.sendJSON(method, path, body, as: person)
                } else {
                    try await home.server.send(method, path, as: person)
                }
            statuses[String(path.prefix { $0 != "?" })] = answer.status
            if answer.status != 200 { #expect(try Set(answer.json().keys) == ["message"], "\(path): \(answer.text)") }
            if answer.status == 404 {
                let field = body?["eventId"] != nil || path.contains("eventId") ? "eventId" : "coveId"
                #expect(answer.header("Error-Field") == field, "\(path)")
            }
        }
        return statuses
    }

    @Test("strangers and former members get 403, unknown and ended events 404, wrong methods 405", arguments: StoragePair.allCases)
    func strangers(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let event = try await home.event()
            let requests = Self.requests(event, home.cove)
            let everything = Set(requests.map { String($0.path.prefix { $0 != "?" }) })
            func all(_ status: Int) -> [String: Int] { Dictionary(uniqueKeysWithValues: everything.map { ($0, status) }) }
            let stranger = try await Self.statuses(requests, as: home.eve, home)
            #expect(stranger == all(403))
            let nobody = try await Self.statuses(requests, as: nil, home)
            #expect(nobody == all(401))

            // Bob becomes a former member.
            try await home.leave(home.bob)
            let former = try await Self.statuses(requests, as: home.bob, home)
            #expect(former == all(403))
            try await home.join(home.bob)

            for unknown in ["unknown", "0193f3b2-4a6b-7e21-9d10-1b2c3d4e5f60"] {
                let found = try await Self.statuses(Self.requests(unknown, unknown), as: home.ada, home)
                #expect(found == all(404), "\(unknown)")
            }
            for (path, methods) in [
                ("/create-event", ["GET", "PUT", "DELETE", "PATCH"]), ("/edit-event", ["GET"]), ("/delete-event", ["DELETE"]),
                ("/event", ["POST", "DELETE"]), ("/event-members", ["POST"]), ("/update-event-rsvp", ["PUT"]),
                ("/remove-event-rsvp", ["DELETE"]), ("/cove-events", ["POST"]), ("/calendar-events", ["POST"]),
                ("/upcoming-events", ["PUT"]), ("/calendar-link", ["GET"]), ("/calendar.ics", ["POST"]),
            ] {
                for method in methods {
                    let answer = try await home.server.send(method, path, as: home.ada)
                    #expect(answer.status == 405, "\(method) \(path)")
                    #expect(try Set(answer.json().keys) == ["message"])
                }
            }
            #expect(try await home.server.sendJSON("POST", "/delete-event", ["eventId": event], as: home.ada).status == 200)
            let ended = try await Self.statuses(Array(requests.prefix(6)), as: home.ada, home)
            #expect(Set(ended.values) == [404], "\(ended)")

            // A cove that has ended takes its events with it.
            let second = try await home.event()
            #expect(try await home.server.sendJSON("POST", "/delete-cove", ["coveId": home.cove], as: home.ada).status == 200)
            let gone = try await Self.statuses(Self.requests(second, home.cove), as: home.ada, home)
            #expect(gone == all(404))
            #expect(try await home.list("/calendar-events", as: home.ada).events.isEmpty)
        }
    }

    @Test("only the creator and ADMINs create, the host and ADMINs edit, and the host deletes", arguments: StoragePair.allCases)
    func rights(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            func edit(_ event: String, as person: TestServer.Person) async throws -> Int {
                try await home.server.sendJSON("POST", "/edit-event", ["eventId": event, "name": "y"], as: person).status
            }
            func deletion(of event: String, as person: TestServer.Person) async throws -> TestServer.Answer {
                try await home.server.sendJSON("POST", "/delete-event", ["eventId": event], as: person)
            }
            func delete(_ event: String, as person: TestServer.Person) async throws -> Int {
                try await deletion(of: event, as: person).status
            }
            // Each error names everybody who may do what was refused.
            let created = try await home.create(as: home.bob)
            #expect(created.status == 403 && created.text.contains("Only ADMINs of this cove and its creator may"), "\(created.text)")
            let adas = try await home.event()
            let edited = try await home.server.sendJSON("POST", "/edit-event", ["eventId": adas, "name": "y"], as: home.bob)
            #expect(edited.status == 403 && edited.text.contains("Only the host of this event and ADMINs of its cove"), "\(edited.text)")
            let deleted = try await deletion(of: adas, as: home.bob)
            #expect(deleted.status == 403 && deleted.text.contains("Only the host may delete this event."), "\(deleted.text)")

            try await home.setRole("ADMIN", of: home.bob)
            let bobs = try await home.event(as: home.bob)
            #expect(try await edit(adas, as: home.bob) == 200)
            #expect(try await edit(bobs, as: home.ada) == 200)
            // An ADMIN who is not the host cannot delete an event.
            #expect(try await delete(adas, as: home.bob) == 403)
            #expect(try await delete(bobs, as: home.ada) == 403)

            // A host who is a MEMBER again stays the host.
            try await home.setRole("MEMBER", of: home.bob)
            #expect(try await edit(bobs, as: home.bob) == 200)
            #expect(try await home.create(as: home.bob).status == 403)

            // A creator who is not an ADMIN can still create events.
            try await home.setRole("ADMIN", of: home.bob)
            try await home.setRole("MEMBER", of: home.ada)
            #expect(try await home.create().status == 200)
            try await home.setRole("ADMIN", of: home.ada)

            // Once the host has left, somebody else must be able to delete the event.
            try await home.leave(home.bob)
            #expect(try await delete(bobs, as: home.bob) == 403)
            try await home.join(home.eve)
            let refused = try await deletion(of: bobs, as: home.eve)
            #expect(refused.status == 403 && refused.text.contains("Only ADMINs of this cove may delete this event: its host has left."))
            #expect(try await home.read(bobs, as: home.ada).host.name == "Bob")
            #expect(try await delete(bobs, as: home.ada) == 200)
            #expect(try await delete(adas, as: home.ada) == 200)
            #expect(try await delete(adas, as: home.ada) == 404)
            #expect(try await home.eventCount() == 1)
        }
    }
}
