import Accounts
import AsyncHTTPClient
import Core
import Crypto
import Database
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Archives of selected files", .blocksThreads)
struct ArchiveTests {
    private func upload(_ name: String, _ bytes: Data, as person: TestServer.Person, to server: TestServer) async throws -> String {
        let answer = try await server.upload(.file(name, bytes), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(UploadResponse.self).files[0].data.fileId
    }

    private func select(_ ids: [String], as person: TestServer.Person, on server: TestServer) async throws -> TestServer.Answer {
        try await server.sendJSON("POST", "/api/users/user/\(person.id)/multimedia/archives", ["fileIds": ids], as: person)
    }

    private func link(_ ids: [String], as person: TestServer.Person, on server: TestServer) async throws -> MediaArchiveResponse {
        let answer = try await select(ids, as: person, on: server)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(MediaArchiveResponse.self)
    }

    /// The names and the hashes of an archive's files, in order, read by another program.
    private func unpacked(_ archive: Data) throws -> [(name: String, hash: String, year: String)] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.zip"
        try archive.write(to: URL(filePath: path))
        try Tool.run("unzip", ["-tqq", path])
        let script = """
            import sys, zipfile, hashlib
            with zipfile.ZipFile(sys.argv[1]) as z:
                for e in z.infolist():
                    assert e.compress_type == zipfile.ZIP_STORED
                    print(hashlib.sha256(z.read(e)).hexdigest(), e.date_time[0], e.filename)
            """
        return try Tool.run("python3", ["-c", script, path]).split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            return (name: parts[2], hash: parts[0], year: parts[1])
        }
    }

    private func hash(_ bytes: Data) -> String { Hex.encode(SHA256.hash(data: bytes)) }

    @Test(
        "the link answers with every file byte for byte, in order, under safe and different names, without a credential",
        arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let films = (0..<3).map { Film.bytes(200_000 + $0, isRandom: true) }
            let ids = [
                try await upload("Grüße 🎬.mp4", films[0], as: ada, to: server), try await upload("a.mp4", films[1], as: ada, to: server),
                try await upload("A.mp4", films[2], as: ada, to: server), try await upload("a:b.mp4", films[0], as: ada, to: server),
                try await upload("photo", photo, as: ada, to: server), try await upload("photo", photo, as: ada, to: server),
            ]
            let old = try await server.sendJSON(
                "PATCH", "/api/users/user/\(ada.id)/multimedia/\(ids[4])", ["takenAt": 946_728_000_000], as: ada)
            #expect(old.status == 200)

            let order = [ids[1], ids[0], ids[2], ids[3], ids[4], ids[5], ids[0]]
            let made = try await link(order, as: ada, on: server)
            #expect(made.count == 6 && made.size == films[0].count * 2 + films[1].count + films[2].count + 2 * photo.count)
            #expect(made.expiresAt == Int(server.clock.now.milliseconds) + 3_600_000)
            let answer = try await server.send("GET", made.url)
            #expect(answer.status == 200 && answer.header("Content-Type") == "application/zip")
            #expect(answer.header("Content-Disposition") == "attachment; filename=\"keepsake-files-2026-06-01.zip\"")
            #expect(answer.header("Cache-Control") == "no-store")
            let files = try unpacked(answer.body)
            #expect(files.map(\.name) == ["a.mp4", "Grüße 🎬.mp4", "A (2).mp4", "a_b.mp4", "photo", "photo (2)"])
            #expect(
                files.map(\.hash) == [hash(films[1]), hash(films[0]), hash(films[2]), hash(films[0]), hash(photo), hash(photo)])
            #expect(files[4].year == "2000")

            // The archive can also be read with a credential instead of the link, and a second time.
            let path = "/api/users/user/\(ada.id)/multimedia/archives/\(made.archiveId)"
            #expect(try unpacked(try await server.send("GET", path, as: ada).body).count == 6)
            #expect(try await server.send("HEAD", made.url).status == 200)
            // The archive leaves out a file that was deleted after the archive was made.
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(ids[0])", as: ada).status == 200)
            #expect(
                try unpacked(try await server.send("GET", made.url).body).map(\.name)
                    == ["a.mp4", "A (2).mp4", "a_b.mp4", "photo", "photo (2)"])
        }
    }

    @Test("unknown files, files of others, none and too many are refused, and no link is made", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let mine = try await upload("a.mp4", Film.bytes(1_000), as: ada, to: server)
            let hers = try await upload("b.mp4", Film.bytes(1_001), as: eve, to: server)
            for (ids, missing) in [([mine, hers], hers), ([mine, "no-such-file"], "no-such-file"), ([hers], hers)] {
                let answer = try await select(ids, as: ada, on: server)
                let details = try answer.json()["details"] as? String
                #expect(answer.status == 404 && details == "There is no file \(missing).")
            }
            for (ids, words) in [
                ([], "at least one"), ((0...1_000).map { "file-\($0)" }, "at most 1000 files; got 1001"),
            ] as [([String], String)] {
                let answer = try await select(ids, as: ada, on: server)
                let details = try answer.json()["details"] as? String
                #expect(answer.status == 400 && details?.contains(words) == true, "\(answer.text)")
            }
            let wrong = try await server.sendJSON(
                "POST", "/api/users/user/\(ada.id)/multimedia/archives", ["fileIds": "a"], as: ada)
            #expect(wrong.status == 400 && wrong.text.contains("fileIds"))
            let zero = try await server.sendJSON(
                "POST", "/api/users/user/\(ada.id)/multimedia/archives", ["fileIds": ["a\u{0}b"]], as: ada)
            #expect(zero.status == 400 && zero.text.contains("NUL"))
            #expect(try await rowCount(server) == 0)

            let made = try await link([mine], as: ada, on: server)
            // Another account can use neither Ada's routes nor her archive, and the server refuses a link that was changed.
            #expect(try await select([mine], as: eve, on: server).status == 404)
            let path = "/api/users/user/\(ada.id)/multimedia/archives/\(made.archiveId)"
            #expect(try await server.send("GET", path).status == 401)
            #expect(try await server.send("GET", path, as: eve).status == 403)
            #expect(try await server.send("GET", "/api/users/user/\(eve.id)/multimedia/archives/\(made.archiveId)", as: eve).status == 404)
            #expect(try await server.send("GET", made.url.replacing(made.archiveId, with: made.archiveId + "x")).status == 403)
            #expect(
                try await server.sendJSON("POST", "/api/users/user/\(ada.id)/multimedia/archives", ["fileIds": [mine]], as: nil).status
                    == 401)
        }
    }

    @Test("links end after an hour, with the account, and when there are too many of them", arguments: StoragePair.allCases)
    func ends(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let id = try await upload("a.mp4", Film.bytes(1_000), as: ada, to: server)
            var links: [MediaArchiveResponse] = []
            for _ in 0..<22 {
                links.append(try await link([id], as: ada, on: server))
                server.clock.advance(by: .milliseconds(1))
            }
            #expect(try await rowCount(server) == SelectedArchives.limitPerAccount)
            #expect(try await server.send("GET", links[1].url).status == 404)
            #expect(try await server.send("GET", links[2].url).status == 200)
            #expect(try await server.rowCounts(of: ada.id)["media_archive"] == 10)
            try await server.suspend(ada.id)
            #expect(try await server.send("GET", links[21].url).status == 404)
            try await server.restore(ada.id)
            #expect(try await server.send("GET", links[21].url).status == 200)
            server.clock.advance(by: .hours(1))
            #expect(try await server.send("GET", links[21].url).status == 404)
            let archives = SelectedArchives(database: server.backend.database, clock: server.clock.wall)
            try await archives.sweep()
            #expect(try await rowCount(server) == 0)
        }
    }

    @Test("links and unfinished archives end with the session that made the link, and with a recovery", arguments: StoragePair.allCases)
    func sessions(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.sockets.look = .milliseconds(1) }) { server in
            let ada = try await server.person()
            // The file is larger than what sockets and buffers hold, so an archive that is not read stays unfinished.
            let id = try await upload("a.mp4", Film.bytes(20_000_000), as: ada, to: server)
            let first = try await link([id], as: ada, on: server)
            let held = try await HTTPClient.shared.execute(HTTPClientRequest(url: first.url), timeout: .seconds(120))
            #expect(held.status == .ok)
            #expect(try await server.send("DELETE", "/auth/sessions", as: ada).status == 200)
            await #expect(throws: (any Error).self) { try await held.body.collect(upTo: 100_000_000) }
            #expect(try await server.send("GET", first.url).status == 404)

            // The same account, with a new session, cannot use the archive of the session that ended.
            let again = try await server.person()
            #expect(again.id == ada.id)
            let path = "/api/users/user/\(ada.id)/multimedia/archives/\(first.archiveId)"
            #expect(try await server.send("GET", path, as: again).status == 404)
            try await server.wait { try await select([id], as: again, on: server).status == 200 }
            let second = try await link([id], as: again, on: server)
            #expect(try await server.send("GET", second.url).status == 200)
            _ = try await server.backend.accounts.setPassword("third horse", email: "ada@example.org")
            #expect(try await server.send("GET", second.url).status == 404)
            #expect(try await rowCount(server) == 0)
        }
    }

    @Test("expired selections are deleted 20 at a time", arguments: Engine.allCases)
    func swept(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, now) = (try await server.person(), server.clock.now)
            try await server.backend.database.write { tx in
                for number in 0..<45 {
                    let end = number < 44 ? now : now + .days(1)
                    try tx.send(
                        """
                        INSERT INTO media_archive (id, owner, files, expires_at)
                        VALUES (\("a\(number)"), \(ada.id), '[]', \(end))
                        """)
                }
            }
            let record = StatementRecord()
            let database = ObservedDatabase(base: server.backend.database, observe: record.add)
            try await SelectedArchives(database: database, clock: server.clock.wall).sweep()
            #expect(record.all.count == 3)
            #expect(try await rowCount(server) == 1)
        }
    }

    @Test("one archive of an account at a time; a client that disconnects frees the place", arguments: StoragePair.allCases)
    func bounded(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // The file is larger than what sockets and buffers hold, so an archive that is not read stays unfinished.
            let id = try await upload("a.mp4", Film.bytes(20_000_000), as: ada, to: server)
            let made = try await link([id], as: ada, on: server)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (began, tellBegan) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    let held = try await HTTPClient.shared.execute(HTTPClientRequest(url: made.url), timeout: .seconds(120))
                    #expect(held.status == .ok)
                    tellBegan.yield()
                    // Stops reading until the task is cancelled.
                    try? await Task.sleep(for: .seconds(60))
                    withExtendedLifetime(held) {}
                }
                var iterator = began.makeAsyncIterator()
                await iterator.next()
                let again = try await server.send("GET", made.url)
                #expect(again.status == 429 && again.header("Retry-After").flatMap(Int.init) ?? 0 >= 5)
                let another = try await select([id], as: ada, on: server)
                #expect(another.status == 429 && another.text.contains("already sending an archive"))
                #expect(try await server.send("GET", "/auth/export", as: ada).status == 429)
                group.cancelAll()
            }
            try await server.wait { try await server.send("GET", made.url).status == 200 }
        }
    }

    @Test("names are safe, and each is different from the others")
    func names() {
        var names = ArchiveNames()
        let given = ["a.jpg", "A.JPG", "a.jpg", "a (2).jpg", "b/c", "b\\c", "", ".", ".hidden", ".hidden", "café", "cafe\u{301}"]
        #expect(
            given.map { names.next($0) } == [
                "a.jpg", "A (2).JPG", "a (3).jpg", "a (2) (2).jpg", "b_c", "b_c (2)", "file", "file (2)", ".hidden", ".hidden (2)", "café",
                "cafe\u{301} (2)",
            ])
    }

    @Test("the statements find their rows by an index", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: TestServer.newTables) { server in
            for sql in [
                SelectedArchives.files(["a", "b"], owner: "x"), SelectedArchives.one("a", owner: "x"), SelectedArchives.trim("x"),
                SelectedArchives.expired(before: server.clock.now, limit: 20), SelectedArchives.links(of: "x"),
            ] {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
            let many = try await QueryPlan(SelectedArchives.files((1...100).map(String.init), owner: "x"), on: server.backend.database)
            #expect(!many.readsAllOfOwner, "\(many)")
        }
    }

    private func rowCount(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in try tx.rows("SELECT id FROM media_archive").count }
    }
}
