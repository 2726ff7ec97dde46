import Accounts
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

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The data folder that a command is given")
struct DataFolderTests {
    private static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The settings of an installation.
    /// - Parameter folder: the data folder. `stores` has the database.
    private func settings(_ folder: String, _ stores: TestStores) throws -> Settings {
        var settings = Settings()
        settings.dataFolder = folder
        settings.blobs = .file(folder: folder)
        settings.database = try #require(DatabaseAddress(stores.address()))
        settings.databaseConnections = 4
        settings.passwordCost = .forTests
        return settings
    }

    /// The line that the command prints and its exit code; `nil` if the command can open the installation.
    private func refusal(_ settings: Settings, _ mode: Backend.Mode) async throws -> (line: String, code: Int32)? {
        do {
            try await Backend.open(settings, mode: mode, logger: Self.silent).close()
            return nil
        } catch {
            let (line, code) = Exit.explain(error)
            return (line, code.rawValue)
        }
    }

    @Test(
        "a command refuses a folder or database without an installation and makes nothing, unless it may begin one",
        arguments: Engine.allCases)
    func begins(_ engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(engine)
        let settings = try settings(folder.path, stores)
        let refused = try #require(try await refusal(settings, .tool))
        #expect(refused.code == 69 && !refused.line.contains("\n"), "\(refused)")
        #expect(refused.line.hasSuffix(" (keepsake serve creates an installation)"), "\(refused)")
        #expect(
            refused.line.contains(engine == .sqlite ? "there is no installation in \(folder.path)" : "the PostgreSQL database is empty"))
        if case .sqlite(let path) = settings.database { #expect(!FileManager.default.fileExists(atPath: path)) }
        let database = try await stores.open()
        #expect(try await database.tables().isEmpty)
        try await database.close()

        for isFirst in [true, false] {
            let backend = try await Backend.open(settings, mode: .firstTool, logger: Self.silent)
            #expect(backend.isNew == isFirst)
            try await backend.close()
        }
        #expect(try await refusal(settings, .tool) == nil)
        withExtendedLifetime(stores) {}
    }

