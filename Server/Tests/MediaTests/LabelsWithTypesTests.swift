import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

/// Lists of files with a label and a type. `LabelListTests` measures what such lists cost.
@Suite("Lists of a label with a type, by time taken or both")
struct LabelsWithTypesTests {
    private static let migration = "media/015-labels-and-types"
    private static let blob = BlobKey(entropy: .system)

    private func page(_ server: TestServer, _ person: TestServer.Person, _ query: String) async throws -> MediaListResponse {
        let answer = try await server.send("GET", "/api/users/user/\(person.id)/multimedia?\(query)", as: person)
        try #require(answer.status == 200, "\(query): \(answer.text)")
        return try answer.decode(MediaListResponse.self)
    }

    @Test("they show the files that have both, in order, also after a file was changed or deleted", arguments: StoragePair.allCases)
    func changes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            var ids: [String] = []
            // The metadata of the photos says that they were taken in 2025. That of the film states no time. The test's clock is in 2026.
            for (name, fixture) in [("a.jpg", "photo.jpg"), ("b.mp4", "moov-first.mp4"), ("c.jpg", "photo.jpg")] {
                var body = MultipartBody()
                for (field, value) in [("category", "travel"), ("groupId", "g"), ("tags", "lake,trip")] { body.add(field, value) }
                body.add("file", fileName: name, try Fixture.data(fixture))
                body.close()
                ids.append(try await server.upload(body, as: ada).decode(UploadResponse.self).files[0].data.fileId)
                server.clock.advance(by: .minutes(1))
            }
            func change(_ id: String, _ json: String) async throws {
                let answer = try await server.send(
                    "PATCH", "/api/users/user/\(ada.id)/multimedia/\(id)", as: ada, headers: [("Content-Type", "application/json")],
                    body: Data(json.utf8))
                try #require(answer.status == 200, "\(answer.text)")
            }
            func names(_ query: String) async throws -> [String] { try await page(server, ada, query).files.map(\.name) }
            let labels = ["category=travel", "groupId=g", "tag=trip"]

