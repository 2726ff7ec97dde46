import Core
import Database
import Foundation
import KeepsakeWire
import Media
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

/// Files that many captures name.
@Suite("Captures that name one file", .blocksThreads)
struct NamedFileTests {
    /// Uploads a photo under an id that no capture has, and inserts captures that name it.
    /// - Returns: the photo's file and link.
    private func photo(
        namedBy count: Int, _ server: TestServer, _ person: TestServer.Person
    ) async throws -> (file: String, url: String) {
        let upload = try await server.uploadCapture("nobody", "photo.jpg", as: person)
        let url = try #require(try upload.json()["url"] as? String)
        let row = try await server.backend.database.read { tx in
            try tx.row("SELECT media FROM capture_file WHERE owner = \(person.id) AND capture = 'nobody'")
        }
        let file = try #require(try row?.get("media", as: String.self))
        try await name(file, count, as: "c", server, person.id)
        return (file, url)
    }

    @Test("a capture beyond the hundredth that names a file is kept, with the link as text", arguments: Engine.allCases)
    func limit(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let (file, url) = try await photo(namedBy: CaptureStore.namingLimit - 2, server, ada)
            let store = server.backend.features[CapturesFeature.self].store
            let now = server.clock.now
            let batch = ["x", "y", "z"].map { id in
                NewCapture(owner: ada.id, id: id, message: CaptureMessage(id: id, at: now, photoURL: url))
            }
            let expected = [file, file, nil].map { CaptureLink(media: $0, url: url) }
            // The second round sends the same captures again.
            for _ in 0..<2 {
                let outcomes = try await store.take(batch, exactly: true).outcomes
                #expect(outcomes.count == 3 && outcomes.allSatisfy { $0 == nil }, "\(outcomes)")
                let photos = try await store.database.read { tx in
                    try ["x", "y", "z"].map { id in try #require(try store.capture(id, owner: ada.id, tx)).photo }
                }
                #expect(photos == expected)
            }
            #expect(try await server.capture("z", as: ada).photoURL == url)
        }
    }

