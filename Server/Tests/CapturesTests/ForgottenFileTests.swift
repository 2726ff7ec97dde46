import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

/// Files that are deleted through the library, not with their capture.
@Suite("Captures whose file is deleted from the library", .blocksThreads)
struct ForgottenFileTests {
    private static let canary = "Zanzibartha"
    private static let time = "2026-05-01T08:05:00Z"

    private func media(_ kind: String, of capture: String, _ server: TestServer, _ person: TestServer.Person) async throws -> String {
        let row = try await server.backend.database.read { tx in
            try tx.row("SELECT media FROM capture_file WHERE owner = \(person.id) AND capture = \(capture) AND kind = \(kind)")
        }
        return try #require(try row?.get("media", as: String.self))
    }

    private func deleteFile(_ id: String, _ server: TestServer, _ person: TestServer.Person) async throws -> Int {
        try await server.send("DELETE", "/api/users/user/\(person.id)/multimedia/\(id)", as: person).status
    }

    /// Stores an engine's analysis of the capture, as the job of the pipeline does, and waits until the capture is condensed.
    private func analyse(_ id: String, as analysis: CaptureAnalysis, _ server: TestServer, _ person: TestServer.Person) async throws {
        let store = server.backend.features[CapturesFeature.self].store
        try await store.database.write { tx in
            let version = try #require(try store.capture(id, owner: person.id, tx)).version
            try store.keep(analysis, of: id, version: version, owner: person.id, tx)
        }
        try await eventually {
            server.clock.advance(by: .seconds(31))
            try await server.settle()
            return try await server.tables(holding: Self.canary, server.stores.engine).contains("capture_day")
        }
    }

    @Test(
        "deleting a photo deletes what was read and seen in it, at once; the words stay and are analysed again",
        arguments: StoragePair.allCases)
    func photo(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let upload = try await server.uploadCapture("a", "photo.jpg", as: ada)
            let url = try #require(try upload.json()["url"] as? String)
            try CaptureClient(server, ada).take("a", at: Self.time, "Just met with John at the lake.", photo: url)
            _ = try await server.processed("a", as: ada)
            try await analyse(
                "a",
                as: CaptureAnalysis(
                    imageSummary: "A sign of \(Self.canary).", themes: [Self.canary], mood: Self.canary, location: Self.canary,
                    mentionedNames: ["John", Self.canary], keyMoment: "Welcome to \(Self.canary).", imageText: "Welcome to \(Self.canary).",
                    engine: "gemini"), server, ada)
            let before = try await server.tables(holding: Self.canary, pair.engine)
            #expect(before.isSuperset(of: ["capture", "contact", "capture_hour", "capture_day", "search_document"]), "\(before)")
            let john = try #require(try await server.contacts(as: ada).first { $0.name == "John" })
            let edit = try await server.sendJSON("PATCH", "/contacts/known/\(john.id)", ["bestFacePhoto": "a"], as: ada)
            #expect(edit.status == 200)
            let file = try await media("photo", of: "a", server, ada)
            #expect(try await deleteFile(file, server, eve) == 404)
            #expect(try await server.tables(holding: Self.canary, pair.engine) == before)

            #expect(try await deleteFile(file, server, ada) == 200)
            let after = try await server.tables(holding: Self.canary, pair.engine)
            #expect(after.subtracting(["search_forgotten"]) == [], "\(after)")
            #expect(try await server.tables(holding: Self.canary.lowercased(), pair.engine).subtracting(["search_forgotten"]) == [])
            let contacts = try await server.contacts(as: ada)
            #expect(contacts.map(\.id) == [john.id] && contacts.first?.bestFacePhotoURL == nil, "\(contacts)")
            let capture = try await server.processed("a", as: ada)
            #expect(capture.transcription == "Just met with John at the lake." && capture.photoURL == nil, "\(capture)")
            #expect(capture.analysis?.engine == "local" && capture.analysis?.imageSummary == nil, "\(capture)")
            #expect(capture.analysis?.mentionedNames == ["John"])
            try await eventually {
                server.clock.advance(by: .seconds(31))
                try await server.settle()
                return try await server.hours("2026-05-01", as: ada).first?.highlights.map(\.text) == ["Just met with John at the lake."]
            }
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("deleting a recording deletes what an engine transcribed, but not words that a person wrote", arguments: StoragePair.allCases)
    func recording(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            for id in ["heard", "written"] {
                #expect(try await server.uploadCapture(id, "voice.m4a", as: ada).status == 200)
                try client.take(id, at: Self.time, id == "written" ? "Just met with John." : nil)
                _ = try await server.processed(id, as: ada)
            }
            let store = server.backend.features[CapturesFeature.self].store
            try await store.database.write { tx in
                let version = try #require(try store.capture("heard", owner: ada.id, tx)).version
                try store.keepTranscription(
                    "Just met with \(Self.canary).", engine: "openai", error: nil, of: "heard", version: version, owner: ada.id, tx)
            }
            try await eventually {
                server.clock.advance(by: .seconds(31))
                try await server.settle()
                return try await server.tables(holding: Self.canary, pair.engine).isSuperset(of: ["contact", "capture_day"])
            }
            for id in ["heard", "written"] {
                #expect(try await deleteFile(try await media("audio", of: id, server, ada), server, ada) == 200)
            }
            let after = try await server.tables(holding: Self.canary, pair.engine)
            #expect(after.subtracting(["search_forgotten"]) == [], "\(after)")
            let heard = try await server.processed("heard", as: ada)
            #expect(heard.transcription == nil && heard.audioURL == nil, "\(heard)")
            #expect(try await server.processed("written", as: ada).transcription == "Just met with John.")
            #expect(try await server.contacts(as: ada).map(\.name) == ["John"])
            try await server.settle()
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test(
        "deleting a file that very many captures name removes its analysis from all of them, and from nobody else's",
        arguments: StoragePair.allCases)
    func many(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let sent = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).decode(UploadResponse.self)
            let file = try #require(sent.files.first?.data.fileId)
            let store = server.backend.features[CapturesFeature.self].store
            let count = CaptureStore.forgottenAtOnce + 20
            let now = server.clock.now
            let left = try await store.database.write { tx in
                for number in 0..<count {
                    for owner in [ada.id, eve.id] {
                        // No request can store another account's file in a capture. Here Eve's captures have the id of Ada's file
                        // nevertheless.
                        try tx.send(
                            """
                            INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, transcription,
                                transcription_engine, analysis, version, created_at, row_bytes)
                            VALUES (\(owner), \("c\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 'Words.', 'client',
                                '{"engine":"gemini","themes":[],"detectedFaces":[],"mentionedNames":[]}', 1, \(now), 1)
                            """)
                    }
                }
                _ = try store.forget(file: file, owner: ada.id, tx)
                return try tx.rows(
                    """
                    SELECT owner FROM capture WHERE analysis IS NOT NULL OR photo_media IS NOT NULL OR status <> 'received' OR version <> 2
                    """
                ).map { try $0.get("owner", as: String.self) }
            }
            #expect(left == [String](repeating: eve.id, count: count))
            try await eventually {
                try await server.settle()
                return try await server.captures("?limit=100", as: ada).items.allSatisfy { $0.processed && $0.analysis?.engine == "local" }
            }
        }
    }

