import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import Search
@testable import keepsake

@Suite("Searching all kinds of entries")
struct SearchEverythingTests {
    private func add(_ server: TestServer, _ person: TestServer.Person, _ fields: [String: String], name: String = "a.mp4") async throws
        -> String
    {
        var body = MultipartBody()
        for (field, value) in fields { body.add(field, value) }
        body.add("file", fileName: name, Film.bytes(1_000 + Int.random(in: 0..<5_000)))
        body.close()
        return try await server.upload(body, as: person).decode(UploadResponse.self).files[0].data.fileId
    }

    private func search(_ server: TestServer, _ person: TestServer.Person, _ items: [String: String]) async throws -> TestServer.Answer {
        var parts = URLComponents()
        parts.queryItems = items.map { URLQueryItem(name: $0.key, value: $0.value) }
        let query = parts.percentEncodedQuery?.replacing("+", with: "%2B") ?? ""
        return try await server.send("GET", "/api/users/user/\(person.id)/search?\(query)", as: person)
    }

    private func found(_ server: TestServer, _ person: TestServer.Person, _ q: String) async throws -> [String] {
        let answer = try await search(server, person, ["q": q])
        #expect(answer.status == 200, "\(q) \(answer.text)")
        return try answer.decode(SearchResponse.self).items.compactMap(\.item.file?.fileId)
    }

    @Test(
        "a file is found by its description, with the words marked, and after a change only by its new words",
        arguments: StoragePair.allCases)
    func files(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let id = try await add(server, ada, ["title": "Café am Meer", "description": "Straße nach Süden", "tags": "summer,beach"])
            let other = try await add(server, ada, [:], name: "holiday-2041.mp4")
            for (q, expected) in [
                ("cafe", [id]), ("strasse sud", [id]), ("beach", [id]), ("2041", [other]), ("holiday", [other]), ("mp4", [id, other]),
                ("winter", []),
            ] { #expect(Set(try await found(server, ada, q)) == Set(expected), "\(q)") }

            let answer = try await search(server, ada, ["q": "strasse meer"])
            let json = try #require((try answer.json()["items"] as? [[String: Any]])?.first)
            #expect(Set(json.keys) == ["kind", "at", "file", "snippets"] && json["kind"] as? String == "file")
            let item = try #require(try answer.decode(SearchResponse.self).items.first)
            #expect(item.item.file?.fileId == id && item.item.at == item.item.file?.createdAt)
            #expect(
                item.snippets == [
                    .init(field: "title", text: "Café am Meer", marks: [[8, 4]]),
                    .init(field: "description", text: "Straße nach Süden", marks: [[0, 6]]),
                ])
            #expect(try answer.json()["pagination"] as? [String: Any?] != nil && answer.text.contains(#""nextCursor":null"#))

            let path = "/api/users/user/\(ada.id)/multimedia/\(id)"
            _ = try await server.send(
                "PATCH", path, as: ada, headers: [("Content-Type", "application/json")], body: Data(#"{"title":"Alps","tags":null}"#.utf8))
            #expect(try await found(server, ada, "cafe") == [])
            #expect(try await found(server, ada, "beach") == [])
            #expect(try await found(server, ada, "alps") == [id])
            #expect(try await server.send("DELETE", path, as: ada).status == 200)
            #expect(try await found(server, ada, "alps") == [])
            #expect(try await found(server, ada, "mp4") == [other])
            // When the profile picture is replaced, the name of the old one is removed from the index.
            for name in ["first-face.jpg", "second-face.jpg"] {
                _ = try await server.upload(
                    .file(name, try Fixture.data("photo.jpg")), to: "/api/users/user/\(ada.id)/profile-picture/swift", as: ada)
            }
            #expect(try await found(server, ada, "first") == [])
            #expect(try await found(server, ada, "second").count == 1)
        }
    }

    @Test("a plus in a query is a space, in searches and in the tags of lists", arguments: StoragePair.allCases)
    func plus(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await add(server, ada, ["title": "Wedding rings", "tags": "new york"])
            let mood = try await server.mood([("mood", "calm"), ("note", "We chose the wedding rings."), ("tags", "new york")], as: ada).id
            func get(_ path: String) async throws -> TestServer.Answer {
                let answer = try await server.send("GET", server.moments(ada, path), as: ada)
                #expect(answer.status == 200, "\(path): \(answer.text)")
                return answer
            }
            let found = try await get("search?q=wedding+rings").decode(SearchResponse.self).items.map(\.item)
            #expect(Set(found.compactMap { $0.file?.fileId ?? $0.mood?.id }) == [file, mood])
            let listed = try await get("timeline?tag=new+york").decode(TimelineResponse.self).items
            #expect(Set(listed.compactMap { $0.file?.fileId ?? $0.mood?.id }) == [file, mood])
            #expect(try await get("multimedia?tag=new+york").decode(MediaListResponse.self).files.map(\.fileId) == [file])
            #expect(try await get("moods?tag=new+york").decode(MoodListResponse.self).moods.map(\.id) == [mood])
            // In a query, %2B means a plus sign.
            #expect(try await get("timeline?tag=new%2Byork").decode(TimelineResponse.self).items.isEmpty)
        }
    }

