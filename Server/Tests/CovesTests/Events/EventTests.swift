import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Events of coves")
struct EventTests {
    @Test("an event's life: what each route answers, to the key", arguments: StoragePair.allCases)
    func golden(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, cove) = (home.server, home.ada, home.bob, home.cove)
            let made = try await home.create(["description": " Bring cake. ", "hostId": "eve", "goingCount": 9])
            #expect(made.status == 200)
            let id = try #require((made.json()["event"] as? [String: Any])?["id"] as? String)
            let fields = """
                "id":"\(id)","name":"Party","description":"Bring cake.","date":"2026-06-24T18:03:11.482Z","location":"Garden","coveId":"\(cove)"
                """
            let created = "{\"message\":\"The event was created.\",\"event\":{\(fields),\"createdAt\":\"\(EventHome.start)\"}}"
            #expect(try made.decode(JSONValue.self) == EventHome.value(created), "\(made.text)")

            server.clock.advance(by: .seconds(5))
            let going = try await home.rsvp("GOING", to: id, as: bob)
            #expect(going.status == 200)
            let rsvp = try #require((going.json()["rsvp"] as? [String: Any])?["id"] as? String)
            let answered = "2026-06-01T12:00:05.000Z"
            let expected = """
                {"message":"Your answer was stored.",
                "rsvp":{"id":"\(rsvp)","status":"GOING","eventId":"\(id)","userId":"\(bob.id)","createdAt":"\(answered)"}}
                """
            #expect(try going.decode(JSONValue.self) == EventHome.value(expected), "\(going.text)")
            // A repeat changes nothing.
            server.clock.advance(by: .seconds(5))
            #expect(try await home.rsvp("GOING", to: id, as: bob).decode(JSONValue.self) == EventHome.value(expected))

            let read = try await server.send("GET", "/event?eventId=\(id)", as: bob)
            let details = """
                {"event":{\(fields),"host":{"id":"\(ada.id)","name":"Ada"},"cove":{"id":"\(cove)","name":"Chess club","coverPhoto":null},
                "rsvpStatus":"GOING","goingCount":1,"rsvps":[{"id":"\(rsvp)","status":"GOING","userId":"\(bob.id)","userName":"Bob",
                "profilePhotoUrl":null,"createdAt":"\(answered)"}],"coverPhoto":null,"isHost":false,"createdAt":"\(EventHome.start)"}}
                """
            #expect(try read.decode(JSONValue.self) == EventHome.value(details), "\(read.text)")

            let guests = try await server.send("GET", "/event-members?eventId=\(id)", as: ada)
            let list = """
                {"members":[{"id":"\(rsvp)","userId":"\(bob.id)","userName":"Bob","profilePhotoUrl":null,"status":"GOING",
                "joinedAt":"\(answered)"}],"hasMore":false,"nextCursor":null}
                """
            #expect(try guests.decode(JSONValue.self) == EventHome.value(list), "\(guests.text)")

            func row(_ rsvp: String) -> String {
                """
                {"events":[{\(fields),"coveName":"Chess club","coveCoverPhoto":null,"hostId":"\(ada.id)","hostName":"Ada",
                "rsvpStatus":\(rsvp),"goingCount":1,"createdAt":"\(EventHome.start)","coverPhoto":null}],
                "pagination":{"hasMore":false,"nextCursor":null}}
                """
            }
            for path in [home.coveEvents, "/calendar-events", "/upcoming-events"] {
                let page = try await server.send("GET", path, as: bob)
                #expect(try page.decode(JSONValue.self) == EventHome.value(row("\"GOING\"")), "\(path): \(page.text)")
                let hosts = try await server.send("GET", path, as: ada)
                #expect(try hosts.decode(JSONValue.self) == EventHome.value(row("null")), "\(path): \(hosts.text)")
            }
            #expect(try await home.eventCount() == 1)

