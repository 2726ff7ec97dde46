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
    /// Uploads a photo under the id of no capture, and inserts captures that name it.
    /// - Returns: the photo's file and link.
    private func photo(
        namedBy count: Int, _ server: TestServer, _ person: TestServer.Person
    ) async throws -> (file: String, url: String) {
        let upload = try await server.uploadCapture("nobody", "photo.jpg", as: person)
        let url = try #require(try upload.json()["url"] as? String)
        let now = server.clock.now
        let library = server.backend.features[CapturesFeature.self].store.library
        return try await server.backend.database.write { tx in
            try library.note(rowBytes: Int64(count), owner: person.id, tx)
            let row = try tx.row("SELECT media FROM capture_file WHERE owner = \(person.id) AND capture = 'nobody'")
            let file = try #require(try row?.get("media", as: String.self))
            for number in 0..<count {
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, transcription,
                        transcription_engine, version, created_at, row_bytes)
                    VALUES (\(person.id), \("c\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 'Words.',
                        'client', 1, \(now), 1)
                    """)
            }
            return (file, url)
        }
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
            // The second time, they are repeated captures.
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

    @Test("an upload in place of a file that more captures name takes it from those in writes of their own")
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
        // Two writes for those beyond the limit, and the one that erases the file.
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
}
