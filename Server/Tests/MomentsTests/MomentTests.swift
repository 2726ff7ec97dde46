import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import keepsake

@Suite("Reading, changing and deleting moods, memories and events")
struct MomentTests {
    @Test("pages are complete and without duplicates in both orders, also of moments of the same time", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var made: [String] = []
            for index in 0..<7 {
                made.append(try await server.mood([("mood", "m\(index)")], as: ada).id)
                if index == 3 { server.clock.advance(by: .seconds(1)) }
            }
            _ = try await server.create("memories", [("title", "no mood")], as: ada)
            func pages(_ order: String) async throws -> [String] {
                var (seen, cursor): ([String], String?) = ([], nil)
                repeat {
                    let path = server.moments(ada, "moods?limit=2\(order)" + (cursor.map { "&cursor=\($0)" } ?? ""))
                    let page = try await server.send("GET", path, as: ada).decode(MoodListResponse.self)
                    seen += page.moods.map(\.id)
                    cursor = page.pagination.nextCursor
                } while cursor != nil
                return seen
            }
            let seen = try await pages("")
            #expect(Set(seen) == Set(made) && seen.count == 7 && Set(seen.prefix(3)) == Set(made.suffix(3)))
            #expect(try await pages("&order=desc") == seen)
            #expect(try await pages("&order=asc") == seen.reversed())
        }
    }

    @Test("category, group and tag filter each list, alone and together", arguments: StoragePair.allCases)
    func filters(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let a = try await server.mood([("mood", "a"), ("category", "work"), ("tags", "sea,sun"), ("groupId", "g")], as: ada).id
            let b = try await server.mood([("mood", "b"), ("category", "work"), ("tags", "sun")], as: ada).id
            let c = try await server.mood([("mood", "c"), ("tags", "sea"), ("groupId", "g")], as: ada).id
            _ = try await server.create("memories", [("title", "t"), ("tags", "sea"), ("groupId", "g"), ("category", "work")], as: ada)
            for (query, expected) in [
                ("?category=work", [a, b]), ("?tag=sea", [a, c]), ("?groupId=g", [a, c]), ("?category=work&tag=sea", [a]),
                ("?groupId=g&category=general", [c]), ("?groupId=g&category=work", [a]), ("?groupId=g&tag=sea", [a, c]),
                ("?groupId=g&tag=sun", [a]), ("?category=work&groupId=g&tag=sun", [a]), ("?category=general&groupId=g&tag=sun", []),
                ("?category=general&tag=sun", []), ("?tag=none", []), ("?category=work&tag=none", []),
            ] as [(String, [String])] {
                let page = try await server.send("GET", server.moments(ada, "moods\(query)"), as: ada).decode(MoodListResponse.self)
                #expect(Set(page.moods.map(\.id)) == Set(expected), "\(query)")
            }
        }
    }

    @Test("a range of the creation time combines with the labels, and its days are those of the account", arguments: StoragePair.allCases)
    func ranges(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // 2026-03-01 at 23:30, 2026-03-02 at 12:00 and 2026-03-03 at 00:00, in UTC.
            for (name, time, tags) in [("a", 1_772_407_800, "sea"), ("b", 1_772_452_800, "sea"), ("c", 1_772_496_000, "sun")] {
                _ = try await server.mood([("mood", name), ("tags", tags), ("createdAt", "\(time)"), ("category", "work")], as: ada)
                _ = try await server.create("memories", [("title", name), ("tags", tags), ("createdAt", "\(time)")], as: ada)
                _ = try await server.create(
                    "events", [("title", name), ("createdAt", "\(time)"), ("date", "2030-01-01T00:00:00Z")], as: ada)
            }
            func moods(_ query: String) async throws -> [String] {
                try await server.send("GET", server.moments(ada, "moods?\(query)"), as: ada).decode(MoodListResponse.self).moods.map(\.mood)
            }
            #expect(try await moods("from=2026-03-02") == ["c", "b"])
            #expect(try await moods("to=2026-03-02") == ["b", "a"])
            #expect(try await moods("from=2026-03-02&to=2026-03-02") == ["b"])
            #expect(try await moods("from=2026-03-01T23:30:00Z&to=2026-03-03T00:00:00Z&tag=sea&category=work") == ["b", "a"])
            #expect(try await moods("from=2026-03-02&tag=sea") == ["b"])
            #expect(try await moods("from=2026-03-02&order=asc") == ["b", "c"])
            #expect(try await moods("to=2026-03-02&tag=sea&category=work&order=asc") == ["a", "b"])
            // A page after the first, within a range that has both ends.
            let all = "from=2026-03-01&to=2026-03-03&order=asc"
            let first = try await server.send("GET", server.moments(ada, "moods?\(all)&limit=1"), as: ada)
            let afterFirst = try #require(try first.decode(MoodListResponse.self).pagination.nextCursor)
            #expect(try await moods("\(all)&cursor=\(afterFirst)") == ["b", "c"])
            let memories = try await server.send("GET", server.moments(ada, "memories?from=2026-03-02&tag=sea"), as: ada)
            #expect(try memories.decode(MemoryListResponse.self).memories.map(\.title) == ["b"])
            let events = try await server.send("GET", server.moments(ada, "events?to=2026-03-01"), as: ada)
            #expect(try events.decode(EventListResponse.self).events.map(\.title) == ["a"])
            let page = try await server.send("GET", server.moments(ada, "moods?to=2026-03-02&limit=1"), as: ada)
            let cursor = try #require(try page.decode(MoodListResponse.self).pagination.nextCursor)
            #expect(try await moods("to=2026-03-02&limit=1&cursor=\(cursor)") == ["a"])
            for (query, field) in [
                ("from=then", "from"), ("to=2026-02-30", "to"), ("from=2026-02-02&to=2026-02-01", "from"),
                ("to=2026-03-01&cursor=\(cursor)", "cursor"), ("cursor=\(cursor)", "cursor"),
            ] {
                let answer = try await server.send("GET", server.moments(ada, "moods?\(query)"), as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(query): \(answer.text)")
            }
            try #require(try await server.sendJSON("PATCH", "/user/me", ["time_zone": "Asia/Tokyo"], as: ada).status == 200)
            #expect(try await moods("from=2026-03-02&to=2026-03-02") == ["b", "a"])
        }
    }

    @Test("an invalid limit or cursor is 400, and the error names it", arguments: StoragePair.allCases)
    func badQueries(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for _ in 0..<3 { _ = try await server.mood([("mood", "x"), ("tags", "t")], as: ada) }
            let page = try await server.send("GET", server.moments(ada, "moods?limit=1"), as: ada).decode(MoodListResponse.self)
            let cursor = try #require(page.pagination.nextCursor)
            for (path, field) in [
                ("moods?limit=0", "limit"), ("memories?limit=101", "limit"), ("events?limit=many", "limit"),
                ("moods?cursor=AAAA", "cursor"), ("moods?order=asc&cursor=\(cursor)", "cursor"),
                ("moods?order=up", "order"), ("memories?order=1", "order"), ("timeline?order=ASC", "order"),
                ("memories?cursor=\(cursor)", "cursor"), ("moods?tag=t&cursor=\(cursor)", "cursor"),
                ("moods?tag=\(String(repeating: "t", count: 65))", "tag"), ("timeline?cursor=\(cursor)", "cursor"),
                ("timeline?limit=0", "limit"), ("timeline?from=then", "from"), ("timeline?to=2026-02-30", "to"),
                ("timeline?from=2026-02-02&to=2026-02-01", "from"), ("moods/stats?from=then", "from"),
                ("moods/stats?timeZone=Mars/Base", "timeZone"), ("moods/stats?timeZone=EST", "timeZone"),
                ("moods/stats?from=2000-01-01&to=2026-01-01", "from"),
            ] {
                let answer = try await server.send("GET", server.moments(ada, path), as: ada)
                #expect(answer.status == 400, "\(path)")
                #expect((try answer.json()["details"] as? String)?.contains(field) == true, "\(path): \(answer.text)")
            }
        }
    }

    @Test("absent fields stay, null clears a field, and required fields cannot be cleared", arguments: StoragePair.allCases)
    func patch(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let made = try await server.mood(
                [("mood", "sad"), ("note", "n"), ("reason", "r"), ("tags", "a,b"), ("interests", "i"), ("moodIntensity", "3")],
                files: [.photo], as: ada)
            func patch(_ path: String, _ json: String) async throws -> TestServer.Answer {
                try await server.send(
                    "PATCH", server.moments(ada, path), as: ada, headers: [("Content-Type", "application/json")], body: Data(json.utf8))
            }
            let changed = try await patch(
                "moods/\(made.id)",
                #"{"mood":"happy","note":null,"tags":["c"],"moodIntensity":9,"createdAt":1640995200,"id":"x","owner":"eve","kind":"event"}"#
            )
            let mood = try changed.decode(MoodResponse.self).mood
            #expect(mood.id == made.id && mood.mood == "happy" && mood.note == nil && mood.reason == "r" && mood.tags == ["c"])
            #expect(mood.interests == ["i"] && mood.moodIntensity == 9 && mood.createdAt == 1_640_995_200_000)
            #expect(mood.imageUrls.count == 1)
            #expect(try await server.send("GET", server.moments(ada, "moods/\(made.id)"), as: ada).decode(MoodResponse.self).mood == mood)
            for (tag, count) in [("a", 0), ("c", 1)] {
                let list = try await server.send("GET", server.moments(ada, "moods?tag=\(tag)"), as: ada).decode(MoodListResponse.self)
                #expect(list.moods.count == count)
            }
            for (json, field) in [
                (#"{"mood":null}"#, "mood"), (#"{"mood":" "}"#, "mood"), (#"{"moodIntensity":11}"#, "moodIntensity"),
                (#"{"moodIntensity":"x"}"#, "moodIntensity"), (#"{"createdAt":null}"#, "createdAt"), (#"{"createdAt":1e99}"#, "createdAt"),
                (#"{"createdAt":"today"}"#, "createdAt must be a Unix time in seconds or milliseconds, as a number."),
                (#"{"tags":"a"}"#, "tags"), ("[", "JSON"),
            ] {
                let answer = try await patch("moods/\(made.id)", json)
                #expect(answer.status == 400 && answer.text.contains(field), "\(json): \(answer.text)")
            }
            #expect(try await server.send("GET", server.moments(ada, "moods/\(made.id)"), as: ada).decode(MoodResponse.self).mood == mood)

            let event = try await server.create("events", [("title", "t"), ("date", "2026-12-31T20:00:00Z")], as: ada)
                .decode(EventResponse.self).event
            let moved = try await patch("events/\(event.id)", #"{"date":"2027-01-01T00:00:00Z","description":"d","location":null}"#)
                .decode(EventResponse.self).event
            #expect(moved.date == "2027-01-01T00:00:00.000Z" && moved.description == "d" && moved.createdAt == event.createdAt)
            let memory = try await server.create("memories", [("title", "t")], as: ada).decode(MemoryResponse.self).memory
            #expect(
                try await patch("memories/\(memory.id)", #"{"title":"u","category":"c"}"#).decode(MemoryResponse.self).memory.category
                    == "c")
            #expect(try await patch("memories/\(memory.id)", #"{"title":null}"#).status == 400)
        }
    }

    @Test(
        "a list shows each entry's own files, also with other moments of the same time and after changes", arguments: StoragePair.allCases)
    func filesInLists(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let bob = try await server.person("bob")
            var links: [String: Int] = [:]
            for number in 0..<5 {
                let fields = [("mood", "x"), ("createdAt", "1640995200")]
                links[try await server.mood(fields, files: Array(repeating: .photo, count: number % 3), as: ada).id] = number % 3
                _ = try await server.mood(fields, files: [.photo], as: bob)
            }
            _ = try await server.create("memories", [("title", "t"), ("createdAt", "1640995200")], files: [.photo], as: ada)
            func pages(_ limit: Int) async throws -> [MoodData] {
                var moods: [MoodData] = []
                var cursor: String?
                repeat {
                    let query = "moods?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? "")
                    let page = try await server.send("GET", server.moments(ada, query), as: ada).decode(MoodListResponse.self)
                    moods += page.moods
                    cursor = page.pagination.nextCursor
                } while cursor != nil
                return moods
            }
            for limit in [1, 2, 20] {
                #expect(try await Dictionary(uniqueKeysWithValues: pages(limit).map { ($0.id, $0.imageUrls.count) }) == links)
            }
            let moved = try #require(links.first { $0.value == 2 }?.key)
            let patch = try await server.send(
                "PATCH", server.moments(ada, "moods/\(moved)"), as: ada, headers: [("Content-Type", "application/json")],
                body: Data(#"{"createdAt":1740995200}"#.utf8))
            #expect(patch.status == 200)
            for limit in [1, 2, 20] {
                let moods = try await pages(limit)
                #expect(moods.first?.id == moved)
                #expect(Dictionary(uniqueKeysWithValues: moods.map { ($0.id, $0.imageUrls.count) }) == links)
            }
        }
    }

    @Test("deleting a moment deletes its files, and their links stop working at once", arguments: StoragePair.allCases)
    func delete(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x")], files: [.photo, .voice], as: ada)
            let path = server.moments(ada, "moods/\(mood.id)")
            #expect(try await server.send("DELETE", path, as: ada).text == #"{"success":true}"#)
            for gone in [path, mood.imageUrls[0], try #require(mood.voiceNote)] {
                #expect(try await server.send("GET", gone, as: ada).status == 404)
            }
            #expect(try await server.send("DELETE", path, as: ada).status == 404)
            #expect(try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files.isEmpty)
        }
    }

    @Test("a picture deleted from the library disappears from its mood", arguments: StoragePair.allCases)
    func takePictureAway(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x")], files: [.photo, .voice], as: ada)
            let files = try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files
            #expect(Set(files.map(\.category)) == ["mood", "voice"])
            for file in files {
                #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(file.fileId)"), as: ada).status == 200)
            }
            let left = try await server.send("GET", server.moments(ada, "moods/\(mood.id)"), as: ada).decode(MoodResponse.self).mood
            #expect(left.imageUrls.isEmpty && left.voiceNote == nil && left.voiceNoteDuration == nil)
        }
    }

    @Test("another user's moment is answered as one that does not exist", arguments: StoragePair.allCases)
    func stranger(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            let mood = try await server.mood([("mood", "secret"), ("tags", "t")], files: [.voice], as: ada)
            let file = try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files[0]
            for (method, rest) in [("GET", ""), ("PATCH", ""), ("DELETE", "")] {
                let own = try await server.send(
                    method, server.moments(eve, "moods/\(mood.id)\(rest)"), as: eve, headers: [("Content-Type", "application/json")],
                    body: method == "PATCH" ? Data("{}".utf8) : nil)
                #expect(own.status == 404)
                let foreign = try await server.send(method, server.moments(ada, "moods/\(mood.id)"), as: eve)
                #expect(foreign.status == 403)
            }
            #expect(try await server.send("GET", server.moments(eve, "multimedia/files/\(file.fileId)/waveform"), as: eve).status == 404)
            for path in ["moods", "timeline", "timeline?tag=t", "moods/stats"] {
                #expect(try await server.send("GET", server.moments(eve, path), as: eve).text.contains("secret") == false)
                #expect(try await server.send("GET", server.moments(ada, path), as: eve).status == 403)
                #expect(try await server.send("GET", server.moments(ada, path)).status == 401)
            }
            #expect(try await server.send("GET", server.moments(ada, "moods/\(mood.id)"), as: ada).status == 200)
        }
    }

    @Test("a voice note has a waveform of 200 peaks, and a picture has none", arguments: StoragePair.allCases)
    func waveform(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            _ = try await server.mood(
                [("mood", "x")],
                files: [.photo, MomentFile(field: "voiceNote", name: "v.wav", type: "audio/wav", fixture: "plain.wav")], as: ada)
            for file in try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files {
                let answer = try await server.send("GET", server.moments(ada, "multimedia/files/\(file.fileId)/waveform"), as: ada)
                if file.category == "voice" {
                    let peaks = try answer.decode(Waveform.self).peaks
                    #expect(peaks.count == 200 && peaks.allSatisfy { 0...1 ~= $0 } && peaks.max()! > 0.05)
                } else {
                    #expect(answer.status == 404)
                }
            }
        }
    }

    @Test("a change that changes nothing is answered and emits no event", arguments: StoragePair.allCases)
    func unchanged(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x"), ("tags", "a")], files: [.photo], as: ada)
            let file = try #require(
                try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files.first)
            func patch(_ path: String, _ body: String) async throws {
                let answer = try await server.send(
                    "PATCH", server.moments(ada, path), as: ada, headers: [("Content-Type", "application/json")], body: Data(body.utf8))
                #expect(answer.status == 200, "\(answer.text)")
            }
            func changes(_ kind: String) async throws -> Int {
                try await server.send("GET", "/events?since=0&wait=0", as: ada).text.components(separatedBy: kind).count - 1
            }
            for _ in 1...2 { try await patch("moods/\(mood.id)", #"{"mood":"y"}"#) }
            try await patch("moods/\(mood.id)", "{}")
            #expect(try await changes("mood.changed") == 1)
            for _ in 1...2 { try await patch("multimedia/\(file.fileId)", #"{"title":"Harbour"}"#) }
            try await patch("multimedia/\(file.fileId)", "{}")
            #expect(try await changes("media.changed") == 1)
        }
    }

    @Test("other devices receive an event for each creation, change and deletion", arguments: StoragePair.allCases)
    func events(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x")], as: ada)
            _ = try await server.send(
                "PATCH", server.moments(ada, "moods/\(mood.id)"), as: ada, headers: [("Content-Type", "application/json")],
                body: Data(#"{"mood":"y"}"#.utf8))
            _ = try await server.send("DELETE", server.moments(ada, "moods/\(mood.id)"), as: ada)
            let text = try await server.send("GET", "/events?since=0&wait=0", as: ada).text
            for kind in ["mood.added", "mood.changed", "mood.deleted"] { #expect(text.contains(kind), "\(text)") }
        }
    }

    @Test("every list uses an index made for it", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let position = EntryKind.Position(at: server.clock.now, id: "x")
            let database = server.backend.database
            for tag in [nil, "t"] {
                for (order, after) in [(.descending, nil), (.descending, position), (.ascending, nil), (.ascending, position)]
                    as [(Keyset.Direction, EntryKind.Position?)]
                {
                    for range in [TimeRange.all, TimeRange(from: Timestamp(seconds: 0), to: server.clock.now)] {
                        let list = MomentStore.listStatement(
                            .mood, owner: "o", MomentStore.Filter(tag: tag), in: range, order: order, after: after, limit: 21)
                        #expect(try await QueryPlan(list, on: database).faults == [])
                    }
                    for from in [nil, server.clock.now] {
                        for kinds in [nil, ["mood"], ["memory", "event"]] as [Set<String>?] {
                            let request = EntryKind.Request(
                                owner: "o", from: from, to: server.clock.now, tag: tag, kinds: kinds, order: order, after: after,
                                limit: 21)
                            let statements = MomentStore.timelineStatements(request)
                            #expect(statements.count == kinds?.count ?? 1)
                            for statement in statements { #expect(try await QueryPlan(statement, on: database).faults == []) }
                        }
                        let events = EntryKind.Request(
                            owner: "o", from: from, to: nil, tag: tag, kinds: ["event"], order: order, after: after, limit: 21)
                        let plan = try await QueryPlan(MomentStore.timelineStatements(events)[0], on: database)
                        #expect(plan.uses(tag == nil ? "moment_event_by_date" : "moment_tag_event_by_date"), "\(plan)")
                    }
                }
            }
            for filter in [MomentStore.Filter(category: "c"), MomentStore.Filter(groupID: "g")] {
                let list = MomentStore.listStatement(.mood, owner: "o", filter, after: position, limit: 21)
                #expect(try await QueryPlan(list, on: database).faults == [])
            }
            let ids = (1...100).map(String.init)
            for statement in [MomentStore.lengthsStatement(ids, owner: "o"), MomentStore.momentsStatement(ids, owner: "o")] {
                let plan = try await QueryPlan(statement, on: database)
                #expect(plan.faults == [] && !plan.readsAllOfOwner, "\(plan)")
            }
            let tallies = MomentStore.tallyStatement(owner: "o", from: server.clock.now, to: server.clock.now, limit: 10)
            let plan = try await QueryPlan(tallies, on: database)
            // Counting needs an aggregation, but the rows come only from the index.
            #expect(!plan.steps.contains { $0.contains("SCAN") || $0.contains("Seq Scan") }, "\(plan)")
        }
    }
}
