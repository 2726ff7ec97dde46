import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("The media library")
struct LibraryTests {
    private func add(
        _ server: TestServer, _ ada: TestServer.Person, _ fields: [String: String], _ index: Int
    ) async throws -> String {
        var body = MultipartBody()
        for (name, value) in fields { body.add(name, value) }
        body.add("file", fileName: "\(index).mp4", Film.bytes(1_000 + index))
        body.close()
        return try await server.upload(body, as: ada).decode(UploadResponse.self).files[0].data.fileId
    }

    private func list(_ server: TestServer, _ ada: TestServer.Person, _ query: String) async throws -> MediaListResponse {
        let answer = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia\(query)", as: ada)
        #expect(answer.status == 200)
        return try answer.decode(MediaListResponse.self)
    }

    @Test(
        "pages are newest first, complete and without duplicates, also when all files have the same time", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var made: [String] = []
            for index in 0..<7 {
                made.append(try await add(server, ada, [:], index))
                if index == 3 { server.clock.advance(by: .seconds(1)) }
            }
            var seen: [String] = []
            var cursor: String?
            repeat {
                let page = try await list(server, ada, "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
                seen += page.files.map(\.fileId)
                cursor = page.pagination.nextCursor
                #expect(page.pagination.hasMore == (cursor != nil))
            } while cursor != nil
            #expect(Set(seen) == Set(made) && seen.count == 7)
            #expect(Set(seen.prefix(3)) == Set(made.suffix(3)))
            #expect(try await list(server, ada, "").files.map(\.fileId) == seen)
        }
    }

