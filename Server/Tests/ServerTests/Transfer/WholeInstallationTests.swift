import AccountData
import Accounts
import ArgumentParser
import Blobs
import Core
import Database
import DatabaseEngines
import FeatureKit
import Foundation
import KeepsakeWire
import Live
import S3Blobs
import TestKit
import Testing
import Transfer

@testable import FeatureTestKit
@testable import keepsake

@Suite("Copying and restoring a whole server")
struct WholeInstallationTests {
    private static let ways: [[Engine]] = [[.sqlite, .postgres], [.postgres, .sqlite]]
    private static let publicURL = "https://api.example.org"

    @Test("every table is copied or belongs to one database, and both engines agree on columns, keys and order")
    func tables() async throws {
        var tables: [[StoredTable]] = []
        for engine in Engine.allCases {
            let stores = try TestStores(engine)
            let database = try await stores.open()
            try await database.migrate(Backend.migrations)
            tables.append(try await Backend.tableRules.tables(of: database))
            try await database.close()
        }
        #expect(tables[0].map(\.name) == tables[1].map(\.name))
        for (one, other) in zip(tables[0], tables[1]) {
            #expect(one.columns == other.columns && one.key == other.key && one.references == other.references, "\(one.name)")
        }
        let names = Set(tables[0].map(\.name))
        let expected: Set<String> = [
            "account", "session", "server_secret", "signing_key", "blob", "media", "moment", "search_document", "event",
        ]
        #expect(names.isSuperset(of: expected))
        #expect(names.isDisjoint(with: ["upload", "blob_hold", "transfer", "schema_migration", "search_word", "search_forgotten"]))
    }