    @Test("an empty file where the SQLite database should be is no installation")
    func emptyFile() async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(Engine.sqlite)
        var settings = try settings(folder.path, stores)
        settings.database = .sqlite(path: folder.path + "/keepsake.sqlite")
        try Data().write(to: URL(filePath: folder.path + "/keepsake.sqlite"))
        let refused = try #require(try await refusal(settings, .tool))
        #expect(refused.line.contains("does not exist or is empty"), "\(refused)")
    }

    /// With an empty database, the server would delete these files two days after the first upload.
    @Test(
        """
        files of an installation without its database are refused, whatever the command, with the advice to restore a backup; nothing is \
        written to the database
        """,
        arguments: Engine.allCases)
    func filesWithoutRows(_ engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(engine)
        let settings = try settings(folder.path, stores)
        let key = String(repeating: "0a", count: 20)
        try FileManager.default.createDirectory(atPath: folder.path + "/blobs/0a", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: "\(folder.path)/blobs/0a/\(key)"))
        for mode in [Backend.Mode.serving, .firstTool] {
            let refused = try #require(try await refusal(settings, mode))
            #expect(refused.code == 69 && refused.line.contains("blobs/0a/\(key)") && refused.line.contains("--database"), "\(refused)")
            #expect(refused.line.contains("If it is lost, move the files away, and restore a backup with keepsake restore"), "\(refused)")
        }
        let tool = try #require(try await refusal(settings, .tool))
        #expect(tool.code == 69 && tool.line.contains("such as blobs/0a/\(key): if its database is lost, move them away, and "), "\(tool)")
        #expect(tool.line.hasSuffix("restore a backup with keepsake restore") && !tool.line.contains("\n"), "\(tool)")
        let database = try await stores.open()
        #expect(try await database.tables().isEmpty)
        try await database.close()
        // Without the files, the same command begins an installation.
        try FileManager.default.removeItem(atPath: folder.path + "/blobs")
        #expect(try await refusal(settings, .firstTool) == nil)
    }

    @Test(
        "root is refused on another user's installation and is told the command; that user, root's own data and a server in an empty folder are not",
        .enabled(if: geteuid() == 0, "only root can give a folder to another user"))
    func root() async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(Engine.sqlite)
        var settings = try settings(folder.path, stores)
        let database = folder.path + "/keepsake.sqlite"
        settings.database = .sqlite(path: database)
        #expect(throws: Never.self) { try settings.requireAccess(serving: true) }
        chown(folder.path, 65_534, 65_534)
        // This is allowed, as in a container whose data folder belongs to a user of the host.
        #expect(throws: Never.self) { try settings.requireAccess(serving: true) }
        let nobody = UnixUser(id: 65_534)
        func expectRefusal(_ mode: Backend.Mode, naming path: String) async throws {
            let refused = try #require(try await refusal(settings, mode))
            #expect(refused.code == 69 && !refused.line.contains("\n"), "\(refused)")
            #expect(refused.line.hasPrefix("root may not run this: \(path) belongs to \(nobody),"), "\(refused)")
            #expect(refused.line.contains("(\(nobody.sudo) keepsake …)"), "\(refused)")
        }
        try await expectRefusal(.firstTool, naming: folder.path)
        try Data().write(to: URL(filePath: database))
        #expect(throws: Never.self) { try settings.requireAccess(serving: true) }
        chown(database, 65_534, 65_534)
        for mode in [Backend.Mode.serving, .tool, .firstTool] { try await expectRefusal(mode, naming: database) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keepsake.sqlite"])
        #expect(throws: Never.self) { try SystemUser.requireOwner(of: folder.path, user: 65_534) }
        #expect(throws: Never.self) { try SystemUser.requireOwner(of: folder.path + "/missing") }
    }

    @Test(
        "root is refused to copy another user's installation, before anything is written",
        .enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func rootCopies() async throws {
        let folder = try TemporaryFolder()
        let source = folder.path + "/a"
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: source + "/keepsake.sqlite"))
        chown(source + "/keepsake.sqlite", 65_534, 65_534)
        let places = CopyCommand.Places(
            fromDatabase: .sqlite(path: source + "/keepsake.sqlite"), fromBlobs: .file(folder: source),
            toDatabase: .sqlite(path: folder.path + "/b/keepsake.sqlite"), toBlobs: .file(folder: folder.path + "/b"),
            work: folder.path + "/work")
        do {
            _ = try await places.run(isLast: true)
            Issue.record("the copy was accepted")
        } catch {
            let (line, code) = Exit.explain(error)
            #expect(code.rawValue == 69 && line.hasPrefix("root may not run this: \(source)/keepsake.sqlite belongs to "), "\(line)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: source) == ["keepsake.sqlite"])
    }

    @Test("a user without a name is written as sudo understands it")
    func nameless() {
        let user = UnixUser(id: 1_234, name: nil)
        #expect(SystemUser.refusal(of: "/data", toRootBecauseOf: user).contains("(sudo -u '#1234' keepsake …)"))
        #expect(UnixUser(id: 5, name: "ada").sudo == "sudo -u ada" && UnixUser(id: 0).isRoot)
    }

    @Test("a place for backups in the data folder or the folder of the files is refused, also through a link; others are not")
    func backupPlace() async throws {
        let folder = try TemporaryFolder()
        let (data, files) = (folder.path + "/data", folder.path + "/files")
        for path in [data, files, folder.path + "/data-backup"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: data)
        var settings = Settings()
        settings.dataFolder = data
        settings.blobs = .file(folder: files)
        for place in [
            data, data + "/", data + "/backup", "file:\(data)/a/b", files, files + "/backup", folder.path + "/link/backup",
            folder.path + "/files/../data/backup",
        ] {
            do {
                try settings.requireOutside(place)
                Issue.record("\(place) was accepted")
            } catch {
                let (line, code) = Exit.explain(error)
                #expect(code.rawValue == 64 && line.hasPrefix("the place for backups, ") && !line.contains("\n"), "\(line)")
            }
        }
        for place in [
            folder.path, folder.path + "/backup", folder.path + "/data-backup", "s3://backups?endpoint=https://a.example", "backup",
        ] {
            #expect(throws: Never.self, "\(place)") { try settings.requireOutside(place) }
        }
        settings.dataFolder = folder.path + "/link"
        #expect(throws: Settings.Wrong.self) { try settings.requireOutside(data + "/backup") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == [])
    }

    @Test(
        """
        a database that cannot be reached is an error that names its flag, variable or key and what to change; one that its server refuses is \
        a wrong setting
        """)
    func unreachableDatabase() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        let away = "postgres://ada:canary@127.0.0.1:1/none"
        try "\ndatabase: \(away)\n".write(toFile: file, atomically: true, encoding: .utf8)
        let server = "127.0.0.1:\(TestSchema.port)"
        let unknown = "postgres://postgres@\(server)/keepsake_no_such_database"
        let stranger = "postgres://keepsake_no_such_role:canary@\(server)/postgres"
        let nothingListens = "nothing listens at 127.0.0.1:1; start PostgreSQL there, or correct the address of the database ("
        let noDatabase =
            "the server at \(server) has no such database; create it, or correct the address of the database ("
        for (flags, environment, begin, code) in [
            (["--database", away], [:], "--database: the database is not available: \(nothingListens)", 69),
            ([], ["KEEPSAKE_DATABASE": away], "KEEPSAKE_DATABASE: the database is not available: \(nothingListens)", 69),
            (["--config", file], [:], "database in \(file):2: the database is not available: \(nothingListens)", 69),
            (["--database", unknown], [:], "--database: the database cannot be used: \(noDatabase)", 64),
            ([], ["KEEPSAKE_DATABASE": unknown], "KEEPSAKE_DATABASE: the database cannot be used: \(noDatabase)", 64),
            (
                ["--database", stranger], [:],
                "--database: the database cannot be used: the server at \(server) does not know the user;", 64
            ),
            // One of the two hosts is only unavailable.
            (
                ["--database", "postgres://postgres@127.0.0.1:1,\(server)/keepsake_no_such_database"], [:],
                "--database: the database is not available: nothing listens at 127.0.0.1:1;", 69
            ),
        ] as [([String], [String: String], String, Int32)] {
            let settings = try await Settings.read(Serve.parse(flags + ["--data", folder.path]).options, environment: environment)
            for mode in [Backend.Mode.serving, .tool] {
                let refused = try #require(try await refusal(settings, mode))
                #expect(refused.code == code && refused.line.hasPrefix(begin), "\(refused)")
                #expect(!refused.line.contains("\n") && !refused.line.contains("canary"), "\(refused)")
            }
        }
        let places = CopyCommand.Places(
            fromDatabase: try #require(DatabaseAddress(away)), fromBlobs: .file(folder: folder.path + "/a"),
            toDatabase: .sqlite(path: folder.path + "/b/keepsake.sqlite"), toBlobs: .file(folder: folder.path + "/b"),
            work: folder.path + "/work", names: CopyCommand.Places.Names(fromDatabase: "KEEPSAKE_FROM_DATABASE"))
        do {
            _ = try await places.run(isLast: false)
            Issue.record("the copy was accepted")
        } catch {
            #expect(Exit.explain(error).0.hasPrefix("KEEPSAKE_FROM_DATABASE: the database is not available: \(nothingListens)"))
        }
    }

    @Test(
        "a database with tables of another program is refused as a wrong setting by every command and as the target of a copy, and not changed",
        arguments: Engine.allCases)
    func tablesOfOthers(_ engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(engine)
        let settings = try settings(folder.path, stores)
        let database = try await stores.open()
        // The tables use a type that Keepsake does not use, have no key, and one has the name of a table of Keepsake.
        try await database.write { tx in
            _ = try tx.run("CREATE TABLE letter (sent VARCHAR(20))")
            _ = try tx.run("CREATE TABLE schema_migration (version VARCHAR(14))")
        }
        for mode in [Backend.Mode.serving, .firstTool, .tool] {
            let refused = try #require(try await refusal(settings, mode))
            #expect(refused.code == 64 && refused.line.hasPrefix("KEEPSAKE_DATA: ") && !refused.line.contains("\n"), "\(refused)")
            #expect(refused.line.contains("it has tables, such as letter, but no installation; "), "\(refused)")
            #expect(refused.line.contains(engine == .sqlite ? "name another file" : "?options=-csearch_path%3DSCHEMA"), "\(refused)")
        }
        // Close the test's own connections first: on PostgreSQL, a copy would think that they belong to a server.
        try await database.close()
        let source = try TestStores(Engine.sqlite)
        let data = folder.path + "/source"
        #expect(try await refusal(self.settings(data, source), .firstTool) == nil)
        let places = CopyCommand.Places(
            fromDatabase: try #require(DatabaseAddress(source.address())), fromBlobs: .file(folder: data),
            toDatabase: settings.database, toBlobs: .file(folder: folder.path + "/target"), work: folder.path + "/work")
        let error = await #expect(throws: Settings.Wrong.self) { _ = try await places.run(isLast: false) }
        #expect(error?.description.hasPrefix("--to-database: ") == true && error?.description.contains("letter") == true)
        let again = try await stores.open()
        #expect(try await settings.database.tableNames(of: again) == ["letter", "schema_migration"])
        try await again.close()
        withExtendedLifetime((stores, source)) {}
    }

    @Test("a command that cannot reach the database prints the reason on one line")
    func unreachable() {
        let reason = "connection to server at \"127.0.0.1\", port 1 failed: Connection refused\n\tIs the server running?\n"
        let (line, code) = Exit.explain(DatabaseError.unavailable(reason))
        #expect(
            line == """
                the database is not available: connection to server at "127.0.0.1", port 1 failed: Connection refused Is the server running?
                """)
        #expect(code.rawValue == 69)
    }

    @Test("an error of PostgreSQL has its own code once, and a missing right says which one the role needs; SQLite's has the number")
    func engineFaults() {
        func line(_ code: Int, _ message: String) -> String { Exit.explain(DatabaseError.engine(code: code, message: message)).0 }
        #expect(
            line(6_818_257, "SQLSTATE 42501: permission denied for schema public")
                == """
                the database failed: SQLSTATE 42501: permission denied for schema public; the role must own the database, or have CREATE on \
                its schema
                """)
        #expect(line(1, "SQLSTATE 42P01: no table") == "the database failed: SQLSTATE 42P01: no table")
        #expect(line(11, "malformed") == "the database failed: malformed (code 11)")
        #expect(line(26, "/a is no database (file is not one)") == "the database failed: /a is no database (file is not one, code 26)")
    }

    @Test("numbers in the output of commands have their noun in the singular or plural")
    func counts() {
        #expect([0, 1, 2].map { Output.count($0, "file") } == ["0 files", "1 file", "2 files"])
    }

    @Test("a list that leaves out rows says how to see more, without --limit when it is the largest")
    func more() {
        func note(_ limit: Int) -> String { Output.more("accounts", limit: limit, otherwise: "narrow the list with --query") }
        #expect(
            note(50) == """
                there are more accounts than the 50 that are listed; list more with --limit, up to 1000, or narrow the list with --query
                """)
        #expect(note(1_000) == "there are more accounts than the 1000 that are listed; narrow the list with --query")
    }
}
