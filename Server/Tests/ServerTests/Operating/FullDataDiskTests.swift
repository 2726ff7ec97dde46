import ArgumentParser
import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import KeepsakeWire
import Logging
import S3Blobs
import TestKit
import TestThreads
import Testing
import Transfer
import Web

@testable import FeatureTestKit
@testable import keepsake

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite(
    "A full data disk, for the operator", .enabled(if: geteuid() == 0, "only root can mount a small file system"), .blocksThreads)
struct FullDataDiskTests {
    @Test("a request that finds the disk full gets 507, and its line in the log names the folder and its free bytes; the response does not")
    func requestLine() async throws {
        let disk = try SmallDisk(megabytes: 16)
        defer { withExtendedLifetime(disk) {} }
        let path = disk.path
        let lines = OperatorLines()
        // Uploads must leave 32 MB free, which this disk does not have.
        try await TestServer.run(.sqlite, logger: lines.logger, { $0.blobs = .file(folder: path) }) { server in
            let ada = try await server.person()
            let answer = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            #expect(answer.status == 507 && !answer.text.contains(path), "\(answer.text)")
        }
        let line = try #require(lines.all.first { $0.message == "request" && $0.metadata["status"] == "507" })
        let fault = line.metadata["fault"] ?? ""
        #expect(fault.contains(/^the disk of the files is full: .* has [0-9.]+ MB free; files leave 32 MB free$/), "\(fault)")
        #expect(fault.contains(path))
    }

    @Test("with less than 64 MB free the server is not ready, and the metrics say which check fails")
    func readiness() async throws {
        let disk = try SmallDisk(megabytes: 16)
        defer { withExtendedLifetime(disk) {} }
        let path = disk.path
        try await TestServer.run(.sqlite, { $0.blobs = .file(folder: path) }) { server in
            #expect(try await server.send("GET", "/health/ready").status == 503)
            func page() async throws -> String { try await server.send("GET", "/metrics").text }
            try await eventually { try await page().contains("\nkeepsake_ready{check=\"blobs\"} 0\n") }
            #expect(try await page().contains("\nkeepsake_ready{check=\"database\"} 1\n"))
        }
    }

    #if os(Linux)
        @Test(
            "when other files have filled the disk, people still sign in and delete; not where the disk was too small to allocate the log",
            arguments: [(160, 200), (48, 507)])
        func noByteLeft(_ megabytes: Int, _ status: Int) async throws {
            let disk = try SmallDisk(megabytes: megabytes)
            defer { withExtendedLifetime(disk) {} }
            let data = disk.path + "/data"
            let change: @Sendable (inout Settings) -> Void = { settings in
                settings.dataFolder = data
                settings.database = .sqlite(path: data + "/keepsake.sqlite")
                settings.blobs = .file(folder: data)
            }
            let lines = OperatorLines()
            try await TestServer.run(.sqlite, logger: lines.logger, change) { server in
                let warning = lines.all.first { $0.message.hasPrefix("no space is reserved for the database's log; when ") }
                #expect((warning?.level == .warning && warning?.metadata["reason"]?.hasPrefix(data) == true) == (status == 507))
                let (ada, _) = try await server.signUp("ada", name: "Ada")
                let moods = try await [server.mood([("mood", "calm")], as: ada), server.mood([("mood", "glad")], as: ada)]
                if status == 200 {
                    // Run a command, as a backup does every night: it must not release the space that the server reserves. A command
                    // checkpoints the log, which then starts again at the beginning of its space. So the control runs no command.
                    let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                    try await Backend.open(server.backend.settings, mode: .tool, logger: silent).close()
                }
                let filling = try disk.fill()
                for mood in moods {
                    #expect(try await server.send("DELETE", server.moments(ada, "moods/\(mood.id)"), as: ada).status == status)
                }
                #expect(try await server.logIn("ada").status == status)
                #expect(try await server.send("GET", server.moments(ada, "moods"), as: ada).status == 200)
                let database = try await server.send("GET", "/health/ready").json()["database"] as? String
                #expect(database == (status == 200 ? "ok" : "failed"))
                try FileManager.default.removeItem(atPath: filling)
                #expect(try await server.logIn("ada").status == 200)
                // Write a row, as the node's heartbeat does every 8 seconds.
                #expect(try await server.backend.writes.run("UPDATE node SET jobs = 0") > 0)
                try await eventually { try await server.send("GET", "/health/ready").json()["database"] as? String == "ok" }
            }
        }
    #endif