    @Test(
        "a copied server answers like the first one: rows, files, links, tokens, search; it grants no more after it was copied",
        arguments: ways)
    func copied(_ engines: [Engine]) async throws {
        let clock = TestClock()
        let (from, to) = (try TestStores(engines[0]), try TestStores(engines[1]))
        let folder = try TemporaryFolder()
        let blobs = (from: BlobAddress.file(folder: folder.path + "/from"), to: BlobAddress.file(folder: folder.path + "/to"))
        let places = CopyCommand.Places(
            fromDatabase: try #require(DatabaseAddress(from.address())), fromBlobs: blobs.from,
            toDatabase: try #require(DatabaseAddress(to.address())), toBlobs: blobs.to, work: folder.path + "/work")
        func serve<T: Sendable>(
            _ engine: Engine, _ stores: TestStores, _ blobs: BlobAddress, _ test: @Sendable (TestServer) async throws -> T
        ) async throws -> T {
            try await TestServer.run(
                engine, on: stores, clock: clock,
                { settings in
                    settings.blobs = blobs
                    settings.publicURL = Self.publicURL
                }, test)
        }
        let (person, before) = try await serve(engines[0], from, blobs.from) { server in
            _ = try await server.full("eve", words: "other")
            let first = try await places.run(isLast: false, clock: clock.wall)
            #expect(first.copiedBlobs > 3 && first.copiedBlobs == first.blobs)
            // While the source is being served, only a first pass is possible. On PostgreSQL, the server's connections show that it is.
            if engines[0] == .postgres {
                await #expect(throws: TransferFailure.self) { _ = try await places.run(isLast: true, clock: clock.wall) }
            }
            let ada = try await server.full("ada", words: "other")
            return (ada.person, try await server.everything(of: ada.person))
        }
        // The target has only the data of the first pass, so a server must not start on it.
        var isRefused = false
        do {
            try await serve(engines[1], to, blobs.to) { _ in }
        } catch is Problem {
            isRefused = true
        }
        #expect(isRefused)
        let last = try await places.run(isLast: true, clock: clock.wall)
        // Both folders belong to one installation.
        let mark = try #require(try StoreMark(in: folder.path + "/from").read())
        #expect(try StoreMark(in: folder.path + "/to").read() == mark)
        #expect(last.copiedBlobs > 3 && last.copiedBlobs < last.blobs)
        try await serve(engines[1], to, blobs.to) { server in
            let after = try await server.everything(of: person)
            #expect(after == before)
            let problems = try await server.backend.audit.run().problems
            #expect(problems == [])
        }
        // A server has run on the target, so the target is not a copy any more.
        await #expect(throws: TransferFailure.self) { _ = try await places.run(isLast: true, clock: clock.wall) }
        // The copied document numbers are not assigned again, so the search finds a new mood.
        try await serve(engines[1], to, blobs.to) { server in
            _ = try await server.mood([("mood", "calm"), ("note", "whalesong")], as: person)
            let found = try await server.send("GET", server.moments(person, "search?q=whalesong"), as: person).text
            #expect(found.contains("whalesong"))
        }
    }

    @Test("a copy whose target uses a folder or the database of its source is refused as a wrong setting that names it, and writes nothing")
    func sameFolder() async throws {
        let folder = try TemporaryFolder()
        let path = URL(filePath: folder.path).resolvingSymlinksInPath().path
        try FileManager.default.createDirectory(atPath: path + "/a", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: path + "/a")
        try Data().write(to: URL(filePath: path + "/a/keepsake.sqlite"))
        for (database, files, line) in [
            (
                "b/keepsake.sqlite", "a",
                "The source and the target keep their files in the same folder, \(path)/a. Name another one with --to-blobs."
            ),
            (
                "b/keepsake.sqlite", "link",
                "The source and the target keep their files in the same folder, \(path)/a. Name another one with --to-blobs."
            ),
            (
                "link/keepsake.sqlite", "b",
                "The source and the target are the same database, \(path)/a/keepsake.sqlite. Name another one with --to-database."
            ),
            (
                "a/other.sqlite", "b",
                "The source and the target use the same folder, \(path)/a. Name another one with --to-database or --to-blobs."
            ),
        ] {
            let places = CopyCommand.Places(
                fromDatabase: .sqlite(path: path + "/a/keepsake.sqlite"), fromBlobs: .file(folder: path + "/a"),
                toDatabase: .sqlite(path: "\(path)/\(database)"), toBlobs: .file(folder: "\(path)/\(files)"), work: path + "/work")
            for isLast in [false, true] {
                do {
                    _ = try await places.run(isLast: isLast)
                    Issue.record("\(database) and \(files) were accepted")
                } catch {
                    let (text, code) = Exit.explain(error)
                    #expect(text == line && code.rawValue == 64)
                }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["a", "link"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/a") == ["keepsake.sqlite"])
    }

    @Test("a copy into the source's own bucket or PostgreSQL database is refused as a wrong setting, however the addresses are written")
    func samePlace() async throws {
        let folder = try TemporaryFolder()
        let keys = ["AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"]
        func bucket(_ more: String) throws -> BlobAddress {
            try BlobAddress("s3://moments?endpoint=http://127.0.0.1:9&prefix=\(more)", environment: keys)
        }
        func refusal(_ places: CopyCommand.Places) async throws -> String {
            do {
                _ = try await places.run(isLast: true)
                return ""
            } catch {
                let (text, code) = Exit.explain(error)
                #expect(code.rawValue == 64, "\(text)")
                return text
            }
        }
        let inOneBucket = CopyCommand.Places(
            fromDatabase: .sqlite(path: folder.path + "/a/keepsake.sqlite"), fromBlobs: try bucket("a"),
            toDatabase: .sqlite(path: folder.path + "/b/keepsake.sqlite"), toBlobs: try bucket("a/&region=eu"), work: folder.path + "/work")
        try FileManager.default.createDirectory(atPath: folder.path + "/a", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: folder.path + "/a/keepsake.sqlite"))
        #expect(
            try await refusal(inOneBucket) == """
                The source and the target keep their files in the same bucket, s3://moments at http://127.0.0.1:9, prefix a/. \
                Name another one with --to-blobs.
                """)
        let stores = try TestStores(.postgres)
        let address = try stores.address()
        let inOneDatabase = CopyCommand.Places(
            fromDatabase: try #require(DatabaseAddress(address)), fromBlobs: .file(folder: folder.path + "/from"),
            toDatabase: try #require(DatabaseAddress(address + (address.contains("?") ? "&" : "?") + "connect_timeout=4")),
            toBlobs: .file(folder: folder.path + "/to"), work: folder.path + "/work")
        #expect(
            try await refusal(inOneDatabase)
                == "The source and the target are the same database and schema of PostgreSQL. Name another one with --to-database.")
    }

    @Test(
        "a restore ends sessions, resets clients that saw lost events, and deletes again who was deleted after the snapshot",
        arguments: ways)
    func restored(_ engines: [Engine]) async throws {
        let clock = TestClock()
        let (from, to) = (try TestStores(engines[0]), try TestStores(engines[1]))
        let folder = try TemporaryFolder()
        let repository = BackupRepository(try await BackupFolder.open(folder.path + "/backup"), clock: clock.wall)
        let change: @Sendable (inout Settings) -> Void = { settings in
            settings.publicURL = Self.publicURL
            settings.features[AccountDataFeature.scrubHours] = 0
        }
        let (ada, refreshToken, gone, before) = try await TestServer.run(engines[0], on: from, clock: clock, change) { server in
            let ada = try await server.full("ada", words: "other")
            let eve = try await server.full("eve", words: "canary")
            let report = try await server.backend.backup(to: repository).run()
            #expect(report.damaged == [] && report.newBlobs > 3)
            let before = try await server.everything(of: ada.person)
            // Change data after the snapshot: the restored installation will lack these events, and the next backup records the deletion.
            _ = try await server.mood([("mood", "sad")], as: ada.person)
            clock.advance(by: .minutes(1))
            #expect(try await server.send("POST", "/auth/delete", as: eve.person).status == 200)
            try await server.waitUntilErased(eve.person.id)
            clock.advance(by: .minutes(1))
            _ = try await server.backend.backup(to: repository).run()
            return (ada.person, ada.refreshToken, eve.person, before)
        }
        let seen: Int64 = try await {
            let database = try await from.open(clock: clock.wall)
            let head = try await database.read { tx in try EventLog.head(ada.id, tx) }
            try await database.close()
            return head
        }()
        var settings = Settings()
        settings.dataFolder = folder.path + "/restored"
        settings.blobs = .file(folder: settings.dataFolder)
        settings.database = try #require(DatabaseAddress(to.address()))
        settings.databaseConnections = 4
        settings.passwordCost = .forTests
        let first = try #require(try await repository.snapshots().first)
        let restored = try await Restoration(settings: settings, repository: repository, clock: clock.wall).run(first, keepsSessions: false)
        #expect(restored.deletedAccounts == 1)
        let data = settings.dataFolder
        #expect(try StoreMark(in: data).read() == restored.report.snapshot.installation)
        try await TestServer.run(
            engines[1], on: to, clock: clock,
            { settings in
                change(&settings)
                settings.blobs = .file(folder: data)
            }
        ) { server in
            // All sessions have ended, because their tokens may have been revoked after the snapshot.
            #expect(try await server.send("GET", "/user/me", as: ada).status == 401)
            #expect(try await server.refresh(refreshToken).status != 200)
            let again = try await server.logIn("ada")
            let signedIn = try Surface.capsules.makeDecoder().decode(SignedIn.self, from: again.body)
            let person = TestServer.Person(id: ada.id, token: signedIn.token.accessToken)
            #expect(try await server.everything(of: person) == before)
            // A client that has seen the lost events gets a reset, even after further events.
            for _ in 0..<2 {
                let answer = try await server.send("GET", "/events?since=\(seen)&wait=0", as: person)
                let page = try Surface.captures.makeDecoder().decode(EventPage.self, from: answer.body)
                #expect(page.reset && page.seq > seen, "\(answer.text)")
                _ = try await server.mood([("mood", "fine")], as: person)
            }
            #expect(try await server.logIn("eve").status != 200)
            try await server.waitUntilErased(gone.id)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }
}