    @Test("moods and files appear in one result, each as in its own list, and a kind filters them", arguments: StoragePair.allCases)
    func kinds(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await add(server, ada, ["description": "wind from the sea"])
            let mood = try await server.mood([("mood", "calm"), ("moodIntensity", "7"), ("note", "by the Séa, at last")], as: ada)
            let all = try await search(server, ada, ["q": "sea"]).decode(SearchResponse.self).items
            #expect(Set(all.map(\.item.kind)) == ["mood", "file"])
            #expect(all.compactMap(\.item.mood) == [mood])
            let narrowed = try await search(server, ada, ["q": "sea", "kind": "mood"]).decode(SearchResponse.self).items
            #expect(narrowed.map(\.item.mood?.id) == [mood.id])
            #expect(narrowed.map(\.snippets) == [[.init(field: "note", text: "by the Séa, at last", marks: [[7, 3]])]])
            let files = try await search(server, ada, ["q": "sea", "kind": "file"]).decode(SearchResponse.self).items
            #expect(files.map(\.item.file?.fileId) == [file])
            #expect(try await search(server, ada, ["q": "sea", "kind": "event"]).decode(SearchResponse.self).items.isEmpty)
            #expect(try await server.send("DELETE", server.moments(ada, "moods/\(mood.id)"), as: ada).status == 200)
            #expect(try await search(server, ada, ["q": "sea"]).decode(SearchResponse.self).items.map(\.item.kind) == ["file"])
        }
    }

    @Test("a search returns no data of another account, even with that account's cursor", arguments: StoragePair.allCases)
    func strangers(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            for _ in 0..<3 { _ = try await add(server, ada, ["title": "secret sea"]) }
            let hers = try await add(server, eve, ["title": "sea"])
            #expect(try await found(server, eve, "sea") == [hers])
            #expect(try await found(server, eve, "secret") == [])
            let cursor = try await search(server, ada, ["q": "sea", "limit": "1"]).decode(SearchResponse.self).pagination.nextCursor!
            #expect(try await search(server, eve, ["q": "sea", "cursor": cursor]).status == 400)
            #expect(try await search(server, ada, ["q": "secret", "cursor": cursor]).status == 400)
            #expect(try await search(server, ada, ["q": "sea", "kind": "file", "cursor": cursor]).status == 400)
            #expect(try await search(server, ada, ["q": "sea", "cursor": cursor]).status == 200)
            // The cursor must not contain data of other accounts, in readable form or not.
            #expect(!String(decoding: Base64URL.decode(cursor) ?? [], as: UTF8.self).contains(eve.id))
            #expect(try await server.send("GET", "/api/users/user/\(ada.id)/search?q=sea", as: eve).status == 403)
            #expect(try await server.send("GET", "/api/users/user/\(ada.id)/search?q=sea").status == 401)
        }
    }

    @Test("pages are complete and without duplicates", arguments: StoragePair.allCases)
    func pages(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var made: Set<String> = []
            for index in 0..<7 { made.insert(try await add(server, ada, ["title": index % 2 == 0 ? "sea" : "the sea again"])) }
            let all = try await found(server, ada, "sea")
            #expect(Set(all) == made && all.count == 7)
            var seen: [String] = []
            var cursor: String?
            repeat {
                let items = ["q": "sea", "limit": "3"].merging(cursor.map { ["cursor": $0] } ?? [:]) { $1 }
                let page = try await search(server, ada, items).decode(SearchResponse.self)
                seen += page.items.compactMap(\.item.file?.fileId)
                cursor = page.pagination.nextCursor
                #expect(page.pagination.hasMore == (cursor != nil))
            } while cursor != nil
            #expect(seen == all)
        }
    }

    @Test("an invalid query is 400, and the error names the field", arguments: StoragePair.allCases)
    func bad(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (items, field) in [
                ([:], "q"), (["q": ""], "q"), (["q": "\"*\""], "q"), (["q": String(repeating: "a", count: 257)], "q"),
                (["q": "a\0b"], "NUL"),
                (["q": "sea", "kind": "nothing"], "kind"), (["q": "sea", "limit": "0"], "limit"),
                (["q": "sea", "limit": "101"], "limit"), (["q": "sea", "limit": "x"], "limit"),
                (["q": "sea", "cursor": "AAAA"], "cursor"),
            ] as [([String: String], String)] {
                let answer = try await search(server, ada, items)
                #expect(answer.status == 400, "\(items)")
                #expect((try answer.json()["details"] as? String)?.contains(field) == true, "\(items) \(answer.text)")
            }
            // The queries contain bytes that are not valid UTF-8.
            for query in ["q=%ff%fe", "q=%f0%9f", "q=a%c3"] {
                let status = try await server.send("GET", "/api/users/user/\(ada.id)/search?\(query)", as: ada).status
                #expect(status == 200 || status == 400, "\(query)")
            }
        }
    }

    @Test(
        "files from before the index are indexed, also after an interruption, and newer changes are kept",
        arguments: StoragePair.allCases)
    func olderRows(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let ada = try await server.person()
            var made: [String] = []
            for index in 0..<7 { made.append(try await add(server, ada, ["title": "old \(index)"])) }
            let ids = made.sorted()
            let store = server.backend.media.store
            // When the server started, it found nothing to index and recorded that.
            while try await store.indexSomeOlderRows(limit: 10) {}
            // Restore the state of an installation that is older than the index.
            try await server.backend.database.write { tx in
                for id in ids { try store.search.remove(kind: "file", id: id, owner: ada.id, tx) }
                try tx.run("UPDATE media_index_pass SET after = '', is_done = 0")
            }
            #expect(try await found(server, ada, "old") == [])
            #expect(try await store.indexSomeOlderRows(limit: 3))
            #expect(Set(try await found(server, ada, "old")) == Set(ids.prefix(3)))
            _ = try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(ids[4])", as: ada)
            try await store.indexOlderRows()
            #expect(Set(try await found(server, ada, "old")) == Set(ids).subtracting([ids[4]]))
            #expect(try await !store.indexSomeOlderRows(limit: 3))
            let plans = [MediaStore.olderRows(after: "x", limit: 3), MediaStore.assets((1...100).map(String.init), owner: "o")]
            for sql in plans {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(plan.faults.isEmpty && !plan.readsAllOfOwner, "\(plan)")
            }
        }
    }
}