    @Test("a server that cannot start because no byte is free names the folder and how much it needs, and starts when there is room")
    func start() async throws {
        let disk = try SmallDisk(megabytes: 24)
        defer { withExtendedLifetime(disk) {} }
        var settings = Settings()
        settings.dataFolder = disk.path + "/data"
        settings.database = .sqlite(path: settings.dataFolder + "/keepsake.sqlite")
        settings.blobs = .file(folder: settings.dataFolder)
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await Backend.open(settings, mode: .serving, logger: silent).close()
        let filling = try disk.fill()
        for (mode, advice) in [
            (Backend.Mode.serving, "free some space there and start the server again: a few MB are enough to start, 64 MB for uploads"),
            (.tool, "free a few MB there and run the command again"),
        ] as [(Backend.Mode, String)] {
            do {
                try await Backend.open(settings, mode: mode, logger: silent).close()
                Issue.record("an installation was opened on a full disk")
            } catch {
                let (line, code) = Exit.explain(error)
                #expect(line.hasPrefix("the disk of the database is full: \(settings.dataFolder) has 0") && code.rawValue == 69, "\(line)")
                #expect(line.hasSuffix(" MB free; \(advice)"), "\(line)")
            }
        }
        try FileManager.default.removeItem(atPath: filling)
        try await Backend.open(settings, mode: .serving, logger: silent).close()
    }

    @Test("the reason for a 507 tells the disk of the database from that of the files, and shows no address of PostgreSQL")
    func reasons() throws {
        let folder = try TemporaryFolder()
        var settings = Settings()
        settings.database = .sqlite(path: folder.path + "/keepsake.sqlite")
        let rows = settings.explainFull(DatabaseError.full)
        #expect(rows.hasPrefix("the disk of the database is full: \(folder.path) has ") && rows.hasSuffix(" MB free"), "\(rows)")
        settings.database = try #require(DatabaseAddress("postgres://ada:canary@db.example.org/keepsake"))
        #expect(settings.explainFull(DatabaseError.full) == "the disk of the PostgreSQL server is full")
        settings.blobs = .file(folder: folder.path + "/missing")
        #expect(settings.explainFull(BlobError.full).contains("an unknown amount free"))
        let (line, code) = Exit.explain(DatabaseError.full)
        #expect(line == "the disk of the database is full; free some space and run the command again" && code.rawValue == 69)
    }