            let removed = try await server.sendJSON("POST", "/remove-event-rsvp", ["eventId": id], as: bob)
            #expect(try removed.decode(JSONValue.self) == EventHome.value(#"{"message":"Your answer was removed."}"#))
            #expect(try await server.sendJSON("POST", "/remove-event-rsvp", ["eventId": id], as: bob).status == 200)
            #expect(try await home.read(id, as: ada).goingCount == 0)

            let edited = try await server.sendJSON(
                "POST", "/edit-event", ["eventId": id, "name": "Feast", "description": NSNull(), "coveId": "other"], as: ada)
            let changed = created.replacing("The event was created.", with: "The event was changed.")
                .replacing(#""Party""#, with: #""Feast""#).replacing(#""Bring cake.""#, with: "null")
            #expect(try edited.decode(JSONValue.self) == EventHome.value(changed), "\(edited.text)")

            let deleted = try await server.sendJSON("POST", "/delete-event", ["eventId": id], as: ada)
            #expect(try deleted.decode(JSONValue.self) == EventHome.value(#"{"message":"The event was deleted."}"#))
            #expect(try await home.eventCount() == 0)
            for path in [home.coveEvents, "/calendar-events", "/upcoming-events"] {
                #expect(try await home.list(path, as: bob).events.isEmpty)
            }
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("a value of the wrong type, range or length is 400 and names its field", arguments: StoragePair.allCases)
    func invalid(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let event = try await home.event()
            let long = String(repeating: "x", count: 201)
            let shared: [(String, Any)] = [
                ("name", ""), ("name", " \n"), ("name", long), ("name", 1), ("name", "a\u{0}b"), ("date", "tomorrow"),
                ("date", "2026-06-24"),
                ("date", 1_782_324_000), ("date", "2026-02-30T10:00:00Z"), ("date", "0000-01-01T00:00:00Z"), ("date", ""),
                ("location", ""), ("location", long), ("description", String(repeating: "x", count: 5_001)), ("description", 3),
            ]
            for (field, value) in shared {
                let made = try await home.create([field: value])
                #expect(made.status == 400 && made.text.contains(field), "\(field) \(value): \(made.text)")
                let edited = try await home.server.sendJSON("POST", "/edit-event", ["eventId": event, field: value], as: home.ada)
                #expect(edited.status == 400 && edited.text.contains(field), "\(field) \(value): \(edited.text)")
            }
            for field in ["name", "date", "location"] {
                let cleared = try await home.server.sendJSON("POST", "/edit-event", ["eventId": event, field: NSNull()], as: home.ada)
                #expect(cleared.status == 400 && cleared.text.contains(field), "\(field)")
                let without = ["coveId": home.cove, "name": "Party", "date": "2026-06-24T18:00:00Z", "location": "Garden"]
                    .filter { $0.key != field }
                let missing = try await home.server.sendJSON("POST", "/create-event", without, as: home.ada)
                #expect(missing.status == 400 && missing.text.contains(field), "\(field): \(missing.text)")
            }
            for (path, body, field) in [
                ("/update-event-rsvp", ["eventId": event, "status": "PERHAPS"], "status"),
                ("/update-event-rsvp", ["eventId": event, "status": "going"], "status"),
                ("/update-event-rsvp", ["eventId": event], "status"),
                ("/update-event-rsvp", ["status": "GOING"], "eventId"), ("/remove-event-rsvp", ["eventId": ""], "eventId"),
                ("/delete-event", [:], "eventId"), ("/delete-event", ["eventId": long], "eventId"), ("/edit-event", [:], "eventId"),
                ("/create-event", ["coveId": "", "name": "x", "date": "2026-06-24T18:00:00Z", "location": "l"], "coveId"),
            ] as [(String, [String: String], String)] {
                let answer = try await home.server.sendJSON("POST", path, body, as: home.ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(path) \(body): \(answer.text)")
            }
            for (path, field) in [
                ("/event", "eventId"), ("/event?eventId=", "eventId"), ("/event-members", "eventId"),
                ("/event-members?eventId=\(event)&status=MANY", "status"), ("/event-members?eventId=\(event)&limit=0", "limit"),
                ("/event-members?eventId=\(event)&cursor=\(event)", "cursor"), ("/cove-events", "coveId"),
                ("/cove-events?coveId=\(home.cove)&limit=-1", "limit"), ("/cove-events?coveId=\(home.cove)&limit=ten", "limit"),
                ("/cove-events?coveId=\(home.cove)&cursor=AAAA", "cursor"), ("/calendar-events?limit=0", "limit"),
                ("/calendar-events?cursor=\(home.bob.id)", "cursor"), ("/upcoming-events?cursor=AAAA", "cursor"),
                ("/calendar.ics", "token"),
            ] {
                let answer = try await home.server.send("GET", path, as: home.ada)
                // The message contains the field's name: the error format of these routes has no separate member for it.
                #expect(answer.status == 400 && answer.text.contains(field), "\(path): \(answer.text)")
            }
            let date = try await home.server.sendJSON(
                "POST", "/edit-event", ["eventId": event, "date": "2026-06-24T20:30:00+02:30"], as: home.ada)
            #expect((try date.json()["event"] as? [String: Any])?["date"] as? String == "2026-06-24T18:00:00.000Z")
            #expect(try await home.eventCount() == 1)
        }
    }

    @Test("a cover is shown to members, replaced, removed, and deleted with its event or its file", arguments: StoragePair.allCases)
    func covers(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            let photo = try Fixture.data("photo.jpg").base64EncodedString()
            let event = try await home.event(["coverPhoto": "data:image/jpeg;base64," + photo])
            let first = try #require(try await home.read(event, as: home.bob).coverPhoto)
            #expect(try await server.send("GET", first.url).status == 200)
            #expect(try await home.list(home.coveEvents, as: home.bob).events.map(\.coverPhoto) == [first])
            let bad = try await home.create(["coverPhoto": Data("no picture".utf8).base64EncodedString()])
            #expect(bad.status == 400, "\(bad.text)")

            // An ADMIN's cover replaces the host's.
            try await home.setRole("ADMIN", of: home.bob)
            let body = ["eventId": event, "coverPhoto": try Fixture.data("baseline.jpg").base64EncodedString()]
            #expect(try await server.sendJSON("POST", "/edit-event", body, as: home.bob).status == 200)
            let second = try #require(try await home.read(event, as: home.ada).coverPhoto)
            #expect(second.id != first.id)
            #expect(try await server.send("GET", first.url).status == 404)
            #expect(try await server.send("GET", second.url).status == 200)
            // A change that does not mention the cover keeps it.
            #expect(try await server.sendJSON("POST", "/edit-event", ["eventId": event, "name": "n"], as: home.ada).status == 200)
            #expect(try await home.read(event, as: home.ada).coverPhoto == second)
            // A suspended uploader's picture is not shown.
            try await server.hide(home.bob)
            #expect(try await home.read(event, as: home.ada).coverPhoto == nil)
            try await server.show(home.bob)
            #expect(try await home.read(event, as: home.ada).coverPhoto == second)
            let erased = try await server.send("DELETE", server.moments(home.bob, "multimedia/\(second.id)"), as: home.bob)
            #expect(erased.status == 200)
            #expect(try await home.read(event, as: home.ada).coverPhoto == nil)

            let third = try await home.event(["coverPhoto": photo])
            let cover = try #require(try await home.read(third, as: home.ada).coverPhoto)
            let cleared = try await server.sendJSON("POST", "/edit-event", ["eventId": third, "coverPhoto": NSNull()], as: home.ada)
            #expect(cleared.status == 200)
            #expect(try await home.read(third, as: home.ada).coverPhoto == nil)
            #expect(try await server.send("GET", cover.url).status == 404)
            let fourth = try await home.event(["coverPhoto": photo])
            let last = try #require(try await home.read(fourth, as: home.ada).coverPhoto)
            #expect(try await server.sendJSON("POST", "/delete-event", ["eventId": fourth], as: home.ada).status == 200)
            #expect(try await server.send("GET", last.url).status == 404)
            for person in [home.ada, home.bob] {
                let usage = try await server.checkedUsage(of: person)
                #expect(usage.files == 0)
            }
        }
    }

