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
            for person in [ada, bob] { _ = try await server.balancedBooks(of: person) }
        }
    }

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

            // Bob was a member.
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
            // The error names everybody who may.
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
            // An ADMIN who is not the host.
            #expect(try await delete(adas, as: home.bob) == 403)
            #expect(try await delete(bobs, as: home.ada) == 403)

            // A host who is a MEMBER again stays the host.
            try await home.setRole("MEMBER", of: home.bob)
            #expect(try await edit(bobs, as: home.bob) == 200)
            #expect(try await home.create(as: home.bob).status == 403)

            // A creator who is not an ADMIN still creates.
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
            // Without a word about it, the cover stays.
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
                let books = try await server.balancedBooks(of: person)
                #expect(books.files == 0)
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
            _ = try await home.server.balancedBooks(of: home.ada)
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
                #expect(try await home.told(person, "cove.event.changed").count == 1)
            }
            #expect(try await edit(["description": NSNull()]).status == 200)
            #expect(try await versions() == before.map { $0 + 1 })
            #expect(try await home.told(home.bob, "cove.event.changed").count == 2)
            _ = try await server.balancedBooks(of: home.ada)
        }
    }

    @Test("members are told of events and answers, the others are not", arguments: StoragePair.allCases)
    func live(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let event = try await home.event()
            let notice = #"{"coveId":"\#(home.cove)","eventId":"\#(event)"}"#
            #expect(try await home.server.sendJSON("POST", "/edit-event", ["eventId": event, "name": "n"], as: home.ada).status == 200)
            #expect(try await home.rsvp("MAYBE", to: event, as: home.bob).status == 200)
            // Unchanged, so nobody is told.
            #expect(try await home.rsvp("MAYBE", to: event, as: home.bob).status == 200)
            #expect(try await home.server.sendJSON("POST", "/remove-event-rsvp", ["eventId": event], as: home.bob).status == 200)
            #expect(try await home.server.sendJSON("POST", "/delete-event", ["eventId": event], as: home.ada).status == 200)
            let kinds = ["cove.event.added", "cove.event.changed", "cove.rsvp", "cove.rsvp", "cove.event.ended"]
            for person in [home.ada, home.bob] {
                let told = try await home.told(person).filter { $0.hasPrefix("cove.event") || $0.hasPrefix("cove.rsvp") }
                let expected = kinds.map { "\($0) \(notice)" }
                #expect(told == expected)
            }
            let others = try await home.told(home.eve).filter { $0.hasPrefix("cove.") }
            #expect(others == [])
        }
    }
}