    @Test("a command whose folder for rows has no room names the folder and --work; one of another place does not")
    func commandFolder() async throws {
        func line(_ failure: any Error, of settings: Settings? = nil) async -> String {
            do {
                let folder = CommandFolder(path: "/data/transfer")
                try await folder.explainingFullDisk(of: settings) { () async throws -> Void in throw failure }
                return "no error"
            } catch {
                return Exit.explain(error).0
            }
        }
        let rows = TransferFailure(.unavailable, "No space.", fullPath: "/data/transfer/keepsake-transfer-1/mood.rows")
        #expect(
            await line(rows) == """
                no space is left in /data/transfer, where the command keeps all rows while it runs; free some there, or name a folder on \
                another disk with --work
                """)
        #expect(await line(TransferFailure(.unavailable, "No space.", fullPath: "/data/transfers")) == "No space.")
        #expect(await line(TransferFailure(.unavailable, "No space.")) == "No space.")
        var settings = Settings()
        settings.database = try #require(DatabaseAddress("postgres://ada@db.example.org/keepsake"))
        #expect(
            await line(DatabaseError.full, of: settings) == """
                the disk of the PostgreSQL server is full; free a few MB there and run the command again; if all rows do not fit into \
                /data/transfer, name a folder on another disk with --work
                """)
    }

    private struct FullDatabase: DatabaseDecorator {
        let base: any Database

        func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T { throw DatabaseError.full }
    }

    @Test("a write that finds the disk full is remembered until a row was changed; one that changes nothing proves no room")
    func writeWatch() async throws {
        let folder = try TemporaryFolder()
        let base = try await DatabaseAddress.sqlite(path: folder.path + "/a.sqlite").open()
        try await base.write { tx in _ = try tx.run("CREATE TABLE thing (id BIGINT NOT NULL PRIMARY KEY)") }
        let watch = WriteWatch(base)
        #expect(!watch.isFull)
        // Simulate a disk that was full and has room again.
        await #expect(throws: DatabaseError.full) { try await watch.write { _ -> Void in throw DatabaseError.full } }
        #expect(watch.isFull)
        try await watch.write { _ in }
        #expect(try await watch.run("DELETE FROM thing") == 0)
        #expect(watch.isFull)
        #expect(try await watch.run("INSERT INTO thing (id) VALUES (1)") == 1)
        #expect(!watch.isFull)
        let full = WriteWatch(FullDatabase(base: base))
        await #expect(throws: DatabaseError.full) { try await full.run("DELETE FROM thing") }
        #expect(full.isFull)
        let blobs = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let checks = Backend.checks(base, blobs, nil, fullDisk: { "the disk of the database is full: /data has 0 MB free" })
        let check = try #require(checks.first { $0.name == "database" })
        let error = await #expect(throws: Settings.Wrong.self) { try await check.run() }
        #expect(error?.description == "no row can be changed: the disk of the database is full: /data has 0 MB free")
        await blobs.close()
        try await base.close()
    }

    @Test(
        """
        a backup beside a server whose disk is full fails with one line, which names --work, and leaves nothing; the next one succeeds when \
        there is room
        """)
    func backup() async throws {
        let disk = try SmallDisk(megabytes: 16)
        defer { withExtendedLifetime(disk) {} }
        let elsewhere = try TemporaryFolder()
        let (data, other) = (disk.path + "/data", elsewhere.path)
        let change: @Sendable (inout Settings) -> Void = { settings in
            settings.dataFolder = data
            settings.database = .sqlite(path: data + "/keepsake.sqlite")
            settings.blobs = .file(folder: data)
        }
        try await TestServer.run(.sqlite, change) { server in
            _ = try await server.person()
            let repository = BackupRepository(try await BackupFolder.open(other + "/backup"), clock: .system)
            let settings = server.backend.settings
            let filling = try disk.fill()
            do {
                _ = try await settings.backUp(to: other + "/backup")
                Issue.record("rows were written to a full disk")
            } catch {
                let (line, code) = Exit.explain(error)
                #expect(code.rawValue == 69 && !line.contains("\n"), "\(line)")
                // Either the rows do not fit into the folder `transfer`, or a write to the database fails. Which of the two comes first
                // depends on the free pages in SQLite's log.
                let begins = [
                    "no space is left in \(data)/transfer, where the command ", "the disk of the database is full: \(data) has 0",
                ]
                #expect(begins.contains { line.hasPrefix($0) }, "\(line)")
                #expect(line.hasSuffix("name a folder on another disk with --work"), "\(line)")
            }
            #expect((FileManager.default.subpaths(atPath: data + "/transfer") ?? []) == [])
            let left = FileManager.default.subpaths(atPath: other + "/backup") ?? []
            #expect(left.filter { $0.contains("tmp-") || $0 == "busy" || $0.hasSuffix("/snapshot") } == [], "\(left)")
            try FileManager.default.removeItem(atPath: filling)
            // If the rows are written to another folder, the data disk needs no space for them.
            try? FileManager.default.removeItem(atPath: data + "/transfer")
            _ = try await settings.backUp(to: other + "/backup", work: other + "/work")
            #expect(!FileManager.default.fileExists(atPath: data + "/transfer"))
            #expect(try await repository.snapshots().count == 1)
        }
    }
}
