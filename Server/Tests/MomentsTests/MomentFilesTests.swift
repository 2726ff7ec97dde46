import Blobs
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import keepsake

/// A moment's row lists its files, which belong to the library.
@Suite("A moment's files")
struct MomentFilesTests {
    @Test("a file deleted from the library disappears from its mood, and the others keep their order", arguments: StoragePair.allCases)
    func takenAway(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x"), ("tags", "t")], files: [.photo, .photo, .voice, .photo, .photo], as: ada)
            let other = try await server.mood([("mood", "y"), ("tags", "t")], files: [.photo, .voice], as: ada)
            let voice = try #require(mood.voiceNote)
            try #require(mood.imageUrls.count == 4 && mood.voiceNoteDuration != nil)
            var left = mood
            try await show([left, other], server, ada)
            for picture in [2, 0] {
                let link = left.imageUrls.remove(at: picture)
                left.files?.removeAll { $0.id == file(link) }
                #expect(try await take(link, server, ada) == 200)
                try await show([left, other], server, ada)
            }
            #expect(left.imageUrls == [mood.imageUrls[1], mood.imageUrls[3]])
            #expect(try await take(voice, server, ada) == 200)
            (left.voiceNote, left.voiceNoteDuration) = (nil, nil)
            left.files?.removeAll { $0.id == file(voice) }
            try await show([left, other], server, ada)
            // A later change of the mood keeps its remaining files.
            let patch = try await server.send(
                "PATCH", server.moments(ada, "moods/\(mood.id)"), as: ada, headers: [("Content-Type", "application/json")],
                body: Data(#"{"note":"n"}"#.utf8))
            left.note = "n"
            #expect(try patch.decode(MoodResponse.self).mood == left)
            try await show([left, other], server, ada)
        }
    }

    @Test("the voice note keeps its place among the parts of the form, also in the library's lists", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for parts in [[MomentFile.photo, .voice, .photo], [.photo, .photo, .voice], [.voice, .photo, .photo]] {
                let mood = try await server.mood([("mood", "x"), ("tags", "t")], files: parts, as: ada)
                let sent = try #require(mood.files)
                #expect(sent.map(\.type) == parts.map { $0.field == "file" ? "image/jpeg" : "audio/mp4" })
                #expect(sent.filter { $0.type == "image/jpeg" }.map(\.id) == mood.imageUrls.map(file))
                #expect(sent.first { $0.type == "audio/mp4" }?.id == mood.voiceNote.map(file))
                let group = try #require(mood.groupId)
                let listed = try await server.send("GET", server.moments(ada, "multimedia?groupId=\(group)"), as: ada)
                #expect(try listed.decode(MediaListResponse.self).files.map(\.fileId) == sent.map(\.id))
            }
        }
    }

    @Test("when two files of one mood are deleted at once, both disappear from it", arguments: StoragePair.allCases)
    func takenAwayAtOnce(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for _ in 0..<8 {
                let mood = try await server.mood([("mood", "x"), ("tags", "t")], files: [.photo, .photo, .voice, .photo], as: ada)
                let voice = try #require(mood.voiceNote)
                let gone = [mood.imageUrls[0], voice, mood.imageUrls[2]]
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for link in gone { group.addTask { try await take(link, server, ada) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == [200, 200, 200])
                var left = mood
                left.imageUrls = [mood.imageUrls[1]]
                left.files = [try #require(mood.files?[1])]
                (left.voiceNote, left.voiceNoteDuration) = (nil, nil)
                try await show([left], server, ada)
            }
        }
    }

    @Test("when a mood and one of its pictures are deleted at once, both are deleted and counted once", arguments: StoragePair.allCases)
    func deletedAtOnce(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for _ in 0..<8 {
                let mood = try await server.mood([("mood", "x")], files: [.photo, .photo, .voice], as: ada)
                let voice = try #require(mood.voiceNote)
                async let whole = server.send("DELETE", server.moments(ada, "moods/\(mood.id)"), as: ada).status
                async let one = take(mood.imageUrls[1], server, ada)
                async let another = take(voice, server, ada)
                let statuses = try await (whole, one, another)
                #expect(statuses.0 == 200 && Set([statuses.1, statuses.2]).isSubset(of: [200, 404]), "\(statuses)")
                #expect(try await server.send("GET", server.moments(ada, "moods/\(mood.id)"), as: ada).status == 404)
            }
            #expect(try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files.isEmpty)
            let (files, usage) = try await server.backend.database.read { tx in
                let files: Int? = try tx.row("SELECT COUNT(*) AS files FROM moment_file")?.get("files")
                let usage: Int? = try tx.row("SELECT file_count FROM media_usage WHERE account = \(ada.id)")?.get("file_count")
                return (files, usage)
            }
            #expect(files == 0 && usage == 0)
        }
    }

