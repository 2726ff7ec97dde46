import ArgumentParser
import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Logging
import S3Blobs
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("The folder of an installation's files")
struct FileFolderTests {
    /// Starts and stops a server on the installation.
    /// - Parameter files: the folder of its files.
    /// - Returns: its settings.
    private func serve(
        _ folder: String, _ stores: TestStores, files: String, _ use: @escaping @Sendable (TestServer) async throws -> Void = { _ in }
    ) async throws -> Settings {
        try await TestServer.run(
            .sqlite, on: stores,
            { settings in
                settings.dataFolder = folder + "/data"
                settings.blobs = .file(folder: files)
            }
        ) { server in
            try await use(server)
            return server.backend.settings
        }
    }

    private static let store: @Sendable (TestServer) async throws -> Void = { server in
        let answer = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: try await server.person())
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// The line that the command prints and its exit code; `nil` if the command can open the installation.
    private func refusal(_ settings: Settings, _ mode: Backend.Mode) async throws -> (line: String, code: Int32)? {
        do {
            let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            try await Backend.open(settings, mode: mode, logger: silent).close()
            return nil
        } catch {
            let (line, code) = Exit.explain(error)
            return (line, code.rawValue)
        }
    }

    @Test("a folder that has none of the files is refused and not created; the line names the setting and says how to go on without them")
    func mistyped() async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(Engine.sqlite)
        let files = folder.path + "/files"
        var settings = try await serve(folder.path, stores, files: files, Self.store)
        let mark = try #require(try StoreMark(in: files).read())
        let other = folder.path + "/filse"
        settings.blobs = .file(folder: other)
        settings.placeNames.blobs = "blobs in /etc/keepsake/keepsake.yaml:3"
        for mode in [Backend.Mode.serving, .tool, .firstTool] {
            let refused = try #require(try await refusal(settings, mode))
            #expect(refused.code == 69 && !refused.line.contains("\n"), "\(refused)")
            #expect(refused.line.hasPrefix("blobs in /etc/keepsake/keepsake.yaml:3: the folder \(other) has none of the "), "\(refused)")
            #expect(!refused.line.contains("second node"), "\(refused)")
            #expect(refused.line.contains("write \(mark) into \(other)/keepsake.installation"), "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: other))
        }
        // The test does what the error recommends.
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try Data("\(mark)\n".utf8).write(to: URL(filePath: other + "/keepsake.installation"))
        #expect(try await refusal(settings, .tool) == nil)
        settings.blobs = .file(folder: files)
        #expect(try await refusal(settings, .tool) == nil)
        withExtendedLifetime(stores) {}
    }

    @Test("a second node with a folder of its own is told that nodes share a bucket; with SQLite there is no second node")
    func secondNode() async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(Engine.postgres)
        var settings = try await TestServer.run(
            .postgres, on: stores,
            { settings in
                settings.dataFolder = folder.path + "/one"
                settings.blobs = .file(folder: folder.path + "/one")
            }
        ) { server in
            try await Self.store(server)
            return server.backend.settings
        }
        settings.dataFolder = folder.path + "/two"
        settings.blobs = .file(folder: folder.path + "/two")
        let refused = try #require(try await refusal(settings, .serving))
        #expect(refused.code == 69 && refused.line.contains("If this is a second node of the database"), "\(refused)")
        #expect(refused.line.contains("all nodes need one bucket, KEEPSAKE_BLOBS=s3://…"), "\(refused)")
        withExtendedLifetime(stores) {}
        withExtendedLifetime(folder) {}
    }

    @Test("a server whose files are all missing starts, and warns once with the folder; one of several that is missing is no warning")
    func unmounted() async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(Engine.sqlite)
        let files = folder.path + "/files"
        var named = try await serve(folder.path, stores, files: files, Self.store)
        named.placeNames.blobs = "--blobs"
        let settings = named
        func warnings() async throws -> [OperatorLines.Line] {
            let lines = OperatorLines()
            try await Backend.open(settings, mode: .serving, logger: lines.logger).close()
            return lines.all.filter { $0.message.contains("is its disk mounted?") }
        }
        #expect(try await warnings().isEmpty)
        try FileManager.default.moveItem(atPath: files + "/blobs", toPath: folder.path + "/disk")
        let lines = try await warnings()
        #expect(lines.count == 1 && lines.first?.metadata["folder"] == files + "/blobs", "\(lines)")
        #expect(lines.first?.metadata["setting"] == "--blobs", "\(lines)")
        let key = BlobKey(entropy: .system)
        #expect(!Backend.areAllMissing(BlobAudit.Sample(fileCount: 2, problems: [.missing(key)])))
        #expect(!Backend.areAllMissing(BlobAudit.Sample(fileCount: 1, problems: [.unreadable(key, "opening: no")])))
        #expect(!Backend.areAllMissing(BlobAudit.Sample()))
        withExtendedLifetime(stores) {}
        withExtendedLifetime(folder) {}
    }

    @Test("while a folder that uploads use is missing, the server is not ready, and the log names the folder")
    func missingUploadFolder() async throws {
        let folder = try TemporaryFolder()
        let files = folder.path + "/files"
        let lines = OperatorLines()
        try await TestServer.run(.sqlite, logger: lines.logger, { $0.blobs = .file(folder: files) }) { server in
            func state() async throws -> String {
                let answer = try await server.send("GET", "/health/ready")
                let blobs = try answer.json()["blobs"] as? String
                return "\(answer.status) \(blobs ?? "")"
            }
            #expect(try await state() == "200 ok")
            try FileManager.default.moveItem(atPath: files + "/blobs/tmp", toPath: files + "/tmp")
            // The server keeps the last results for a second.
            try await eventually { try await state() == "503 failed" }
            let line = lines.all.last { $0.message == "a readiness check failed" }
            #expect(line?.metadata["error"]?.hasPrefix("the folder \(files)/blobs/tmp is missing; ") == true, "\(lines.all)")
            try FileManager.default.moveItem(atPath: files + "/tmp", toPath: files + "/blobs/tmp")
            try await eventually { try await state() == "200 ok" }
        }
        withExtendedLifetime(folder) {}
    }

    @Test("a folder that another installation has marked is refused, also when it has no files yet and by a new installation")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let (one, two, three) = (try TestStores(Engine.sqlite), try TestStores(Engine.sqlite), try TestStores(Engine.sqlite))
        let files = folder.path + "/files"
        _ = try await serve(folder.path + "/one", one, files: files)
        let mark = try StoreMark(in: files).read()
        // One of the other installations exists already; the other one is new.
        var settings = try await serve(folder.path + "/two", two, files: folder.path + "/others")
        settings.blobs = .file(folder: files)
        var new = settings
        new.database = try #require(DatabaseAddress(three.address()))
        for (settings, modes) in [(settings, [.serving, .tool, .firstTool]), (new, [.serving, .firstTool])] as [(Settings, [Backend.Mode])]
        {
            for mode in modes {
                let refused = try #require(try await refusal(settings, mode))
                #expect(refused.code == 64 && refused.line.contains("\(files), belongs to another installation"), "\(refused)")
                #expect(refused.line.contains("\(files)/keepsake.installation") && !refused.line.contains("\n"), "\(refused)")
                // If the database is empty, it may replace the lost database of the marked folder. So the error recommends a backup.
                #expect(refused.line.contains("restore a backup with keepsake restore") == (modes.count == 2), "\(refused)")
            }
        }
        #expect(try StoreMark(in: files).read() == mark)
        // The installation to which the folder belongs may use it.
        _ = try await serve(folder.path + "/one", one, files: files)
        withExtendedLifetime((one, two, three)) {}
    }

    @Test("the folder of an installation that an older version made is marked when it is served; commands accept it before")
    func older() async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(Engine.sqlite)
        let files = folder.path + "/files"
        let settings = try await serve(folder.path, stores, files: files, Self.store)
        let mark = try #require(try StoreMark(in: files).read())
        try FileManager.default.removeItem(atPath: files + "/keepsake.installation")
        // An older version gives an installation its id only when it makes a backup.
        for hasID in [true, false] {
            if !hasID {
                let database = try await settings.database.open()
                try await database.run("DELETE FROM installation")
                try await database.close()
            }
            #expect(try await refusal(settings, .tool) == nil)
            #expect(try StoreMark(in: files).read() == nil)
            _ = try await serve(folder.path, stores, files: files)
            let found = try #require(try StoreMark(in: files).read())
            #expect((found == mark) == hasID)
            try FileManager.default.removeItem(atPath: files + "/keepsake.installation")
        }
        withExtendedLifetime(stores) {}
    }
}