    @Test("an upload that replaces a file removes it from the other captures that name it, in writes of their own")
    func replaced() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let file = try await photo(namedBy: CaptureStore.namingLimit + CaptureStore.droppedAtOnce + 8, server, ada).file
            #expect(try await server.uploadCapture("nobody", "photo.jpg", as: ada).status == 200)
            let naming = try await server.backend.database.read { tx in
                try tx.rows(CaptureStore.naming(file, owner: ada.id, limit: 200)).count
            }
            #expect(naming == 0)
        }
        // Two writes remove the file from the captures beyond the limit, and another one erases it.
        #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } == 3)
    }

    @Test("a write that deletes captures looks once for another capture that names their photo, and reads one at most")
    func deleted() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let file = try await photo(namedBy: 5, server, ada).file
            let store = server.backend.features[CapturesFeature.self].store
            func count() async throws -> Int {
                try await store.database.read { tx in try tx.rows("SELECT id FROM media WHERE id = \(file)").count }
            }
            #expect(try await store.delete(["c0", "c1", "c2"], owner: ada.id) == 3)
            #expect(try await count() == 1)
            #expect(try await store.delete(["c3", "c4"], owner: ada.id) == 2)
            #expect(try await count() == 0)
        }
        let one = record.all.filter { statement in
            guard statement.text.hasPrefix("SELECT id, row_bytes FROM capture WHERE photo_media"),
                case .integer(1)? = statement.sql.values.last
            else { return false }
            return true
        }
        #expect(one.count == 2)
        #expect(!record.all.contains { $0.text.hasPrefix("SELECT id FROM capture WHERE photo_media") })
    }

    /// Inserts `count` captures that name the file.
    private func name(_ file: String, _ count: Int, as prefix: String, _ server: TestServer, _ owner: String) async throws {
        let now = server.clock.now
        let library = server.backend.features[CapturesFeature.self].store.library
        try await server.backend.database.write { tx in
            try library.note(rowBytes: Int64(count), owner: owner, tx)
            for number in 0..<count {
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, transcription,
                        transcription_engine, version, created_at, row_bytes)
                    VALUES (\(owner), \("\(prefix)\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 'Words.',
                        'client', 1, \(now), 1)
                    """)
            }
        }
    }

    private func naming(_ files: [String], _ server: TestServer, _ owner: String) async throws -> Int {
        try await server.backend.database.read { tx in
            try files.reduce(0) { try $0 + tx.rows(CaptureStore.naming($1, owner: owner, limit: 200)).count }
        }
    }

    @Test("before several files are deleted in one write, at most sixteen captures name any of them", arguments: Engine.allCases)
    func several(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let store = server.backend.features[CapturesFeature.self].store
            let photo = try Fixture.data("photo.jpg")
            var files: [String] = []
            for _ in 0..<3 {
                let sent = try await server.upload(.file("a.jpg", photo), as: ada).decode(UploadResponse.self)
                files.append(try #require(sent.files.first?.data.fileId))
            }
            for (number, file) in files.enumerated() { try await name(file, 12, as: "c\(number)-", server, ada.id) }
            // Captures that the same write deletes keep the file.
            try await store.forgetMost(of: files, besides: ["c2-3"], owner: ada.id)
            #expect(try await naming(files, server, ada.id) == CaptureStore.forgottenAtOnce + 1)
            #expect(try await store.whole("c2-3", owner: ada.id)?.capture.photo.media == files[2])
        }
    }

    @Test(
        "before a span of captures is deleted, others that name its files lose them in writes of their own", arguments: Engine.allCases)
    func span(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let ada = try await server.person()
            let store = server.backend.features[CapturesFeature.self].store
            var files: [String] = []
            for number in 0..<3 {
                let id = "d\(number)"
                #expect(try await server.uploadCapture(id, "photo.jpg", as: ada).status == 200)
                try CaptureClient(server, ada).take(id, at: "2026-05-01T08:0\(number):00Z", "Words.")
                _ = try await server.processed(id, as: ada)
                let row = try await store.database.read { tx in
                    try tx.row("SELECT media FROM capture_file WHERE owner = \(ada.id) AND capture = \(id)")
                }
                files.append(try #require(try row?.get("media", as: String.self)))
                try await name(files[number], 30, as: "c\(number)-", server, ada.id)
            }
            // A file that belongs to no capture stays, and so do the captures that name it.
            let other = try await photo(namedBy: 30, server, ada).file
            #expect(try await store.delete(["nobody"], owner: ada.id) == 0)
            #expect(try await server.send("DELETE", "/captures?from=2026-05-01&to=2026-05-01T20:00:00Z", as: ada).status == 200)
            #expect(try await naming(files, server, ada.id) == 0)
            #expect(try await naming([other], server, ada.id) == 30)
            let media: [String] = try await store.database.read { tx in
                try tx.rows("SELECT id FROM media WHERE owner = \(ada.id)").map { try $0.get("id") }
            }
            #expect(media == [other])
        }
        // 14, 30 and 30 captures lose a file in a write of their own; the last write looks for each file once more.
        #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } == 6)
    }

    /// Inserts captures that name the person's only file.
    private func nameOnlyFile(as prefix: String, _ server: TestServer, _ person: TestServer.Person) async throws {
        let files: [String] = try await server.backend.database.read { tx in
            try tx.rows("SELECT id FROM media WHERE owner = \(person.id)").map { try $0.get("id") }
        }
        try #require(files.count == 1, "\(prefix)")
        try await name(files[0], 40, as: prefix, server, person.id)
    }

    @Test("before another feature erases or replaces its file, most captures that name the file lose it in a write of their own")
    func otherFeatures() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await server.onboard("Ada", as: ada)
            let photo = try Fixture.data("photo.jpg")
            let cover = photo.base64EncodedString()
            func post(_ path: String, _ body: [String: Any]) async throws -> [String: Any] {
                let answer = try await server.sendJSON("POST", path, body, as: ada)
                try #require(answer.status == 200, "\(path): \(answer.text)")
                return try answer.json()
            }
            func id(of member: String, _ json: [String: Any]) throws -> String {
                try #require((json[member] as? [String: Any])?["id"] as? String)
            }

            let first = try await post("/create-cove", ["name": "First", "location": "Here", "coverPhoto": cover])
            try await nameOnlyFile(as: "replaced-cover-", server, ada)
            _ = try await post("/edit-cove", ["coveId": id(of: "cove", first), "coverPhoto": cover])
            try await nameOnlyFile(as: "deleted-cove-", server, ada)
            _ = try await post("/delete-cove", ["coveId": id(of: "cove", first)])
            let second = try await post("/create-cove", ["name": "Second", "location": "Here", "coverPhoto": cover])
            try await nameOnlyFile(as: "left-cove-", server, ada)
            _ = try await post("/leave-cove", ["coveId": id(of: "cove", second)])

            let third = try await post("/create-cove", ["name": "Third", "location": "Here"])
            let event = try await post(
                "/create-event",
                [
                    "coveId": id(of: "cove", third), "name": "Party", "date": "2026-06-24T18:03:11.482Z", "location": "Garden",
                    "coverPhoto": cover,
                ])
            try await nameOnlyFile(as: "cover-of-an-event-", server, ada)
            _ = try await post("/edit-event", ["eventId": id(of: "event", event), "coverPhoto": cover])
            try await nameOnlyFile(as: "deleted-event-", server, ada)
            _ = try await post("/delete-event", ["eventId": id(of: "event", event)])

            let added = try await server.addPhoto("photo.jpg", as: ada).decode(PhotoResponse.self).photo
            try await nameOnlyFile(as: "replaced-photo-", server, ada)
            #expect(try await server.replacePhoto(added.id, "photo.jpg", as: ada).status == 200)
            try await nameOnlyFile(as: "deleted-photo-", server, ada)
            _ = try await post("/delete-photo", ["photoId": added.id])

            let sound = try Fixture.data("plain.wav")
            let capsule = try await server.makeCapsule(sound.count, as: ada).capsule.id
            #expect(try await server.uploadAudio(sound, to: capsule, as: ada).status == 200)
            try await nameOnlyFile(as: "capsule-", server, ada)
            #expect(try await server.send("DELETE", "/v0/capsules/\(capsule)", as: ada).status < 300)

            let words = MultipartBody.file("a.txt", Data("words".utf8))
            let sent = try await server.upload(words, to: "/api/chat/files/upload", as: ada).decode(ChatFileObject.self)
            try await nameOnlyFile(as: "file-of-a-chat-", server, ada)
            #expect(try await server.send("DELETE", "/api/chat/files/\(sent.fileId)", as: ada).status == 200)

            let path = "/api/users/user/\(ada.id)/profile-picture/swift"
            for isFirst in [true, false] {
                if !isFirst { try await nameOnlyFile(as: "profile-picture-", server, ada) }
                #expect(try await server.upload(.file("a.jpg", photo), to: path, as: ada).status == 200)
            }
            try await nameOnlyFile(as: "picture-of-the-profile-", server, ada)
            #expect(try await server.addPhoto("photo.jpg", isProfilePic: true, as: ada).status == 200)
        }
        // One write removes 24 of 40 captures' references, and the write that erases the file removes the others.
        #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } == 2 * 11)
    }

    @Test("before a file is replaced, captures with long texts lose it in writes of their own")
    func replacedLong() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let file = try await photo(namedBy: 12, server, ada).file
            // Four of these captures count as much as the texts of one write.
            let bytes = RowBytes.searchable * DeletionStep.byteCount / 4
            let library = server.backend.features[CapturesFeature.self].store.library
            try await server.backend.database.write { tx in
                try library.note(rowBytes: 12 * (bytes - 1), owner: ada.id, tx)
                try tx.run("UPDATE capture SET row_bytes = \(bytes) WHERE photo_media = \(file)")
            }
            #expect(try await server.uploadCapture("nobody", "photo.jpg", as: ada).status == 200)
            #expect(try await naming([file], server, ada.id) == 0)
        }
        // Two writes remove the file from four captures each, and the write that erases it removes it from the others.
        #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } == 3)
    }

    @Test("before captures are deleted, short writes remove their photos from contacts", arguments: Engine.allCases)
    func faces(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let ada = try await server.person()
            let store = server.backend.features[CapturesFeature.self].store
            _ = try await photo(namedBy: 2, server, ada)
            let now = server.clock.now
            try await store.database.write { tx in
                for number in 0..<10 {
                    let face = number == 9 ? "other" : "c\(number % 2)"
                    // Five contacts of this size fill one write, so the nine with the photo of a deleted capture need two.
                    try tx.send(
                        """
                        INSERT INTO contact (id, owner, name, face_capture, first_seen, last_seen, mention_count, by_user, row_bytes)
                        VALUES (\("p\(number)"), \(ada.id), 'n', \(face), \(now), \(now), 0, 1, 400000)
                        """)
                }
            }
            func shown() async throws -> [String] {
                try await store.database.read { tx in
                    try tx.rows("SELECT id FROM contact WHERE face_capture IS NOT NULL ORDER BY id").map { try $0.get("id") }
                }
            }
            #expect(try await store.delete(["c0", "c1"], owner: ada.id) == 2)
            #expect(try await shown() == ["p9"])
        }
        #expect(record.all.count { $0.text.hasPrefix("UPDATE contact SET face_capture = NULL\nWHERE id IN") } == 2)
    }
}