    @Test("category, group and tag filter the list, alone and together", arguments: StoragePair.allCases)
    func filters(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let a = try await add(server, ada, ["category": "mood", "tags": "sea,sun", "groupId": "g"], 0)
            let b = try await add(server, ada, ["category": "mood", "tags": "sun"], 1)
            let c = try await add(server, ada, ["tags": "sea", "groupId": "g"], 2)
            for (query, expected) in [
                ("?category=mood", [a, b]), ("?tag=sea", [a, c]), ("?groupId=g", [a, c]), ("?category=mood&tag=sea", [a]),
                ("?groupId=g&category=general", [c]), ("?groupId=g&category=mood", [a]), ("?groupId=g&tag=sea", [a, c]),
                ("?groupId=g&tag=sun", [a]), ("?category=mood&groupId=g&tag=sun", [a]), ("?category=general&groupId=g&tag=sun", []),
                ("?category=general&tag=sun", []), ("?tag=none", []), ("?category=mood&tag=none", []),
            ] as [(String, [String])] {
                #expect(Set(try await list(server, ada, query).files.map(\.fileId)) == Set(expected), "\(query)")
            }
        }
    }

    @Test("an invalid limit or cursor is 400, and the error names it", arguments: StoragePair.allCases)
    func badQueries(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for index in 0..<3 { _ = try await add(server, ada, ["category": "x"], index) }
            let foreign = try await list(server, ada, "?category=x&limit=1").pagination.nextCursor!
            for (query, field) in [
                ("limit=0", "limit"), ("limit=101", "limit"), ("limit=many", "limit"), ("cursor=AAAA", "cursor"),
                ("cursor=\(foreign)", "cursor"), ("tag=\(String(repeating: "t", count: 65))", "tag"), ("tag=a%00b", "NUL"),
            ] {
                let answer = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia?\(query)", as: ada)
                #expect(answer.status == 400, "\(query)")
                #expect((try answer.json()["details"] as? String)?.contains(field) == true, "\(query)")
            }
        }
    }

    @Test("an update changes the given fields, clears those that are null, and ignores read-only ones", arguments: StoragePair.allCases)
    func update(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let id = try await add(server, ada, ["title": "Sea", "tags": "a,b", "category": "mood"], 0)
            let path = "/api/users/user/\(ada.id)/multimedia/\(id)"
            func patch(_ json: String) async throws -> TestServer.Answer {
                try await server.send("PATCH", path, as: ada, headers: [("Content-Type", "application/json")], body: Data(json.utf8))
            }
            let changed = try await patch(#"{"title":" Lake ","tags":["c"],"fileId":"x","size":1,"userId":"bob","id":"y","owner":"bob"}"#)
            #expect(changed.status == 200)
            let item = try changed.decode(MediaResponse.self).file
            #expect(item.title == "Lake" && item.tags == ["c"] && item.category == "mood" && item.fileId == id && item.size == 1_000)
            let cleared = try await patch(#"{"title":null,"category":null,"tags":null}"#).decode(MediaResponse.self).file
            #expect(cleared.title == nil && cleared.category == "general" && cleared.tags == [])
            #expect(try await list(server, ada, "?tag=c").files.isEmpty)
            for (json, field) in [
                (#"{"title":5}"#, "title"), (#"{"tags":"a"}"#, "tags"),
                (#"{"category":"\#(String(repeating: "c", count: 65))"}"#, "category"),
                (#"{"title":"a\u0000b"}"#, "title"), ("{", "JSON"), ("[1]", "body"),
            ] {
                let answer = try await patch(json)
                #expect(answer.status == 400, "\(json)")
                #expect((try answer.json()["details"] as? String)?.contains(field) == true, "\(json) \(answer.text)")
            }
            #expect(try await patch(#"{"title":"\#(String(repeating: "x", count: 70_000))"}"#).status == 413)
        }
    }

    @Test("lists have the order, the range and the types that are asked for", arguments: StoragePair.allCases)
    func selections(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            for name in ["a.jpg", "b.jpg"] { body.add("file", fileName: name, try Fixture.data("photo.jpg")) }
            body.add("tags", "trip")
            body.close()
            let photos = try await server.upload(body, as: ada).decode(UploadResponse.self).files.map(\.data.fileId)
            server.clock.advance(by: .minutes(1))
            let film = MultipartBody.file("c.mp4", try Fixture.data("moov-first.mp4"))
            let films = try await server.upload(film, as: ada).decode(UploadResponse.self).files.map(\.data.fileId)
            func names(_ query: String) async throws -> [String] { try await list(server, ada, query).files.map(\.name) }
            // The files of one request keep their order, and later requests come first.
            #expect(try await names("") == ["c.mp4", "a.jpg", "b.jpg"])
            // Ascending order is the same list from its other end, also among files of the same time.
            #expect(try await names("?order=asc") == ["b.jpg", "a.jpg", "c.mp4"])
            // Both photos were taken in the same second of 2025. The film's metadata states no time.
            #expect(try await names("?sort=takenAt") == ["c.mp4", "a.jpg", "b.jpg"])
            #expect(try await names("?sort=takenAt&order=asc") == ["b.jpg", "a.jpg", "c.mp4"])
            #expect(try await names("?sort=takenAt&order=asc&type=image") == ["b.jpg", "a.jpg"])
            #expect(try await names("?tag=trip&order=asc") == ["b.jpg", "a.jpg"])
            #expect(try await names("?type=image") == ["a.jpg", "b.jpg"])
            #expect(try await names("?type=video&sort=takenAt") == ["c.mp4"])
            #expect(try await names("?type=audio") == [])

            func take(_ id: String, _ json: String) async throws -> TestServer.Answer {
                try await server.send(
                    "PATCH", "/api/users/user/\(ada.id)/multimedia/\(id)", as: ada, headers: [("Content-Type", "application/json")],
                    body: Data(#"{"takenAt":\#(json)}"#.utf8))
            }
            // 2001-09-09, in seconds; 2020-09-13, in milliseconds.
            #expect(try await take(photos[1], "1000000000").decode(MediaResponse.self).file.takenAt == 1_000_000_000_000)
            #expect(try await take(films[0], "1600000000000").decode(MediaResponse.self).file.takenAt == 1_600_000_000_000)
            #expect(try await take(photos[0], "null").decode(MediaResponse.self).file.takenAt == nil)
            #expect(try await names("?sort=takenAt") == ["a.jpg", "c.mp4", "b.jpg"])
            #expect(try await names("?sort=takenAt&order=asc") == ["b.jpg", "c.mp4", "a.jpg"])
            #expect(try await names("?sort=takenAt&from=2020-09-13&to=2020-09-13") == ["c.mp4"])
            #expect(try await names("?sort=takenAt&to=2001-09-09T01:46:40Z") == [])
            #expect(try await names("?tag=trip&order=asc&from=2001-01-01") == ["b.jpg", "a.jpg"])
            #expect(try await names("?tag=trip&sort=takenAt&to=2001-09-09") == ["b.jpg"])
            #expect(try await names("?tag=trip&type=image&sort=takenAt&from=2001-09-10") == ["a.jpg"])
            #expect(try await names("?tag=trip&category=general&sort=takenAt&order=asc") == ["b.jpg", "a.jpg"])
            #expect(try await names("?tag=trip&category=general&type=image&sort=takenAt&from=2001-09-10") == ["a.jpg"])
            #expect(try await names("?tag=trip&category=general&type=video").isEmpty)
            for query in [
                "?sort=takenAt", "?sort=takenAt&order=asc", "?order=asc", "?type=image", "?tag=trip&order=asc",
                "?category=general&sort=takenAt", "?category=general&sort=takenAt&order=asc", "?category=general&type=image&order=asc",
                "?tag=trip&sort=takenAt", "?tag=trip&sort=takenAt&order=asc&type=image", "?tag=trip&type=image",
                "?tag=trip&category=general&sort=takenAt", "?tag=trip&category=general&type=image&order=asc",
            ] {
                var seen: [String] = []
                var cursor: String?
                repeat {
                    let page = try await list(server, ada, query + "&limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""))
                    seen += page.files.map(\.name)
                    cursor = page.pagination.nextCursor
                } while cursor != nil
                #expect(try await seen == names(query), "\(query)")
            }
            for (query, field) in [
                ("?sort=name", "sort"), ("?order=up", "order"), ("?type=text", "type"), ("?from=monday", "from"),
            ] {
                let answer = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia\(query)", as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(query): \(answer.text)")
            }
            for json in ["1e300", "\"yesterday\"", "true"] {
                let answer = try await take(photos[0], json)
                #expect(answer.status == 400 && answer.text.contains("takenAt"), "\(json): \(answer.text)")
            }
        }
    }

    @Test("a photo whose camera states no time zone is taken in the account's, or in UTC if it has none", arguments: StoragePair.allCases)
    func localTimes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            func takenAt(_ photo: Data) async throws -> Int? {
                let body = MultipartBody.file("a.jpg", photo)
                let id = try await server.upload(body, as: ada).decode(UploadResponse.self).files[0].data.fileId
                return try await list(server, ada, "").files.first { $0.fileId == id }?.takenAt
            }
            // The photo was taken on 2025-06-14 at 18:30:12, two hours east of Greenwich.
            let photo = try Fixture.data("photo.jpg")
            var local = photo
            local.replaceSubrange(try #require(photo.range(of: Data("+02:00".utf8))), with: Data("      ".utf8))
            #expect(try await takenAt(local) == 1_749_925_812_000)
            for (zone, hours) in [("Asia/Tokyo", 9), ("America/New_York", -4)] {
                let chosen = try await server.sendJSON("PATCH", "/user/me", ["time_zone": zone], as: ada)
                try #require(chosen.status == 200, "\(chosen.text)")
                #expect(try await takenAt(local) == 1_749_925_812_000 - hours * 3_600_000, "\(zone)")
                #expect(try await takenAt(photo) == 1_749_918_612_000, "\(zone)")
            }
            // An account that was registered with a time zone uses it for its first photo.
            let registered = try await server.sendJSON(
                "POST", "/auth/password/register",
                ["email": "eve@example.org", "password": "correct horse", "time_zone": "Asia/Tokyo"], as: nil)
            let signedIn = try Surface.capsules.makeDecoder().decode(SignedIn.self, from: registered.body)
            let eve = TestServer.Person(id: signedIn.user.id, token: signedIn.token.accessToken)
            #expect(try await server.upload(.file("a.jpg", local), as: eve).status == 200)
            #expect(try await list(server, eve, "").files.map(\.takenAt) == [1_749_925_812_000 - 9 * 3_600_000])
            // The fraction of the second is kept, in either way of stating the time.
            for (offset, hours) in [("+02:00", 2), (nil, -4)] as [(String?, Int)] {
                let exact = DatedPhoto.make(
                    try Fixture.data("baseline.jpg"), taken: "2025:06:14 18:30:12", offset: offset, fraction: "0456")
                #expect(try await takenAt(exact) == 1_749_925_812_045 - hours * 3_600_000)
            }
        }
    }

    @Test("a file is found by the hash of its bytes, by its owner only", arguments: StoragePair.allCases)
    func byHash(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let hash = "e6e6c6343eb09ff6348ea29bd9d8e6de21d65544b3d6f2e8d07a6c0cc37a51a4"
            let photo = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            var made: [String] = []
            for _ in 0..<3 {
                made.append(try await server.upload(photo, as: ada).decode(UploadResponse.self).files[0].data.fileId)
                server.clock.advance(by: .seconds(1))
            }
            _ = try await add(server, ada, [:], 0)
            #expect(try await list(server, ada, "?sha256=\(hash)").files.map(\.fileId) == made.reversed())
            #expect(try await list(server, ada, "?sha256=\(hash.uppercased())&order=asc").files.map(\.fileId) == made)
            let first = try await list(server, ada, "?sha256=\(hash)&limit=2")
            #expect(first.files.map(\.fileId) == [made[2], made[1]])
            let cursor = try #require(first.pagination.nextCursor)
            #expect(try await list(server, ada, "?sha256=\(hash)&limit=2&cursor=\(cursor)").files.map(\.fileId) == [made[0]])
            #expect(try await list(server, ada, "?sha256=\(String(repeating: "0", count: 64))").files.isEmpty)
            #expect(try await list(server, ada, "?sha256=\(hash)&to=2001-01-01").files.isEmpty)
            #expect(try await list(server, eve, "?sha256=\(hash)").files.isEmpty)
            for query in [
                "sha256=\(hash.dropLast())", "sha256=\(hash.dropLast())g", "sha256=\(hash)&tag=t", "sha256=\(hash)&type=image",
                "sha256=\(hash)&sort=takenAt", "sha256=\(hash)&category=general",
            ] {
                let answer = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia?\(query)", as: ada)
                #expect(answer.status == 400 && answer.text.contains("sha256"), "\(query): \(answer.text)")
            }
            let other = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia?tag=t&cursor=\(cursor)", as: ada)
            #expect(other.status == 400 && other.text.contains("cursor"))
        }
    }

    @Test("bytes shared by two assets stay until both are deleted", arguments: StoragePair.allCases)
    func sharedBytes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let first = try await server.upload(photo, as: ada).decode(UploadResponse.self).files[0].data
            let second = try await server.upload(photo, as: ada).decode(UploadResponse.self).files[0].data
            #expect(first.fileId != second.fileId)
            #expect(try await server.storedFileCount() == 1)
            #expect(
                try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(first.fileId)", as: ada).text
                    == #"{"success":true}"#)
            #expect(try await server.send("GET", first.url).status == 404)
            #expect(try await server.send("GET", second.url).status == 200)
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(first.fileId)", as: ada).status == 404)
        }
    }

    @Test("every list reads rows in the order of its index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let position = EntryKind.Position(at: server.clock.now, id: "x")
            for (filter, index) in [
                (MediaStore.Filter(), "media_listed"), (.init(category: "c"), "media_by_category"),
                (.init(groupID: "g"), "media_by_group"),
                (.init(tag: "t"), "media_tag_by_owner"), (.init(category: "c", tag: "t"), "media_tag_by_category"),
                (.init(category: "c", groupID: "g"), "media_by_category_and_group"),
                (.init(groupID: "g", tag: "t"), "media_tag_by_group"),
                (.init(category: "c", groupID: "g", tag: "t"), "media_tag_by_category_and_group"),
            ] {
                var selection = MediaSelection()
                selection.labels = filter
                for position in [nil, position] {
                    let plan = try await QueryPlan(
                        MediaStore.listStatement(owner: "o", selection, after: position, limit: 20), on: server.backend.database)
                    #expect(plan.uses(index) && plan.faults.isEmpty, "\(plan)")
                }
            }
            for (order, position) in [(.descending, nil), (.descending, position), (.ascending, position)]
                as [(Keyset.Direction, EntryKind.Position?)]
            {
                var selection = MediaSelection()
                (selection.order, selection.sha256) = (order, String(repeating: "0", count: 64))
                let plan = try await QueryPlan(
                    MediaStore.listStatement(owner: "o", selection, after: position, limit: 20), on: server.backend.database)
                #expect(plan.uses("media_listed_by_hash") && plan.faults.isEmpty, "\(plan)")
            }
            for (sort, type, index) in [
                (.createdAt, .image, "media_listed_by_type"), (.takenAt, nil, "media_listed_by_taken"),
                (.takenAt, .video, "media_listed_by_type_and_taken"),
            ] as [(MediaSelection.Sort, MediaType.Kind?, String)] {
                for (order, position) in [(.descending, nil), (.descending, position), (.ascending, position)]
                    as [(Keyset.Direction, EntryKind.Position?)]
                {
                    var selection = MediaSelection()
                    (selection.sort, selection.order, selection.type) = (sort, order, type)
                    selection.range.from = Timestamp(seconds: 0)
                    let plan = try await QueryPlan(
                        MediaStore.listStatement(owner: "o", selection, after: position, limit: 20), on: server.backend.database)
                    #expect(plan.uses(index) && plan.faults.isEmpty, "\(plan)")
                }
            }
            for (label, index) in [
                (.init(category: "c"), "media_by_category"), (.init(groupID: "g"), "media_by_group"), (.init(tag: "t"), "media_tag_by"),
            ] as [(MediaStore.Filter, String)] {
                for (sort, type) in [(.createdAt, .image), (.takenAt, .video), (.takenAt, nil)]
                    as [(MediaSelection.Sort, MediaType.Kind?)]
                {
                    // The names of the indexes of categories and groups have one word more than those of tags.
                    let name = index + (label.tag == nil ? "_and_" : "_") + (sort == .takenAt ? "taken" : "type")
                    for (order, position) in [(.descending, nil), (.descending, position), (.ascending, position)]
                        as [(Keyset.Direction, EntryKind.Position?)]
                    {
                        var selection = MediaSelection()
                        (selection.labels, selection.sort, selection.order, selection.type) = (label, sort, order, type)
                        selection.range.from = Timestamp(seconds: 0)
                        let plan = try await QueryPlan(
                            MediaStore.listStatement(owner: "o", selection, after: position, limit: 20), on: server.backend.database)
                        #expect(plan.uses(name) && plan.faults(mayMerge: type == nil).isEmpty, "\(plan)")
                    }
                }
            }
            let incomplete = try await QueryPlan(MediaStore.incompleteTags(after: "m", limit: 100), on: server.backend.database)
            #expect(incomplete.uses("media_tag_incomplete") && incomplete.faults.isEmpty, "\(incomplete)")
            for (tag, index) in [(nil, "media_by_timeline"), ("t", "media_tag_by_timeline")] as [(String?, String)] {
                for (order, position) in [(.descending, nil), (.descending, position), (.ascending, nil), (.ascending, position)]
                    as [(Keyset.Direction, EntryKind.Position?)]
                {
                    let request = EntryKind.Request(
                        owner: "o", from: nil, to: nil, tag: tag, order: order, after: position, limit: 21)
                    let plan = try await QueryPlan(MediaStore.timelineStatement(request), on: server.backend.database)
                    #expect(plan.uses(index) && plan.faults.isEmpty, "\(plan)")
                }
            }
        }
    }
}