    @Test("the write that deletes a file splits no text, and removes at most 256 KB of texts from the index")
    func bounded() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let sent = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).decode(UploadResponse.self)
            let file = try #require(sent.files.first?.data.fileId)
            let store = server.backend.features[CapturesFeature.self].store
            let now = server.clock.now
            let statements = try await store.database.write { tx in
                for number in 0..<12 {
                    // The `row_bytes` are those of a text of 60 KB.
                    try tx.send(
                        """
                        INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, transcription,
                            transcription_engine, analysis, version, created_at, row_bytes)
                        VALUES (\(ada.id), \("c\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 'Words.',
                            'client', '{"engine":"gemini","themes":[],"detectedFaces":[],"mentionedNames":[]}', 1, \(now), 500000)
                        """)
                }
                let start = record.all.count
                _ = try store.forget(file: file, owner: ada.id, tx)
                let left = try tx.rows("SELECT id FROM capture WHERE analysis IS NOT NULL OR photo_media IS NOT NULL")
                #expect(left.isEmpty)
                return record.all[start...].map(\.text)
            }
            #expect(!statements.contains { $0.hasPrefix("INSERT INTO search_document") })
            #expect(statements.count { $0.hasPrefix("DELETE FROM search_document") } == 4)
        }
    }

    @Test("before a file is deleted, captures beyond the first lose it in writes of their own", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let sent = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).decode(UploadResponse.self)
            let file = try #require(sent.files.first?.data.fileId)
            let store = server.backend.features[CapturesFeature.self].store
            let now = server.clock.now
            try await store.database.write { tx in
                for number in 0..<100 {
                    try tx.send(
                        """
                        INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, transcription,
                            transcription_engine, analysis, version, created_at, row_bytes)
                        VALUES (\(ada.id), \("c\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 'Words.',
                            'client', '{"engine":"gemini","themes":[],"detectedFaces":[],"mentionedNames":[]}', 1, \(now), 1)
                        """)
                }
            }
            func naming() async throws -> Int {
                try await store.database.read { tx in try tx.rows(CaptureStore.naming(file, owner: ada.id, limit: 200)).count }
            }
            // Somebody else's request changes nothing.
            #expect(try await deleteFile(file, server, eve) == 404)
            #expect(try await naming() == 100)
            try await store.forgetMost(of: [file], owner: ada.id)
            #expect(try await naming() == CaptureStore.forgottenAtOnce)
            #expect(try await deleteFile(file, server, ada) == 200)
            #expect(try await naming() == 0)
            try await eventually {
                try await server.settle()
                return try await server.captures("?limit=100", as: ada).items.allSatisfy { $0.processed && $0.analysis?.engine == "local" }
            }
        }
    }

    @Test("before a file is deleted, a write takes it from captures with at most 2 MB of texts")
    func longSteps() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let sent = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada).decode(UploadResponse.self)
            let file = try #require(sent.files.first?.data.fileId)
            let store = server.backend.features[CapturesFeature.self].store
            let now = server.clock.now
            try await store.database.write { tx in
                for number in 0..<(CaptureStore.forgottenAtOnce + 5) {
                    // The `row_bytes` are those of a text of 1 MB.
                    try tx.send(
                        """
                        INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, transcription,
                            transcription_engine, version, created_at, row_bytes)
                        VALUES (\(ada.id), \("c\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 'Words.',
                            'client', 1, \(now), 8000000)
                        """)
                }
            }
            try await store.forgetMost(of: [file], owner: ada.id)
            let naming = try await store.database.read { tx in try tx.rows(CaptureStore.naming(file, owner: ada.id, limit: 200)).count }
            // One capture is left for the write that deletes the file. Before that, writes of two captures each remove the file from the
            // other twenty.
            #expect(naming == 1)
            #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } == 10)
        }
    }
}
