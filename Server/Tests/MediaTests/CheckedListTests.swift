import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import Live
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

/// Some lists combine several labels with a type or with the order by time taken. They read an index that covers some of their filters, and
/// check the other filters in each row.
@Suite("Lists that check rows")
struct CheckedListTests {
    private struct File {
        let id: String
        let category: String
        let group: String?
        let tags: [String]
        let type: String
        let at: Int64
        let taken: Int64?

        func asset(of owner: String, _ blob: BlobKey) -> Asset {
            Asset(
                id: owner + " " + id, owner: owner, blob: blob, name: "x", type: type, sha256: "x", byteCount: 1,
                takenAt: taken.map(Timestamp.init(microseconds:)), category: category, tags: tags, groupID: group,
                createdAt: Timestamp(microseconds: at))
        }
    }

    /// Four files are stored at each time. The order of their ids, and that of the times at which they were taken, differ from the order of
    /// storage.
    private static let files = (0..<48).map { number -> File in
        let tags = [["lake"], ["lake", "summer"], [], ["summer"]]
        let types = ["image/jpeg", "video/mp4", "image/png", "audio/wav"]
        return File(
            id: "\(10 + number * 29 % 48)", category: number % 2 == 0 ? "general" : "trip", group: [nil, "g", "h"][number % 3],
            tags: tags[number / 2 % 4], type: types[number * 5 / 7 % 4], at: Int64(number / 4) * 1_000,
            taken: number % 5 == 0 ? nil : Int64(number * 31 % 17) * 1_000)
    }

    /// Every combination of labels, type, time and order, with two values of each label.
    private static let selections = everyCombination(
        categories: [nil, "general", "trip"], groups: [nil, "g", "h"], tags: [nil, "lake", "summer"])
    /// Every combination, with one value of each label. Bounds and page sizes need no other values.
    private static let fewSelections = everyCombination(categories: [nil, "trip"], groups: [nil, "h"], tags: [nil, "summer"])

    private static func everyCombination(categories: [String?], groups: [String?], tags: [String?]) -> [MediaSelection] {
        let types: [MediaType.Kind?] = [nil, .image, .video, .audio]
        var selections: [MediaSelection] = []
        for category in categories {
            for group in groups {
                for tag in tags {
                    for type in types {
                        for sort in [MediaSelection.Sort.createdAt, .takenAt] {
                            for order in [Keyset.Direction.descending, .ascending] {
                                var selection = MediaSelection()
                                selection.labels = EntryFilter(category: category, groupID: group, tag: tag)
                                (selection.type, selection.sort, selection.order) = (type, sort, order)
                                selections.append(selection)
                            }
                        }
                    }
                }
            }
        }
        return selections
    }

    /// The ids that the list must have, computed without any index.
    private static func expected(_ selection: MediaSelection, of owner: String) -> [String] {
        let labels = selection.labels
        func time(_ file: File) -> Int64 { selection.sort == .takenAt ? file.taken ?? file.at : file.at }
        func isWithin(_ time: Int64) -> Bool {
            if let from = selection.range.from, time < from.microseconds { return false }
            if let to = selection.range.to, time >= to.microseconds { return false }
            return true
        }
        var matching = files.filter { isWithin(time($0)) }
        if let category = labels.category { matching.removeAll { $0.category != category } }
        if let group = labels.groupID { matching.removeAll { $0.group != group } }
        if let tag = labels.tag { matching.removeAll { !$0.tags.contains(tag) } }
        if let type = selection.type { matching.removeAll { !$0.type.hasPrefix(type.rawValue + "/") } }
        matching.sort { (time($0), $0.id) < (time($1), $1.id) }
        if selection.order == .descending { matching.reverse() }
        return matching.map { owner + " " + $0.id }
    }

    /// A database in which two accounts have the files.
    private static func filled(_ stores: TestStores) async throws -> any Database {
        if stores.engine == .sqlite { try await stores.begin(with: EmptyDatabase.file.value) }
        let database = try await stores.open()
        try await database.migrate(Backend.migrations, release: Keepsake.release)
        try stores.keepTables(except: TestServer.startedTables)
        let store = Self.store(database)
        try await database.write { tx in
            for owner in ["ada", "eve"] {
                try tx.run("INSERT INTO account (id, created_at) VALUES (\(owner), 1)")
                let blob = try BlobKey.insert(owner: owner, tx)
                for file in Self.files {
                    let asset = file.asset(of: owner, blob)
                    try tx.run(Asset.table.insert(asset))
                    try store.insertTags(asset, tx)
                }
            }
        }
        return database
    }

    private static func store(_ database: any Database) -> MediaStore {
        let clock = WallClock.system
        return MediaStore(
            database: database, ledger: BlobLedger(clock: clock), clock: clock, quota: MediaQuota(byteCount: 1),
            events: EventLog(clock: clock), uses: [])
    }

