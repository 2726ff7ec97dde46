import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("The timeline and the moods' statistics", .blocksThreads)
struct TimelineTests {
    private func timeline(_ server: TestServer, _ ada: TestServer.Person, _ query: String = "") async throws -> TimelineResponse {
        let answer = try await server.send("GET", server.moments(ada, "timeline\(query)"), as: ada)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(TimelineResponse.self)
    }

    @Test("all kinds are listed by the time they happened, an event by its date", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x"), ("createdAt", "1767225600"), ("tags", "a")], files: [.photo], as: ada)
            _ = try await server.create("events", [("title", "later"), ("date", "2026-03-01T12:00:00Z"), ("tags", "a,b")], as: ada)
            _ = try await server.create("events", [("title", "earlier"), ("date", "2025-03-01T12:00:00Z")], as: ada)
            _ = try await server.create("memories", [("title", "m"), ("createdAt", "1769904000000"), ("tags", "b")], as: ada)
            let all = try await timeline(server, ada)
            #expect(all.items.map { $0.event?.title ?? $0.memory?.title ?? $0.mood?.mood } == ["later", "m", "x", "earlier"])
            #expect(all.items.map(\.kind) == ["event", "memory", "mood", "event"])
            #expect(all.items[2].mood == mood && all.items[2].at == mood.createdAt)
            #expect(all.items[0].at == 1_772_366_400_000)
            for (query, expected) in [
                ("?tag=a", ["event", "mood"]), ("?from=2026-01-01&to=2026-02-01", ["memory", "mood"]), ("?to=2025-12-31", ["event"]),
                ("?from=2026-02-01T00:00:00Z", ["event", "memory"]), ("?from=2026-02-01T00:00:00.001Z&tag=b", ["event"]),
                ("?to=2026-02-01T00:00:00Z&tag=b", []),
            ] as [(String, [String])] {
                #expect(try await timeline(server, ada, query).items.map(\.kind) == expected, "\(query)")
            }
        }
    }

    @Test(
        "a file uploaded by itself is listed when it was taken, one of an entry only with the entry",
        arguments: StoragePair.allCases)
    func files(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x"), ("createdAt", "1767225600"), ("tags", "trip")], files: [.photo], as: ada)
            #expect(
                try await server.upload(
                    .file("me.jpg", try Fixture.data("photo.jpg")), to: "/api/users/user/\(ada.id)/profile-picture/swift", as: ada
                ).status == 200)
            var body = MultipartBody()
            for name in ["a.jpg", "b.jpg"] { body.add("file", fileName: name, try Fixture.data("photo.jpg")) }
            body.add("tags", "trip")
            body.close()
            let files = try await server.upload(body, as: ada).decode(UploadResponse.self).files.map(\.data.fileId)
            func change(_ id: String, _ json: String) async throws {
                let answer = try await server.send(
                    "PATCH", "/api/users/user/\(ada.id)/multimedia/\(id)", as: ada, headers: [("Content-Type", "application/json")],
                    body: Data(json.utf8))
                #expect(answer.status == 200, "\(answer.text)")
            }
            // Both photos were taken on 2025-06-14 at 16:30:12 UTC, before the mood, as their metadata says.
            for query in ["", "?tag=trip"] {
                let measured = try await timeline(server, ada, query).items
                #expect(measured.map { $0.file?.name ?? $0.mood?.mood } == ["x", "a.jpg", "b.jpg"], "\(query)")
                #expect(measured.map(\.at) == [1_767_225_600_000, 1_749_918_612_000, 1_749_918_612_000], "\(query)")
            }
            for id in files { try await change(id, #"{"takenAt":null}"#) }
            for query in ["", "?tag=trip"] {
                let all = try await timeline(server, ada, query).items
                #expect(all.map { $0.file?.name ?? $0.mood?.mood } == ["a.jpg", "b.jpg", "x"], "\(query)")
                #expect(all.map(\.at) == all.map { $0.file?.createdAt ?? $0.mood?.createdAt })
            }
            // Moves the first photo to a day before the mood.
            try await change(files[0], #"{"takenAt":1767139200}"#)
            for query in ["", "?tag=trip"] {
                let all = try await timeline(server, ada, query).items
                #expect(all.map { $0.file?.name ?? $0.mood?.mood } == ["b.jpg", "x", "a.jpg"], "\(query)")
                #expect(all.last?.at == 1_767_139_200_000)
            }
            #expect(try await timeline(server, ada, "?from=2025-12-31&to=2025-12-31&tag=trip").items.map(\.file?.fileId) == [files[0]])
            // A photo of a mood is listed with the mood, whatever its owner changes.
            let photo = try #require(mood.imageUrls.first?.split(separator: "?").first?.split(separator: "/").last)
            try await change(String(photo), #"{"takenAt":1767139300,"category":"general","tags":["trip"]}"#)
            #expect(try await timeline(server, ada, "?tag=trip").items.count == 3)
            // Pages of one entry each contain every entry once.
            var seen: [String?] = []
            var cursor: String?
            repeat {
                let page = try await timeline(server, ada, "?limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""))
                seen += page.items.map { $0.file?.name ?? $0.mood?.mood }
                cursor = page.pagination.nextCursor
            } while cursor != nil
            #expect(seen == ["b.jpg", "x", "a.jpg"])
        }
    }

    @Test("a film is listed at the time that its metadata states", arguments: StoragePair.allCases)
    func films(_ pair: StoragePair) async throws {
        let folder = try TemporaryFolder()
        let film = try FilmMaker.make(
            folder.path + "/film.mp4", "-t 0.2 -c:v libx264 -preset ultrafast -an -metadata creation_time=2024-02-29T12:00:00Z")
        let edited = try FilmMaker.make(
            folder.path + "/edited.mov",
            "-t 0.2 -c:v libx264 -preset ultrafast -an -metadata creation_time=2026-11-25T12:00:00Z "
                + "-metadata com.apple.quicktime.creationdate=2018-07-01T09:00:02-0800")
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            _ = try await server.mood([("mood", "x"), ("createdAt", "1767225600")], as: ada)
            for (name, content) in [("film.mp4", film), ("photo.jpg", try Fixture.data("photo.jpg"))] {
                let answer = try await server.upload(.file(name, content), as: ada)
                #expect(answer.status == 200, "\(answer.text)")
            }
            let all = try await timeline(server, ada).items
            #expect(all.map { $0.file?.name ?? $0.mood?.mood } == ["x", "photo.jpg", "film.mp4"])
            #expect(all.last?.at == 1_709_208_000_000)
            // In a film that a phone has exported, `creation_time` is the time of the export.
            let exported = try await server.upload(.file("exported.mov", edited), as: ada)
            #expect(exported.status == 200, "\(exported.text)")
            #expect(try await timeline(server, ada).items.first { $0.file?.name == "exported.mov" }?.at == 1_530_464_402_000)
            #expect(try await timeline(server, ada, "?from=2024-02-29&to=2024-02-29").items.map(\.file?.name) == ["film.mp4"])
        }
    }

    @Test("days of the timeline, the statistics and the library are those of the account's time zone", arguments: StoragePair.allCases)
    func accountDays(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // Auckland is 13 hours east of Greenwich in January and 12 in June.
            for (mood, at) in [("evening", "2026-01-01T10:30:00Z"), ("night", "2026-01-01T11:30:00Z")] {
                let seconds = try #require(WireDate.parseMicroseconds(at)) / 1_000_000
                _ = try await server.mood([("mood", mood), ("createdAt", String(seconds))], as: ada)
            }
            // The photo was taken on 2025-06-14 at 16:30:12 UTC, and uploaded on 2026-06-01 at 12:00 UTC.
            #expect(try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).status == 200)
            func entries(_ day: String) async throws -> [String] {
                try await timeline(server, ada, "?from=\(day)&to=\(day)").items.compactMap { $0.file?.name ?? $0.mood?.mood }
            }
            func names(_ query: String) async throws -> [String] {
                let answer = try await server.send("GET", server.moments(ada, "multimedia\(query)"), as: ada)
                return try answer.decode(MediaListResponse.self).files.map(\.name)
            }
            func days() async throws -> [String: Int] {
                let answer = try await server.send("GET", server.moments(ada, "moods/stats?from=2026-01-01&to=2026-01-02"), as: ada)
                let statistics = try answer.decode(MoodStatisticsResponse.self)
                return Dictionary(uniqueKeysWithValues: statistics.days.map { ($0.date, $0.count) })
            }
            #expect(try await entries("2026-01-01") == ["night", "evening"])
            #expect(try await entries("2026-01-02") == [])
            // Times with an offset name a day of another time zone than the account's.
            let day = "from=2026-01-01T00:00:00%2B13:00&to=2026-01-02T00:00:00%2B13:00"
            #expect(try await timeline(server, ada, "?\(day)").items.map { $0.mood?.mood } == ["evening"])
            #expect(try await entries("2025-06-14") == ["a.jpg"])
            #expect(try await days() == ["2026-01-01": 2])
            #expect(try await names("?from=2026-06-02") == [])
            #expect(try await names("?sort=takenAt&to=2025-06-14") == ["a.jpg"])

            let chosen = try await server.sendJSON("PATCH", "/user/me", ["time_zone": "Pacific/Auckland"], as: ada)
            try #require(chosen.status == 200, "\(chosen.text)")
            #expect(try await entries("2026-01-01") == ["evening"])
            #expect(try await entries("2026-01-02") == ["night"])
            #expect(try await entries("2025-06-14") == [])
            #expect(try await entries("2025-06-15") == ["a.jpg"])
            #expect(try await days() == ["2026-01-01": 1, "2026-01-02": 1])
            #expect(try await names("?from=2026-06-02") == ["a.jpg"])
            #expect(try await names("?sort=takenAt&to=2025-06-14") == [])
            #expect(try await names("?sort=takenAt&from=2025-06-15&to=2025-06-15") == ["a.jpg"])
        }
    }

    @Test("pages are complete and without duplicates in both orders, with and without a tag", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for index in 0..<9 {
                let time = ("createdAt", String(1_767_225_600 + index / 3))
                switch index % 3 {
                case 0: _ = try await server.mood([("mood", "m"), ("tags", "t"), time], as: ada)
                case 1: _ = try await server.create("memories", [("title", "m"), ("tags", "t"), time], as: ada)
                default: _ = try await server.create("events", [("title", "m"), ("tags", "t"), ("date", "2026-01-01T00:00:01Z")], as: ada)
                }
            }
            for tag in ["", "&tag=t"] {
                var lists: [[String]] = []
                for order in ["desc", "asc"] {
                    var (seen, cursor): ([TimelineItem], String?) = ([], nil)
                    repeat {
                        let next = cursor.map { "&cursor=\($0)" } ?? ""
                        let page = try await timeline(server, ada, "?limit=2&order=\(order)\(tag)\(next)")
                        seen += page.items
                        cursor = page.pagination.nextCursor
                    } while cursor != nil
                    let times = seen.map(\.at)
                    #expect(order == "asc" ? times == times.sorted() : times == times.sorted(by: >))
                    lists.append(seen.compactMap { $0.mood?.id ?? $0.memory?.id ?? $0.event?.id })
                }
                #expect(lists[0].count == 9 && Set(lists[0]).count == 9)
                #expect(lists[1] == lists[0].reversed())
            }
        }
    }

    /// Adds four moods, four memories and four events with the tag `t`, and a photo without a tag. The moods and the memories are a second
    /// apart, and the events a day.
    private func entries(_ server: TestServer, of ada: TestServer.Person) async throws {
        for index in 0..<4 {
            let time = ("createdAt", String(1_767_225_601 + index))
            let date = ("date", "2026-01-0\(index + 1)T00:00:00Z")
            _ = try await server.mood([("mood", "mood \(index)"), ("tags", "t"), time], as: ada)
            _ = try await server.create("memories", [("title", "memory \(index)"), ("tags", "t"), time], as: ada)
            let event = try await server.create("events", [("title", "event \(index)"), ("tags", "t"), time, date], as: ada)
            #expect(event.status == 200, "\(event.text)")
        }
        #expect(try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).status == 200)
    }

    private func names(_ items: [TimelineItem]) -> [String] {
        items.map { $0.event?.title ?? $0.memory?.title ?? $0.mood?.mood ?? $0.file?.name ?? "" }
    }

    @Test("only the named kinds are listed, with a range, with a tag and in pages", arguments: StoragePair.allCases)
    func kinds(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await entries(server, of: ada)
            for (query, expected) in [
                ("?kind=event", ["event 3", "event 2", "event 1", "event 0"]), ("?kind=mood", ["mood 3", "mood 2", "mood 1", "mood 0"]),
                ("?kind=file", ["a.jpg"]), ("?kind=capsule,capture", []),
                ("?kind=memory,file", ["memory 3", "memory 2", "memory 1", "memory 0", "a.jpg"]),
                ("?kind=event,mood", ["event 3", "event 2", "event 1", "mood 3", "mood 2", "mood 1", "mood 0", "event 0"]),
                ("?kind=event,mood&limit=5", ["event 3", "event 2", "event 1", "mood 3", "mood 2"]),
                ("?kind=mood,file&tag=t&limit=2", ["mood 3", "mood 2"]), ("?kind=file&tag=t", []),
                ("?kind=event&tag=t&from=2026-01-02&to=2026-01-03", ["event 2", "event 1"]),
                ("?kind=memory&from=2026-01-01T00:00:02Z&to=2026-01-01T00:00:04Z", ["memory 2", "memory 1"]),
                ("?kind=event,mood&limit=3&order=asc", ["event 0", "mood 0", "mood 1"]),
                ("?kind=memory,file&order=asc", ["a.jpg", "memory 0", "memory 1", "memory 2", "memory 3"]),
                ("?kind=event&tag=t&from=2026-01-02&to=2026-01-03&order=asc", ["event 1", "event 2"]),
            ] as [(String, [String])] {
                #expect(names(try await timeline(server, ada, query).items) == expected, "\(query)")
            }
            for query in [
                "kind=event", "kind=mood,memory", "kind=event,memory,file", "kind=event,mood&to=2026-01-03", "kind=event&tag=t",
                "kind=event,memory,file&order=asc", "kind=event&tag=t&order=asc", "kind=event,mood&from=2026-01-01T00:00:02Z&order=asc",
            ] {
                let whole = try await timeline(server, ada, "?limit=100&\(query)").items
                for limit in [1, 2] {
                    var (seen, cursor): ([TimelineItem], String?) = ([], nil)
                    repeat {
                        let page = try await timeline(server, ada, "?limit=\(limit)&\(query)" + (cursor.map { "&cursor=\($0)" } ?? ""))
                        seen += page.items
                        cursor = page.pagination.nextCursor
                    } while cursor != nil
                    #expect(names(seen) == names(whole) && whole.count >= 4, "\(query)")
                }
            }
        }
    }

    @Test("an unknown kind is refused, and a cursor is valid for its kinds only", arguments: StoragePair.allCases)
    func kindErrors(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await entries(server, of: ada)
            func refusal(_ query: String) async throws -> String? {
                let answer = try await server.send("GET", server.moments(ada, "timeline?\(query)"), as: ada)
                #expect(answer.status == 400, "\(query): \(answer.text)")
                return answer.header("Error-Field")
            }
            for kinds in ["letter", "mood,letter", "mood,", "Mood", "mood,%20event"] {
                #expect(try await refusal("kind=\(kinds)") == "kind", "\(kinds)")
            }
            let cursor = try #require(try await timeline(server, ada, "?kind=event,mood&limit=2").pagination.nextCursor)
            #expect(names(try await timeline(server, ada, "?kind=mood,event&limit=1&cursor=\(cursor)").items) == ["event 1"])
            for kinds in ["", "&kind=mood", "&kind=event,mood,file", "&kind=event,mood&order=asc"] {
                #expect(try await refusal("limit=2\(kinds)&cursor=\(cursor)") == "cursor", "\(kinds)")
            }
            // Cursors of the last release are still valid. That release knew no kinds.
            let cursors = server.backend.features[MediaFeature.self].cursors
            let paging = try Paging<TimeKey>("timeline", of: [ada.id, "", "", ""], after: nil, limit: 1, cursors)
            let old = try #require(paging.cursor(TimeKey(at: Timestamp(seconds: 1_767_225_601), id: "")))
            #expect(names(try await timeline(server, ada, "?limit=1&cursor=\(old)").items) == ["event 0"])
        }
    }

    @Test("moods are counted by day in the given time zone, with their mean intensity", arguments: StoragePair.allCases)
    func statistics(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (mood, at, intensity) in [
                ("happy", "2026-03-28T23:30:00Z", "8"), ("happy", "2026-03-28T10:00:00Z", "9"), ("sad", "2026-03-28T11:00:00Z", nil),
                // Daylight saving time begins in Berlin on the 29th: that day begins at 23:00 UTC and ends at 22:00 UTC.
                ("tired", "2026-03-29T21:59:00Z", "3"), ("tired", "2026-03-29T22:00:00Z", "4"), ("old", "1960-01-01T00:00:00Z", "1"),
            ] as [(String, String, String?)] {
                let seconds = try #require(WireDate.parseMicroseconds(at)) / 1_000_000
                var fields = [("mood", mood), ("createdAt", String(seconds))]
                if let intensity { fields.append(("moodIntensity", intensity)) }
                _ = try await server.mood(fields, as: ada)
            }
            func statistics(_ query: String) async throws -> MoodStatisticsResponse {
                try await server.send("GET", server.moments(ada, "moods/stats\(query)"), as: ada).decode(MoodStatisticsResponse.self)
            }
            let berlin = try await statistics("?from=2026-03-28&to=2026-03-29&timeZone=Europe/Berlin")
            #expect(berlin.count == 4 && berlin.timeZone == "Europe/Berlin" && berlin.meanIntensity == 6.67)
            #expect(berlin.days.map(\.date) == ["2026-03-28", "2026-03-29"])
            #expect(
                berlin.days[0].moods == [
                    .init(mood: "happy", count: 1, meanIntensity: 9), .init(mood: "sad", count: 1, meanIntensity: nil),
                ])
            #expect(berlin.days[1].moods.map(\.mood) == ["happy", "tired"] && berlin.days[1].meanIntensity == 5.5)
            #expect(
                berlin.moods.map(\.mood) == ["happy", "sad", "tired"] && berlin.moods[0].count == 2 && berlin.moods[0].meanIntensity == 8.5)
            let utc = try await statistics("?from=2026-03-28&to=2026-03-29")
            #expect(utc.count == 5 && utc.days.map(\.count) == [3, 2] && utc.timeZone == "UTC")
            let old = try await statistics("?from=1959-12-31&to=1960-01-01")
            #expect(old.days.map(\.date) == ["1960-01-01"])
            // By default, the statistics are those of the last thirty days, which have no moods.
            #expect(try await statistics("").count == 0)
        }
    }
}
