import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Creating moods, memories and events")
struct CreateMomentTests {
    /// The content types that an entry may have, as the server's error message names them.
    private static let acceptedTypes = "multipart/form-data, or without files also application/json or application/x-www-form-urlencoded"

    @Test(
        "a mood with two pictures and a voice note is created by one request, and all of its files are served",
        arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let answer = try await server.create(
                "moods",
                [
                    ("mood", " happy "), ("note", "Great day!"), ("reason", "Good weather"), ("tags", "sunny, productive,,sunny"),
                    ("interests", "photography"), ("moodIntensity", "8"), ("createdAt", "1640995200"), ("voiceNoteDuration", "45.6"),
                ],
                files: [.photo, .voice, MomentFile(field: "image", name: "b.png", type: "image/png", fixture: "palette.png")], as: ada)
            #expect(answer.status == 200)
            let response = try answer.decode(MoodResponse.self)
            let mood = response.mood
            #expect(mood.mood == "happy" && mood.note == "Great day!" && mood.reason == "Good weather" && mood.moodIntensity == 8)
            #expect(mood.tags == ["sunny", "productive"] && mood.interests == ["photography"])
            #expect(mood.createdAt == 1_640_995_200_000)
            #expect(response.imageUrls == mood.imageUrls && mood.imageUrls.count == 2)
            #expect(mood.groupId != nil)
            for (link, fixture) in zip(mood.imageUrls, ["photo.jpg", "palette.png"]) {
                let sent = try Fixture.data(fixture)
                #expect(try await server.send("GET", link).body == sent)
            }
            let voice = try #require(mood.voiceNote)
            let sound = try await server.send("GET", voice, headers: [("Range", "bytes=0-9")])
            let sent = try Fixture.data("voice.m4a")
            #expect(sound.status == 206 && sound.body == sent.prefix(10))
            #expect(sound.header("Content-Type") == "audio/mp4")
            // The server measures the duration.
            let duration = try #require(mood.voiceNoteDuration)
            #expect(duration > 0 && duration < 5)

            let read = try await server.send("GET", server.moments(ada, "moods/\(mood.id)"), as: ada)
            #expect(try read.decode(MoodResponse.self) == response)
            let list = try await server.send("GET", server.moments(ada, "moods"), as: ada).decode(MoodListResponse.self)
            #expect(list.moods == [mood] && !list.pagination.hasMore)
        }
    }

    @Test("only required fields must be sent, and a file's name does not decide its type", arguments: StoragePair.allCases)
    func least(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "calm")], as: ada)
            #expect(mood.imageUrls.isEmpty && mood.tags.isEmpty && mood.interests.isEmpty && mood.category == "general")
            #expect(mood.createdAt == Int(server.clock.now.milliseconds))
            let text = try await server.send("GET", server.moments(ada, "moods/\(mood.id)"), as: ada).text
            for absent in ["note", "reason", "moodIntensity", "voiceNote", "groupId", "null"] { #expect(!text.contains("\"\(absent)")) }

            // A WAV file with the name and type of an M4A file: the existing app labels every recording like this.
            let labelled = try await server.mood(
                [("mood", "calm")], files: [MomentFile(field: "voiceNote", name: "v.m4a", type: "audio/m4a", fixture: "plain.wav")], as: ada
            )
            let sound = try await server.send("GET", try #require(labelled.voiceNote))
            let sent = try Fixture.data("plain.wav")
            #expect(sound.header("Content-Type") == "audio/wav" && sound.body == sent)
        }
    }

    @Test("files may come before the fields they belong to", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("voiceNote", fileName: "v.wav", type: "audio/wav", try Fixture.data("plain.wav"))
            body.add("image", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            body.add("mood", "excited")
            body.close()
            let answer = try await server.upload(body, to: server.moments(ada, "moods/swift"), as: ada)
            let mood = try answer.decode(MoodResponse.self).mood
            #expect(mood.mood == "excited" && mood.imageUrls.count == 1 && mood.voiceNote != nil)
        }
    }

    @Test("a memory and an event are returned in the form of the document's models", arguments: StoragePair.allCases)
    func others(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let memory = try await server.create(
                "memories",
                [
                    ("title", "The lake"), ("description", "We swam."), ("location", "Bled"), ("tags", "summer"),
                    ("createdAt", "1640995200123"),
                ],
                files: [.photo], as: ada
            ).decode(MemoryResponse.self).memory
            #expect(memory.title == "The lake" && memory.description == "We swam." && memory.location == "Bled")
            #expect(memory.createdAt == 1_640_995_200_123 && memory.imageUrls.count == 1 && memory.groupId == nil)
            let event = try await server.create(
                "events", [("title", "New Year's Eve"), ("date", "2026-12-31T21:00:00.5+01:00"), ("location", "Bled")], as: ada
            ).decode(EventResponse.self).event
            #expect(event.date == "2026-12-31T20:00:00.500Z" && event.title == "New Year's Eve" && event.description == nil)
            #expect(event.createdAt == Int(server.clock.now.milliseconds))
            for (path, id) in [("memories", memory.id), ("events", event.id)] {
                #expect(try await server.send("GET", server.moments(ada, "\(path)/\(id)"), as: ada).status == 200)
                // A memory is not found as a mood.
                #expect(try await server.send("GET", server.moments(ada, "moods/\(id)"), as: ada).status == 404)
            }
        }
    }

    private static let badRequests: [(path: String, fields: [(String, String)], named: String)] = [
        ("moods", [], "mood"), ("moods", [("mood", "  ")], "mood"), ("moods", [("mood", String(repeating: "m", count: 65))], "mood"),
        ("moods", [("mood", "a\u{0}b")], "mood"), ("moods", [("mood", "x"), ("moodIntensity", "0")], "moodIntensity"),
        ("moods", [("mood", "x"), ("moodIntensity", "11")], "moodIntensity"),
        ("moods", [("mood", "x"), ("moodIntensity", "7.5")], "moodIntensity"),
        ("moods", [("mood", "x"), ("createdAt", "yesterday")], "createdAt"),
        ("moods", [("mood", "x"), ("createdAt", "1e300")], "createdAt"),
        ("moods", [("mood", "x"), ("createdAt", "nan")], "createdAt"),
        ("moods", [("mood", "x"), ("voiceNoteDuration", "-1")], "voiceNoteDuration"),
        ("moods", [("mood", "x"), ("note", String(repeating: "n", count: 10_001))], "note"),
        ("moods", [("mood", "x"), ("tags", String(repeating: "t", count: 65))], "tags"),
        ("moods", [("mood", "x"), ("interests", (0...50).map(String.init).joined(separator: ","))], "interests"),
        ("memories", [("description", "x")], "title"), ("memories", [("title", String(repeating: "t", count: 201))], "title"),
        ("memories", [("title", "x"), ("location", String(repeating: "l", count: 201))], "location"),
        ("events", [("title", "x")], "date"), ("events", [("date", "2026-12-31T20:00:00Z")], "title"),
        ("events", [("title", "x"), ("date", "tomorrow")], "date"),
        ("events", [("title", "x"), ("date", "0000-01-01T00:00:00Z")], "date"),
    ]

    @Test("a missing or invalid field is 400, the error names it, and nothing is stored", arguments: StoragePair.allCases)
    func badFields(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (path, fields, named) in Self.badRequests {
                let answer = try await server.create(path, fields, files: [.photo], as: ada)
                #expect(answer.status == 400, "\(path) \(fields)")
                let json = try answer.json()
                #expect(Set(json.keys) == ["error", "details", "code"], "\(path) \(fields)")
                #expect((json["details"] as? String)?.contains(named) == true, "\(path) \(fields): \(answer.text)")
                #expect(try await server.storedFileCount() == 0, "\(path) \(fields)")
                for list in [path, "multimedia"] {
                    #expect(try await server.send("GET", server.moments(ada, list), as: ada).text.contains("[]"), "\(path) \(fields)")
                }
            }
        }
    }

    @Test("an intensity may be written with a decimal point, in a form and in JSON")
    func decimalIntensity() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let form = try await server.mood([("mood", "calm"), ("moodIntensity", "8.0")], as: ada)
            #expect(form.moodIntensity == 8)
            let json = try await server.send(
                "POST", server.moments(ada, "moods/swift"), as: ada, headers: [("Content-Type", "application/json")],
                body: Data(#"{"mood":"calm","moodIntensity":8.0}"#.utf8))
            #expect(json.status == 200, "\(json.text)")
            #expect(try json.decode(MoodResponse.self).mood.moodIntensity == 8)
            for wrong in ["8.5", "11.0", "0.0", "nan", "inf", "1e300", "8.0.0"] {
                let answer = try await server.create("moods", [("mood", "calm"), ("moodIntensity", wrong)], as: ada)
                #expect(answer.status == 400 && answer.header("Error-Field") == "moodIntensity", "\(wrong): \(answer.text)")
            }
        }
    }

    @Test("a required text that is blank is not called missing")
    func blank() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            for (path, field) in [("moods", "mood"), ("memories", "title"), ("events", "title")] {
                for (fields, message) in [([], "\(field) is missing."), ([(field, " ")], "\(field) must not be blank.")]
                    as [([(String, String)], String)]
                {
                    let answer = try await server.create(path, fields + [("tags", "t")], as: ada)
                    let details = try answer.json()["details"] as? String
                    #expect(answer.status == 400 && details == message, "\(answer.text)")
                }
            }
        }
    }

    @Test("one refused file refuses the whole request", arguments: StoragePair.allCases)
    func badFiles(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (files, status) in [
                ([.photo, MomentFile(fixture: "voice.m4a")], 422),
                ([.photo, MomentFile(field: "voiceNote", fixture: "photo.jpg")], 422),
                ([.photo, .voice, .voice], 400),
                ([MomentFile](repeating: .photo, count: 11), 400),
            ] as [([MomentFile], Int)] {
                let answer = try await server.create("moods", [("mood", "x")], files: files, as: ada)
                #expect(answer.status == status, "\(answer.text)")
                #expect(try await server.storedFileCount() == 0)
                #expect(try await server.send("GET", server.moments(ada, "moods"), as: ada).decode(MoodListResponse.self).moods.isEmpty)
            }
        }
    }

    @Test("ten pictures and a voice note are within the limit", arguments: StoragePair.allCases)
    func tenAndOne(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let mood = try await server.mood(
                [("mood", "full")], files: [MomentFile](repeating: .photo, count: 10) + [.voice], as: try await server.person())
            #expect(mood.imageUrls.count == 10 && mood.voiceNote != nil)
        }
    }

    @Test("a voice note of more than 25 MB is 413 and leaves nothing", arguments: StoragePair.allCases)
    func hugeVoice(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("mood", "x")
            body.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            body.add(
                "voiceNote", fileName: "v.wav", try Fixture.data("plain.wav") + Data(count: 25 * 1_048_576))
            body.close()
            let answer = try await server.upload(body, to: server.moments(ada, "moods/swift"), as: ada)
            #expect(answer.status == 413)
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("a mood that exceeds the quota is refused as a whole", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 30_000
        } _: { server in
            let ada = try await server.person()
            let answer = try await server.create(
                "moods", [("mood", "x")],
                files: [.photo, MomentFile(field: "voiceNote", name: "v.wav", type: "audio/wav", fixture: "plain.wav")], as: ada)
            #expect(answer.status == 413 && answer.text.contains("quota"))
            #expect(try await server.storedFileCount() == 0)
            #expect(try await server.send("GET", server.moments(ada, "moods"), as: ada).decode(MoodListResponse.self).moods.isEmpty)
        }
    }

    @Test("a retry with the same Idempotency-Key gets the first response and creates nothing", arguments: StoragePair.allCases)
    func retry(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await server.create("moods", [("mood", "x")], files: [.photo], as: ada, key: "k-1")
            let again = try await server.create("moods", [("mood", "x")], files: [.photo], as: ada, key: "k-1")
            #expect(first.status == 200 && again.body == first.body)
            #expect(try await server.send("GET", server.moments(ada, "moods"), as: ada).decode(MoodListResponse.self).moods.count == 1)
            #expect(try await server.storedFileCount() == 1)
            #expect(try await server.create("moods", [("mood", "y")], files: [.photo], as: ada, key: "k-1").status == 422)
        }
    }

    @Test("a caller cannot create a moment for another user", arguments: StoragePair.allCases)
    func stranger(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            var body = MultipartBody()
            body.add("mood", "x")
            body.close()
            #expect(try await server.upload(body, to: server.moments(ada, "moods/swift"), as: eve).status == 403)
            let nobody = try await server.send(
                "POST", server.moments(ada, "moods/swift"), headers: [("Content-Type", body.contentType)], body: body.data)
            #expect(nobody.status == 401)
        }
    }

    @Test("an entry without files may be sent as JSON or URL-encoded", arguments: StoragePair.allCases)
    func plainFields(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            func send(_ kind: String, _ type: String?, _ text: String, key: String? = nil) async throws -> TestServer.Answer {
                let headers = (type.map { [("Content-Type", $0)] } ?? []) + (key.map { [("Idempotency-Key", $0)] } ?? [])
                return try await server.send(
                    "POST", server.moments(ada, "\(kind)/swift"), as: ada, headers: headers, body: Data(text.utf8))
            }
            let json =
                #"{"mood":"calm","note":"By the lake & back","tags":["new york","b"],"moodIntensity":7,"createdAt":1767225600,"x":{}}"#
            let mood = try await send("moods", "application/json; charset=utf-8", json, key: "k").decode(MoodResponse.self).mood
            #expect(mood.mood == "calm" && mood.note == "By the lake & back" && mood.tags == ["new york", "b"])
            #expect(mood.moodIntensity == 7 && mood.createdAt == 1_767_225_600_000)
            // A response has its fields in the same order with an idempotency key and without.
            for key in [nil, "order"] {
                let text = try await send("memories", "application/json", #"{"title":"t"}"#, key: key).text
                #expect(text.hasPrefix(#"{"success":true,"memory":{"id":""#), "\(text)")
            }
            // A retry gets the first response; the same key with another body is refused.
            #expect(try await send("moods", "application/json", json, key: "k").decode(MoodResponse.self).mood.id == mood.id)
            #expect(try await send("moods", "application/json", #"{"mood":"other"}"#, key: "k").status == 422)
            let encoded = "title=Caf%C3%A9+by+the+lake&tags=a,b&date=2026-12-31T20:00:00Z&unknown=1"
            let event = try await send("events", "application/x-www-form-urlencoded", encoded).decode(EventResponse.self).event
            #expect(event.title == "Café by the lake" && event.tags == ["a", "b"])
            #expect(try await send("memories", "application/json", #"{"title":"m","description":null}"#).status == 200)
            // By default curl sends JSON with the type of a form, and other clients send no type.
            let untyped = ["application/x-www-form-urlencoded", nil]
            for type in untyped {
                let memory = try await send("memories", type, " \n" + #"{"title":"a=b&c","tags":["x","y"]}"#, key: type ?? "untyped")
                    .decode(MemoryResponse.self).memory
                #expect(memory.title == "a=b&c" && memory.tags == ["x", "y"])
            }
            for (type, text, field) in [
                (nil, "mood=x", "Content-Type is missing"), (nil, "", "Content-Type is missing"),
                (nil, String(repeating: "x", count: 20_000), "Content-Type is missing"), (nil, #"{"mood":"#, "JSON"),
                ("application/json", #"{"mood":"x","createdAt":"2026-12-31"}"#, "createdAt must be a Unix time in seconds or milliseconds"),
                ("application/json", #"{"mood":5}"#, "mood"), ("application/json", #"{"mood":"x","tags":"a"}"#, "tags"),
                ("application/json", #"{"mood":"x","tags":["a,b"]}"#, "tags"),
                ("application/json", #"{"mood":"x","moodIntensity":"7"}"#, "moodIntensity"),
                ("application/json", #"{"mood":"x","moodIntensity":11}"#, "moodIntensity"), ("application/json", #"{"note":"x"}"#, "mood"),
                ("application/json", "[1]", "JSON"), ("application/x-www-form-urlencoded", "mood=%zz", "form"),
                ("application/x-www-form-urlencoded", "mood=%ff", "form"),
                ("text/plain", "mood=x", Self.acceptedTypes), (nil, "mood=x", Self.acceptedTypes),
                // A form type that only lacks its boundary is not an unknown type.
                ("multipart/form-data", "mood=x", "boundary"),
            ] as [(String?, String, String)] {
                let answer = try await send("moods", type, text)
                #expect(answer.status == 400 && answer.text.contains(field), "\(type ?? "none") \(text.prefix(100)): \(answer.text)")
            }
            #expect(try await send("moods", "text/plain", "mood=x").header("Error-Field") == "Content-Type")
            // A route that takes only JSON accepts it under each of these types. If the body is a form, the error names the header to send.
            for type in untyped {
                let headers = type.map { [("Content-Type", $0)] } ?? []
                let changed = try await server.send(
                    "PATCH", server.moments(ada, "moods/\(mood.id)"), as: ada, headers: headers, body: Data(#"{"note":"n"}"#.utf8))
                #expect(try changed.decode(MoodResponse.self).mood.note == "n")
            }
            let form = try await server.send(
                "PATCH", server.moments(ada, "moods/\(mood.id)"), as: ada, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Data("note=n".utf8))
            #expect(form.status == 400 && form.text.contains("Content-Type: application/json"), "\(form.text)")
            let long = #"{"mood":"x","note":"\#(String(repeating: "n", count: 300_000))"}"#
            #expect(try await send("moods", "application/json", long).status == 413)
            // A route for files still accepts only a form with files.
            let upload = try await server.send(
                "POST", "/api/users/user/\(ada.id)/multimedia/swift", as: ada, headers: [("Content-Type", "application/json")],
                body: Data("{}".utf8))
            #expect(upload.status == 400 && upload.text.contains("multipart/form-data"))
            let bare = try await server.send("POST", "/api/users/user/\(ada.id)/multimedia/swift", as: ada, body: Data("{}".utf8))
            #expect(bare.status == 400 && bare.text.contains("Content-Type is missing; send multipart/form-data."))
            #expect(try await server.send("GET", server.moments(ada, "moods"), as: ada).decode(MoodListResponse.self).moods.count == 1)
        }
    }
}