    /// - Returns: the ids of all pages, and how many files each page had.
    private static func pages(
        _ selection: MediaSelection, limit: Int, _ bounds: WalkBounds, from store: MediaStore
    ) async throws -> (ids: [String], counts: [Int]) {
        var (ids, counts): ([String], [Int]) = ([], [])
        var after: TimeKey?
        repeat {
            let page = try await store.list(owner: "ada", selection, PageRequest(after: after, limit: limit), bounds: bounds) {}
            ids += page.rows.map(\.id)
            counts.append(page.rows.count)
            after = page.next
            try #require(counts.count < 100, "\(selection): the pages do not end")
        } while after != nil
        return (ids, counts)
    }

    @Test(
        "the pages of every combination of labels, type, time and order are the files that a check of all files finds",
        arguments: Engine.allCases)
    func combinations(_ engine: Engine) async throws {
        let stores = try TestStores(engine, tables: "server")
        let database = try await Self.filled(stores)
        let store = Self.store(database)
        let whole = WalkBounds()
        let part = TimeRange(from: Timestamp(microseconds: 3_000), to: Timestamp(microseconds: 9_000))
        let cases: [(limit: Int, bounds: WalkBounds, range: TimeRange)] = [
            (1, whole, .all), (3, whole, .all), (100, whole, .all),
            (3, WalkBounds(batchRowCount: 4, rowCount: 6), .all),
            (2, WalkBounds(batchRowCount: 5, rowCount: 5), .all),
            (100, WalkBounds(batchRowCount: 1, rowCount: 1), .all),
            (3, WalkBounds(batchRowCount: 2, rowCount: 7), part),
        ]
        var cut = 0
        for (limit, bounds, range) in cases {
            let isPlain = limit == 3 && bounds.rowCount == whole.rowCount
            for var selection in isPlain ? Self.selections : Self.fewSelections {
                // The bounds do not affect selections without `walked`, and one page size is enough for those.
                guard selection.walked != nil || isPlain else { continue }
                selection.range = range
                let (ids, counts) = try await Self.pages(selection, limit: limit, bounds, from: store)
                #expect(ids == Self.expected(selection, of: "ada"), "\(selection), \(limit), \(bounds)")
                #expect(counts.allSatisfy { $0 <= limit }, "\(selection), \(limit), \(bounds)")
                let short = counts.dropLast().count { $0 < limit }
                if bounds.rowCount == whole.rowCount { #expect(short == 0, "\(selection): a page before the last is not full") }
                cut += short
            }
        }
        #expect(cut > 100, "the bounds cut hardly any page")
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("a page reads no more rows than its bound, of the index with the fewest", arguments: Engine.allCases)
    func bounds(_ engine: Engine) async throws {
        let stores = try TestStores(engine, tables: "server")
        let database = try await Self.filled(stores)
        let store = Self.store(database)
        for selection in Self.fewSelections {
            guard let walked = selection.walked else { continue }
            for bounds in [WalkBounds(batchRowCount: 1, rowCount: 1), WalkBounds(batchRowCount: 4, rowCount: 6)] {
                // No page is full, so each page but the last ends at the bound.
                let (_, counts) = try await Self.pages(selection, limit: 100, bounds, from: store)
                #expect(counts.count == Self.expected(walked, of: "ada").count / bounds.rowCount + 1, "\(selection), \(bounds)")
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("a page that reads many rows waits for one turn", arguments: Engine.allCases)
    func turns(_ engine: Engine) async throws {
        let stores = try TestStores(engine, tables: "server")
        let database = try await Self.filled(stores)
        let store = Self.store(database)
        for selection in Self.fewSelections {
            guard let walked = selection.walked else { continue }
            // The page reads two rows at a time, until there are no more.
            let rowCount = Self.expected(walked, of: "ada").count / 2 * 2
            for (most, expected) in [(rowCount, 1), (rowCount + 2, 0)] {
                let bounds = WalkBounds(batchRowCount: 2, rowCountWithoutTurn: most)
                var turns = 0
                _ = try await store.list(owner: "ada", selection, PageRequest(after: nil, limit: 100), bounds: bounds) { turns += 1 }
                #expect(turns == expected, "\(selection): \(rowCount) rows, \(bounds)")
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("labels are compared by their bytes, as the indexes do", arguments: Engine.allCases)
    func accents(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            for (name, tag) in [("one.jpg", "\u{E9}"), ("two.jpg", "e\u{301}")] {
                var body = MultipartBody()
                for (field, value) in [("groupId", "g"), ("tags", tag)] { body.add(field, value) }
                body.add("file", fileName: name, try Fixture.data("photo.jpg"))
                body.close()
                try #require(try await server.upload(body, as: ada).status == 200)
            }
            for (label, name) in [("%C3%A9", "one.jpg"), ("e%CC%81", "two.jpg")] {
                for rest in ["", "&groupId=g", "&groupId=g&sort=takenAt", "&groupId=g&type=image"] {
                    let answer = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia?tag=\(label)\(rest)", as: ada)
                    #expect(try answer.decode(MediaListResponse.self).files.map(\.name) == [name], "\(label)\(rest)")
                }
            }
        }
    }

    @Test("a page that reaches its bound is empty and has a cursor, and the next page goes on", arguments: StoragePair.allCases)
    func emptyPage(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            for (field, value) in [("category", "travel"), ("groupId", "g"), ("tags", "trip")] { body.add(field, value) }
            body.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            body.close()
            let id = try await server.upload(body, as: ada).decode(UploadResponse.self).files[0].data.fileId
            // Inserts 2,100 later files of the same group, which have the tag but not the category.
            try await server.backend.database.write { tx in
                try tx.run(
                    """
                    WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < 2100)
                    INSERT INTO media
                        (id, owner, blob, name, type, sha256, byte_count, category, group_id, tags, created_at, taken_at)
                    SELECT 'copy-' || CAST(n AS TEXT), owner, blob, name, type, sha256, 0, 'other', group_id, tags, created_at + n,
                        taken_at + n
                    FROM numbers JOIN media ON media.id = \(id)
                    """)
                try tx.run(
                    """
                    INSERT INTO media_tag (media, owner, tag, category, group_id, created_at, type, taken_at)
                    SELECT id, owner, 'trip', category, group_id, created_at, type, taken_at FROM media
                    WHERE owner = \(ada.id) AND id <> \(id)
                    """)
            }
            for query in ["category=travel&tag=trip&sort=takenAt", "category=travel&groupId=g&sort=takenAt&type=image&limit=1"] {
                let path = "/api/users/user/\(ada.id)/multimedia?\(query)"
                let first = try await server.send("GET", path, as: ada).decode(MediaListResponse.self)
                #expect(first.files.isEmpty && first.pagination.hasMore, "\(query)")
                let cursor = try #require(first.pagination.nextCursor)
                let second = try await server.send("GET", "\(path)&cursor=\(cursor)", as: ada).decode(MediaListResponse.self)
                #expect(second.files.map(\.fileId) == [id] && second.pagination.nextCursor == nil, "\(query)")
                // The cursor is refused in a list with another order.
                let other = try await server.send("GET", "\(path)&order=asc&cursor=\(cursor)", as: ada)
                #expect(other.status == 400 && other.text.contains("cursor"), "\(other.text)")
            }
            // For lists by time stored, one index holds the category and the tag, so the first page has the file.
            let page = try await server.send(
                "GET", "/api/users/user/\(ada.id)/multimedia?category=travel&tag=trip&type=image", as: ada
            ).decode(MediaListResponse.self)
            #expect(page.files.map(\.fileId) == [id] && page.pagination.nextCursor == nil)
        }
    }

    @Test("every statement reads rows in the order of an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        let (category, group, tag) = ("general", "g", "lake")
        let lists: [(EntryFilter, created: String, taken: String)] = [
            (.init(category: category, groupID: group), "media_by_category_and_group", "media_by_group_and_taken"),
            (.init(category: category, tag: tag), "media_tag_by_category", "media_tag_by_taken"),
            (.init(groupID: group, tag: tag), "media_tag_by_group", "media_by_group_and_taken"),
            (.init(category: category, groupID: group, tag: tag), "media_tag_by_category_and_group", "media_by_group_and_taken"),
        ]
        try await TestServer.run(pair, tables: TestServer.newTables) { server in
            let position = TimeKey(at: server.clock.now, id: "x")
            for (labels, created, taken) in lists {
                for (type, sort) in [(.image, .createdAt), (.video, .takenAt), (nil, .takenAt)]
                    as [(MediaType.Kind?, MediaSelection.Sort)]
                {
                    for (order, after) in [(.descending, nil), (.descending, position), (.ascending, nil), (.ascending, position)]
                        as [(Keyset.Direction, TimeKey?)]
                    {
                        var selection = MediaSelection()
                        (selection.labels, selection.type, selection.sort, selection.order) = (labels, type, sort, order)
                        for from in [nil, Timestamp(seconds: 0)] {
                            selection.range.from = from
                            let walked = try #require(selection.walked)
                            #expect(walked.walked == nil, "\(selection)")
                            let plan = try await QueryPlan(
                                MediaStore.listStatement(owner: "o", walked, after: after, limit: WalkBounds().batchRowCount),
                                on: server.backend.database)
                            let index = sort == .createdAt ? created : taken
                            #expect(plan.uses(index) && plan.faults(mayMerge: walked.type == nil && sort == .takenAt).isEmpty, "\(plan)")
                        }
                    }
                }
            }
        }
    }
}