    @Test("before a mood is deleted, captures that name its files lose them in writes of their own", arguments: Engine.allCases)
    func named(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "x")], files: [.photo, .photo, .photo], as: ada)
            let (ids, now) = (mood.imageUrls.map(file), server.clock.now)
            try await server.backend.database.write { tx in
                for (place, id) in ids.enumerated() {
                    for number in 0..<30 {
                        try tx.send(
                            """
                            INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, version, created_at,
                                row_bytes)
                            VALUES (\(ada.id), \("c\(place)-\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(id), 1,
                                \(now), 1)
                            """)
                    }
                }
            }
            #expect(try await server.send("DELETE", server.moments(ada, "moods/\(mood.id)"), as: ada).status == 200)
            let naming = try await server.backend.database.read { tx in
                try tx.rows("SELECT id FROM capture WHERE photo_media IS NOT NULL").count
            }
            #expect(naming == 0)
        }
        // For each file, one write removes references before the mood is deleted, and the write that deletes the mood looks for references
        // once more.
        #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } == 6)
    }

    @Test("another user cannot delete a mood's files", arguments: StoragePair.allCases)
    func stranger(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            let mood = try await server.mood([("mood", "x"), ("tags", "t")], files: [.photo, .voice], as: ada)
            let voice = try #require(mood.voiceNote)
            for link in mood.imageUrls + [voice] {
                let id = file(link)
                #expect(try await take(link, server, eve) == 404)
                #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(id)"), as: eve).status == 403)
                try await server.backend.database.write { tx in try MomentsFeature.fileUses[0].willErase(id, eve.id, tx) }
            }
            try await show([mood], server, ada)
        }
    }

    @Test("one statement reads a page, including its files", arguments: StoragePair.allCases)
    func oneStatement(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for _ in 0..<3 {
                _ = try await server.mood(
                    [("mood", "x"), ("tags", "t"), ("groupId", "g"), ("category", "c")], files: [.photo, .voice], as: ada)
            }
            let recording = RecordingDatabase(server.backend.database)
            let real = server.backend.features[MomentsFeature.self].store
            let store = MomentStore(database: recording, library: real.library, search: real.search, events: real.events)
            var reads: [[Moment]] = []
            for filter in [
                MomentStore.Filter(), MomentStore.Filter(category: "c"), MomentStore.Filter(groupID: "g"), MomentStore.Filter(tag: "t"),
            ] {
                reads.append(try await store.list(.mood, owner: ada.id, filter, PageRequest(after: nil, limit: 20)).rows)
                #expect(recording.statements().count == 1)
            }
            for tag in [nil, "t"] {
                let request = EntryKind.Request(owner: ada.id, from: nil, to: nil, tag: tag, after: nil, limit: 21)
                reads.append(try await recording.read { tx in try store.timeline(request, tx) })
                #expect(recording.statements().count == 1)
            }
            let ids = reads[0].map(\.id)
            reads.append(try await recording.read { tx in try store.moments(ids, owner: ada.id, tx) })
            #expect(recording.statements().count == 1)
            for read in reads {
                #expect(Set(read.map(\.id)) == Set(ids) && read.count == 3)
                for moment in read { #expect(moment.pictures.count == 1 && moment.voice != nil) }
            }
            let one = try await store.moment(ids[0], .mood, owner: ada.id)
            #expect(one == reads[0][0] && recording.statements().count == 1)
        }
    }

    @Test("the migration moves the files of older moments into their rows, in order", arguments: StoragePair.allCases)
    func migration(_ pair: StoragePair) async throws {
        let stores = try TestStores(pair)
        let database = try await stores.open()
        let others = AccountsFeature.migrations + BlobLedger.migrations + MediaFeature.migrations
        try await database.migrate(others + MomentMigrations.all.prefix(1))
        // The positions follow neither the ids nor the order of insertion. A comparison as text would put position 10 before position 2.
        let eleven = (0..<11).map { "picture-\(90 - $0)" }
        let files: [String: [(role: String, media: String)]] = [
            "none": [], "one": [("picture", "only")], "said": [("voice", "note-1")],
            "both": [("picture", "b"), ("picture", "a"), ("voice", "note-2")], "many": eleven.map { ("picture", $0) },
            // One of the moment's files was deleted.
            "gap": [("picture", "y"), ("gone", "gone"), ("picture", "x"), ("voice", "note-3")],
        ]
        try await database.write { tx in
            try tx.run("INSERT INTO account (id, created_at) VALUES ('ada', 1)")
            let hash = String(repeating: "0", count: 64)
            try tx.run(
                """
                INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                VALUES ('blob', 'ada', \(hash), 1, 1, 'live', 1)
                """)
            for (moment, files) in files {
                try tx.run(
                    """
                    INSERT INTO moment (id, owner, kind, created_at, happened_at, category, tags, mood, interests)
                    VALUES (\(moment), 'ada', 'mood', 1, 1, 'general', '[]', 'happy', '[]')
                    """)
                for (position, file) in files.enumerated().reversed() where file.role != "gone" {
                    try tx.run(
                        """
                        INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at)
                        VALUES (\(file.media), 'ada', 'blob', 'a.jpg', \(file.role == "voice" ? "audio/mp4" : "image/jpeg"), 'x', 1, 'mood',
                            '[]', 1)
                        """)
                    try tx.run(
                        """
                        INSERT INTO moment_file (moment, position, role, media, owner, kind, created_at)
                        VALUES (\(moment), \(position), \(file.role), \(file.media), 'ada', 'mood', 1)
                        """)
                }
            }
        }
        for _ in 0..<2 { try await database.migrate(others + MomentMigrations.all) }
        try await database.write { tx in
            for (moment, files) in files {
                let row = try #require(try tx.row("SELECT pictures, voice FROM moment WHERE id = \(moment)"))
                let (text, voice): (String, String?) = (try row.get("pictures"), try row.get("voice"))
                let pictures = files.filter { $0.role == "picture" }.map(\.media)
                let note = files.first { $0.role == "voice" }?.media
                // Compared as text, because reading has a fast path for exactly this encoding.
                #expect(text == TextList.encode(pictures) && voice == note, "\(moment)")
                let read = try #require(
                    try tx.list("\(sql: Moment.table.select) WHERE id = \(moment)") { try Moment(&$0, of: "ada") }.first)
                #expect(read.pictures == pictures && read.voice == note, "\(moment)")
                let types =
                    pictures.map { Moment.File(id: $0, type: "image/jpeg") }
                    + [note].compactMap { $0 }.map { .init(id: $0, type: "audio/mp4") }
                #expect(read.knownFiles == types, "\(moment)")
            }
            // The references from files to moments still work, and are deleted with the file or the moment.
            try MomentsFeature.fileUses[0].willErase("picture-85", "ada", tx)
            try tx.run("DELETE FROM media WHERE id = 'picture-85'")
            try tx.run("DELETE FROM moment WHERE id = 'both'")
            let many: String = try #require(try tx.row("SELECT pictures FROM moment WHERE id = 'many'")).get("pictures")
            let ten = eleven.filter { $0 != "picture-85" }
            #expect(many == TextList.encode(ten))
            let left: [String] = try tx.rows("SELECT media FROM moment_file WHERE owner = 'ada' ORDER BY moment, position")
                .map { try $0.get("media") }
            #expect(left == ["y", "x", "note-3"] + ten + ["only", "note-1"])
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    // MARK: Over HTTP

    /// Checks that each mood is returned as expected by itself, in lists, on the timeline, and filtered by its tag.
    private func show(_ expected: [MoodData], _ server: TestServer, _ person: TestServer.Person) async throws {
        func get<T: Decodable>(_ rest: String, _ type: T.Type) async throws -> T {
            try await server.send("GET", server.moments(person, rest), as: person).decode(type)
        }
        var all: [MoodData] = []
        for query in ["", "?tag=t"] {
            all += try await get("moods\(query)", MoodListResponse.self).moods
            all += try await get("timeline\(query)", TimelineResponse.self).items.compactMap(\.mood)
        }
        for mood in expected {
            let alone = try await get("moods/\(mood.id)", MoodResponse.self).mood
            let shown = [alone] + all.filter { $0.id == mood.id }
            #expect(shown == Array(repeating: mood, count: 5))
        }
        // The references from files back to moments match the rows.
        let (rows, ways) = try await server.backend.database.read { tx in
            let rows = try tx.list("SELECT id, pictures, voice FROM moment ORDER BY id") { row in
                let (id, pictures, voice): (String, [String], String?) = (
                    try row.next("id"), try row.nextTexts("pictures"), try row.next("voice")
                )
                return pictures.map { "\(id) picture \($0)" } + [voice].compactMap { $0 }.map { "\(id) voice \($0)" }
            }
            let ways = try tx.list("SELECT moment, role, media FROM moment_file ORDER BY moment, position") { row in
                "\(try row.next("moment") as String) \(try row.next("role") as String) \(try row.next("media") as String)"
            }
            return (rows.flatMap { $0 }, ways)
        }
        #expect(Set(rows) == Set(ways) && rows.count == ways.count)
    }

    @Test("every kind is read correctly from its column")
    func kinds() throws {
        for kind in Moment.Kind.allCases {
            let read = try Moment.Kind(column: kind.rawValue)
            #expect(read == kind)
        }
        #expect(throws: DatabaseError.column("kind")) { try Moment.Kind(column: "moods") }
    }

    private func file(_ link: String) -> String { URL(string: link)?.lastPathComponent ?? "" }

    /// - Returns: The response's status.
    private func take(_ link: String, _ server: TestServer, _ person: TestServer.Person) async throws -> Int {
        try await server.send("DELETE", server.moments(person, "multimedia/\(file(link))"), as: person).status
    }
}