    @Test("a retry with its key creates one event, and 410 after its deletion", arguments: StoragePair.allCases)
    func idempotency(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let first = try await home.create(key: "k1")
            let again = try await home.create(key: "k1")
            #expect(first.status == 200 && again.body == first.body)
            #expect(try await home.create(["name": "other"], key: "k1").status == 422)
            #expect(try await home.eventCount() == 1)
            let id = try #require((first.json()["event"] as? [String: Any])?["id"] as? String)
            #expect(try await home.server.sendJSON("POST", "/delete-event", ["eventId": id], as: home.ada).status == 200)
            #expect(try await home.create(key: "k1").status == 410)
            _ = try await home.server.checkedUsage(of: home.ada)
        }
    }

    @Test("an edit that changes nothing gets the same response, and no event or calendar changes", arguments: StoragePair.allCases)
    func unchanged(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            let event = try await home.event(["description": "Bring cake."])
            func edit(_ fields: [String: Any]) async throws -> TestServer.Answer {
                server.clock.advance(by: .seconds(1))
                return try await server.sendJSON("POST", "/edit-event", fields.merging(["eventId": event]) { $1 }, as: home.ada)
            }
            func versions() async throws -> [Int] {
                try await server.backend.database.read { tx in
                    let revision: Int = try tx.row("SELECT revision FROM cove_event WHERE id = \(event)")?.get("revision") ?? -1
                    let calendar: Int = try tx.row("SELECT version FROM cove_calendar WHERE cove = \(home.cove)")?.get("version") ?? -1
                    return [revision, calendar]
                }
            }
            let changed = try await edit(["name": "Feast"])
            #expect(changed.status == 200, "\(changed.text)")
            let before = try await versions()
            let same: [[String: Any]] = [
                [:], ["name": " Feast "], ["description": "Bring cake.", "location": "Garden", "date": "2026-06-24T20:03:11.482+02:00"],
                ["coverPhoto": NSNull()],
            ]
            for fields in same {
                let again = try await edit(fields)
                #expect(again.status == 200)
                #expect(try again.decode(JSONValue.self) == changed.decode(JSONValue.self), "\(again.text)")
            }
            #expect(try await versions() == before)
            for person in [home.ada, home.bob] {
                #expect(try await home.received(person, "cove.event.changed").count == 1)
            }
            #expect(try await edit(["description": NSNull()]).status == 200)
            #expect(try await versions() == before.map { $0 + 1 })
            #expect(try await home.received(home.bob, "cove.event.changed").count == 2)
            _ = try await server.checkedUsage(of: home.ada)
        }
    }

    @Test("members are told of events and answers, the others are not", arguments: StoragePair.allCases)
    func live(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let event = try await home.event()
            let notice = #"{"coveId":"\#(home.cove)","eventId":"\#(event)"}"#
            #expect(try await home.server.sendJSON("POST", "/edit-event", ["eventId": event, "name": "n"], as: home.ada).status == 200)
            #expect(try await home.rsvp("MAYBE", to: event, as: home.bob).status == 200)
            // The RSVP is unchanged, so nobody is notified.
            #expect(try await home.rsvp("MAYBE", to: event, as: home.bob).status == 200)
            #expect(try await home.server.sendJSON("POST", "/remove-event-rsvp", ["eventId": event], as: home.bob).status == 200)
            #expect(try await home.server.sendJSON("POST", "/delete-event", ["eventId": event], as: home.ada).status == 200)
            let kinds = ["cove.event.added", "cove.event.changed", "cove.rsvp", "cove.rsvp", "cove.event.ended"]
            for person in [home.ada, home.bob] {
                let received = try await home.received(person).filter { $0.hasPrefix("cove.event") || $0.hasPrefix("cove.rsvp") }
                let expected = kinds.map { "\($0) \(notice)" }
                #expect(received == expected)
            }
            let others = try await home.received(home.eve).filter { $0.hasPrefix("cove.") }
            #expect(others == [])
        }
    }
}