            // 2001-09-09.
            try await change(ids[2], #"{"takenAt":1000000000}"#)
            for label in labels {
                #expect(try await names("\(label)&type=image") == ["c.jpg", "a.jpg"])
                #expect(try await names("\(label)&type=image&order=asc") == ["a.jpg", "c.jpg"])
                #expect(try await names("\(label)&type=video") == ["b.mp4"])
                #expect(try await names("\(label)&type=audio").isEmpty)
                #expect(try await names("\(label)&sort=takenAt") == ["b.mp4", "a.jpg", "c.jpg"])
                #expect(try await names("\(label)&sort=takenAt&order=asc") == ["c.jpg", "a.jpg", "b.mp4"])
                #expect(try await names("\(label)&sort=takenAt&type=image") == ["a.jpg", "c.jpg"])
                #expect(try await names("\(label)&sort=takenAt&from=2002-01-01&to=2025-12-31") == ["a.jpg"])
                #expect(try await page(server, eve, "\(label)&sort=takenAt").files.isEmpty)
                for rest in ["type=image", "sort=takenAt", "sort=takenAt&order=asc", "sort=takenAt&type=image&order=asc"] {
                    var seen: [String] = []
                    var cursor: String?
                    repeat {
                        let page = try await page(server, ada, "\(label)&\(rest)&limit=1" + (cursor.map { "&cursor=\($0)" } ?? ""))
                        seen += page.files.map(\.name)
                        cursor = page.pagination.nextCursor
                    } while cursor != nil
                    #expect(try await seen == names("\(label)&\(rest)"), "\(label) \(rest)")
                }
            }

            // 2000-01-01.
            try await change(ids[0], #"{"takenAt":946728000,"category":"home","groupId":"h","tags":["lake","walk"]}"#)
            for label in labels {
                #expect(try await names("\(label)&type=image") == ["c.jpg"])
                #expect(try await names("\(label)&sort=takenAt") == ["b.mp4", "c.jpg"])
            }
            for label in ["category=home", "groupId=h", "tag=walk"] {
                #expect(try await names("\(label)&type=image") == ["a.jpg"])
                #expect(try await names("\(label)&sort=takenAt&to=2000-12-31") == ["a.jpg"])
            }
            // A file's changed time moves it also in the lists of labels that it keeps.
            #expect(try await names("tag=lake&sort=takenAt") == ["b.mp4", "c.jpg", "a.jpg"])
            try await change(ids[2], #"{"takenAt":null}"#)
            for label in labels {
                #expect(try await names("\(label)&sort=takenAt") == ["c.jpg", "b.mp4"])
                #expect(try await names("\(label)&sort=takenAt&type=image&to=2025-12-31").isEmpty)
            }
            #expect(
                try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(ids[2])", as: ada).status == 200)
            for label in labels {
                #expect(try await names("\(label)&sort=takenAt") == ["b.mp4"])
                #expect(try await names("\(label)&type=image").isEmpty)
            }
        }
    }

    @Test("files that were stored before the indexes existed are in these lists", arguments: Engine.allCases)
    func migration(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        let all = Backend.migrations
        try #require(all.contains { $0.name == Self.migration })
        try await database.migrate(all.filter { $0.name != Self.migration })
        try await database.write { tx in
            try tx.run("INSERT INTO account (id, created_at) VALUES ('ada', 1)")
            try tx.run(
                """
                INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                VALUES (\(Self.blob), 'ada', \(String(repeating: "0", count: 64)), 1, 1, 'live', 1)
                """)
            for (id, type, takenAt) in [("a", "image/jpeg", 5), ("b", "video/mp4", 9), ("c", "image/png", nil)]
                as [(String, String, Int?)]
            {
                try tx.run(
                    """
                    INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, group_id, tags, created_at, taken_at)
                    VALUES (\(id), 'ada', \(Self.blob), 'x', \(type), 'x', 1, 'c', 'g', '["t"]', 7, \(takenAt))
                    """)
                try tx.run(
                    """
                    INSERT INTO media_tag (media, owner, tag, category, group_id, created_at) VALUES (\(id), 'ada', 't', 'c', 'g', 7)
                    """)
            }
        }
        try await database.migrate(all)
        for label in [EntryFilter(category: "c"), EntryFilter(groupID: "g"), EntryFilter(tag: "t")] {
            for (type, sort, expected) in [
                (.image, .createdAt, ["c", "a"]), (.image, .takenAt, ["c", "a"]), (nil, .takenAt, ["b", "c", "a"]),
                (.video, .takenAt, ["b"]),
            ] as [(MediaType.Kind?, MediaSelection.Sort, [String])] {
                var selection = MediaSelection()
                (selection.labels, selection.type, selection.sort) = (label, type, sort)
                let statement = MediaStore.listStatement(owner: "ada", selection, after: nil, limit: 10)
                #expect(try await database.list(statement, Asset.init).map(\.id) == expected, "\(selection)")
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("rows of tags that a node of the last release writes are completed", arguments: StoragePair.allCases)
    func upgrade(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("tags", "trip")
            body.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            body.close()
            let id = try await server.upload(body, as: ada).decode(UploadResponse.self).files[0].data.fileId
            let store = server.backend.media.store
            var selection = MediaSelection()
            (selection.labels, selection.type, selection.sort) = (EntryFilter(tag: "trip"), .image, .takenAt)
            let statement = MediaStore.listStatement(owner: ada.id, selection, after: nil, limit: 200)
            let hidden = try await server.backend.database.write { tx in
                // Inserts more files than the server completes in one write, without rows for their tags.
                try tx.run(
                    """
                    WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < 120)
                    INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at, taken_at)
                    SELECT 'copy-' || CAST(n AS TEXT), owner, blob, name, type, sha256, 0, category, tags, created_at, taken_at
                    FROM numbers JOIN media ON media.id = \(id)
                    """)
                // The last release replaces a file's tags like this when its labels change, and writes only these columns.
                try tx.run("DELETE FROM media_tag WHERE owner = \(ada.id)")
                try tx.run(
                    """
                    INSERT INTO media_tag (media, owner, tag, category, group_id, created_at)
                    SELECT id, owner, 'trip', category, group_id, created_at FROM media WHERE owner = \(ada.id)
                    """)
                return try tx.list(statement, Asset.init).isEmpty
            }
            #expect(hidden)
            #expect(try await page(server, ada, "tag=trip&limit=100").files.count == 100)
            try await store.completeTags()
            let assets = try await server.backend.database.list(statement, Asset.init)
            #expect(assets.count == 121)
            let incomplete = try await server.backend.database.read { tx in
                try tx.rows(MediaStore.incompleteTags(after: "", limit: 1)).isEmpty
            }
            #expect(incomplete)
            // Only one of these files was uploaded. The timeline shows that one only.
            let timeline = try await server.send("GET", "/api/users/user/\(ada.id)/timeline?tag=trip", as: ada)
            #expect(try timeline.decode(TimelineResponse.self).items.map(\.file?.fileId) == [id])
        }
    }
}
