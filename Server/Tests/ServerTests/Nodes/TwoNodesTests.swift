import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

/// Two nodes on one PostgreSQL database and one bucket, each with its own data folder. Each test divides a piece of work between both.
@Suite("Two nodes", .blocksThreads)
struct TwoNodesTests {
    private func run(
        _ change: @escaping @Sendable (inout Settings) -> Void = { _ in },
        _ test: @escaping @Sendable (TestServer, TestServer) async throws -> Void
    ) async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let place = try BlobLocation(.s3)
        let clock = TestClock()
        let settings: @Sendable (inout Settings) -> Void = { settings in
            settings.blobs = place.address
            settings.publicURL = "http://keepsake.example.org"
            change(&settings)
        }
        try await TestServer.run(.postgres, on: stores, clock: clock, settings) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock, settings) { two in try await test(one, two) }
        }
    }

    /// Links begin with the public URL; these tests send the requests to the nodes themselves.
    private func path(_ link: String) -> String { link.replacing("http://keepsake.example.org", with: "") }

    private func upload(_ name: String, _ content: Data, _ server: TestServer, as person: TestServer.Person) async throws -> FileData {
        let answer = try await server.upload(.file(name, content), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(UploadResponse.self).files[0].data
    }

    @Test("a file that one node received is served by the other: whole, in part, smaller, by its link, and in an export")
    func files() async throws {
        try await run { one, two in
            let ada = try await one.person()
            let photo = try Fixture.data("photo.jpg")
            let file = try await upload("photo.jpg", photo, one, as: ada)
            let link = path(file.url)
            #expect(try await two.send("GET", link).body == photo)
            let part = try await two.send("GET", link, headers: [("Range", "bytes=100-199")])
            #expect(part.status == 206 && part.body == photo[100..<200])
            // One node makes the first copy and stores it. The other node serves it from its row.
            let made = try await two.send("GET", link + "&w=128")
            #expect(made.status == 200)
            try await two.settleCopies()
            let stored = try await one.send("GET", link + "&w=128")
            #expect(stored.status == 200 && stored.body == made.body)
            #expect(stored.header("ETag") == made.header("ETag"))
            let archive = try Self.files(in: try await two.send("GET", "/auth/export", as: ada).body)
            #expect(archive == [photo])
        }
    }

    @Test("both nodes make the same smaller copy at the same time, and one is kept")
    func copies() async throws {
        try await run { one, two in
            let ada = try await one.person()
            let file = try await upload("photo.jpg", try Fixture.data("photo.jpg"), one, as: ada)
            let link = path(file.url) + "&w=256"
            async let first = one.send("GET", link)
            async let second = two.send("GET", link)
            let answers = try await [first, second]
            #expect(answers[0].status == 200 && answers[0].body == answers[1].body)
            #expect(answers[0].header("ETag") == answers[1].header("ETag"))
            try await one.settleCopies()
            try await two.settleCopies()
            #expect(try await one.storedCopyCount() == 1)
            let report = try await one.backend.audit.run { _, _ in }
            #expect(report.problems.isEmpty && report.orphanCount == 0, "\(report)")
        }
    }

    @Test("a file that one node deletes is gone on the other at once, although that one has just served it")
    func deletions() async throws {
        try await run { one, two in
            let ada = try await one.person()
            let file = try await upload("film.mp4", Film.bytes(300_000, isRandom: true), one, as: ada)
            #expect(try await two.send("GET", path(file.url)).status == 200)
            let gone = try await one.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada)
            #expect(gone.status == 200)
            #expect(try await two.send("GET", path(file.url)).status == 404)
        }
    }

    @Test("a capsule is created, recorded, completed and transcribed on different nodes")
    func capsules() async throws {
        try await run({ $0.transcriber = TranscriberSettings(.pocketsphinx) }) { one, two in
            let ada = try await one.person()
            // Silence needs no transcription engine, but the server still has to read and decode it.
            let sound = Self.silence
            var ids: [String] = []
            for number in 0..<4 {
                let made = try await (number % 2 == 0 ? one : two).makeCapsule(sound.count, as: ada)
                ids.append(made.capsule.id)
                let kept =
                    number < 2
                    ? try await two.putAudio(sound, path(made.uploadURL ?? ""))
                    : try await one.uploadAudio(sound, to: made.capsule.id, as: ada)
                #expect(kept.status == 200, "\(kept.text)")
            }
            // A job starts on the node that enqueued it, because that node is notified first.
            for (number, id) in ids.enumerated() {
                #expect(try await (number % 2 == 0 ? two : one).completeCapsule(id, as: ada).status == 200)
            }
            for id in ids {
                let capsule = try await one.settledCapsule(id, within: .seconds(60), as: ada)
                #expect(capsule.status == .completed)
                #expect(try await one.send("GET", path(capsule.audioURL ?? "")).body == sound)
            }
        }
    }

    @Test("an event that one node writes answers a long poll on the other")
    func events() async throws {
        try await run { one, two in
            let ada = try await one.person()
            let poll = Task { try await two.send("GET", "/events?since=0&wait=25", as: ada) }
            try await Task.sleep(for: .milliseconds(200))
            let start = ContinuousClock.now
            _ = try await one.mood([("mood", "happy")], as: ada)
            let answer = try await poll.value
            #expect(answer.text.contains("mood.added"))
            #expect(ContinuousClock.now - start < .seconds(15))
        }
    }

    @Test("a retry on another node gets the first node's response, and an upload that runs on one is refused on the other")
    func retries() async throws {
        try await run { one, two in
            let ada = try await one.person()
            let body = MultipartBody.file("film.mp4", Film.bytes(10_000, isRandom: true))
            let first = try await one.upload(body, as: ada, key: "k")
            let second = try await two.upload(body, as: ada, key: "k")
            #expect(first.status == 200 && second.body == first.body)
            #expect(second.header("Idempotency-Replayed") == "true")
            let count = try await one.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM media")?.get("n", as: Int.self) }
            #expect(count == 1)
        }
    }

    @Test("an account that is deleted on one node loses the files that the other received, in the bucket too")
    func erasure() async throws {
        try await run { one, two in
            let ada = try await one.full("ada", words: "shoreline")
            let deleted = try await two.send("POST", "/auth/delete", as: ada.person)
            #expect(deleted.status == 200, "\(deleted.text)")
            #expect(try await one.send("GET", "/user/me", as: ada.person).status == 401)
            #expect(try await one.send("GET", path(ada.link)).status == 404)
            try await eventually { try await one.backend.database.read { tx in try tx.row("SELECT 1 AS one FROM blob LIMIT 1") } == nil }
            var left = 0
            for try await entries in one.backend.blobs.list(olderThan: nil) { left += entries.count }
            #expect(left == 0)
        }
    }

    @Test("limits of requests hold for both nodes together")
    func limits() async throws {
        try await run({ settings in
            var limits = RateLimits()
            limits.signIn = Rate(perMinute: 6)
            settings.rateLimits = limits
        }) { one, two in
            _ = try await one.person()
            var statuses: [Int] = []
            for number in 0..<7 {
                let answer = try await (number % 2 == 0 ? one : two).send(
                    "POST", "/auth/password/login", headers: [("Content-Type", "application/json")],
                    body: Data(#"{"email":"ada@example.org","password":"wrong password"}"#.utf8))
                statuses.append(answer.status)
            }
            #expect(statuses == [401, 401, 401, 401, 401, 401, 429])
        }
    }

    @Test("one of two nodes cleans the bucket at a time")
    func cleaning() async throws {
        try await run { one, _ in
            let database = one.backend.database
            try await eventually {
                let works: [String] = try await database.read { tx in
                    try tx.rows("SELECT work FROM node_turn ORDER BY work").map { try $0.get("work") }
                }
                return works == ["blobs/reap", "blobs/sweep"]
            }
        }
    }

    // MARK: Helpers

    /// One second of silence as WAV: 16 kHz, 16 bits, one channel.
    private static let silence: Data = {
        func number<T: FixedWidthInteger>(_ value: T) -> Data { withUnsafeBytes(of: value.littleEndian) { Data($0) } }
        let format =
            number(UInt16(1)) + number(UInt16(1)) + number(UInt32(16_000)) + number(UInt32(32_000)) + number(UInt16(2)) + number(UInt16(16))
        let samples = Data(count: 32_000)
        let chunks = Data("WAVEfmt ".utf8) + number(UInt32(16)) + format + Data("data".utf8) + number(UInt32(samples.count)) + samples
        return Data("RIFF".utf8) + number(UInt32(chunks.count)) + chunks
    }()

    /// The files of an export.
    private static func files(in archive: Data) throws -> [Data] {
        let folder = try TemporaryFolder()
        try archive.write(to: URL(filePath: folder.path + "/a.zip"))
        try Tool.run("python3", ["-m", "zipfile", "-e", folder.path + "/a.zip", folder.path + "/out"])
        return try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out/files").sorted().map {
            try Data(contentsOf: URL(filePath: folder.path + "/out/files/" + $0))
        }
    }
}
