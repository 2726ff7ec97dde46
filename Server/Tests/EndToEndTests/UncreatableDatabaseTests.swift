import ArgumentParser
import Foundation
import Logging
import TestKit
import TestThreads
import Testing

@testable import keepsake

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Paths at which no database can be created", .blocksThreads)
struct UncreatableDatabaseTests {
    private func expectRefusal(
        _ run: (status: Int32, output: String, errors: String), _ line: String, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == 64, "\(run.errors)", sourceLocation: location)
        #expect(run.errors == "keepsake: \(line)\n", sourceLocation: location)
        #expect(run.output.isEmpty, sourceLocation: location)
    }

    /// Checks the same in this process, where a server starts in a fraction of the time: the error and the exit code that `Exit` reports.
    private func expectRefusal(
        of flags: [String], environment: [String: String] = [:], _ line: String, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let settings = try await Settings.read(Serve.parse(flags).options, environment: environment)
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        do {
            try await Backend.open(settings, mode: .serving, logger: silent).close()
            Issue.record("the server opened its database", sourceLocation: location)
        } catch {
            let (found, code) = Exit.explain(error)
            #expect(found == line && code.rawValue == 64, "\(found)", sourceLocation: location)
        }
    }

    @Test("one line names the path and the flag, the variable or the key that it came from; the exit code is 64")
    func database() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (data, file) = (folder.path + "/data", folder.path + "/file")
        try "database: sqlite:\(folder.path)/none/a.sqlite\n".write(toFile: file, atomically: true, encoding: .utf8)
        let serve = ["serve", "--port", "0", "--log", "critical", "--data", data]
        expectRefusal(
            try ServerProcess.run(serve + ["--database", "sqlite:\(folder.path)/none/a.sqlite"]),
            "--database: the database \(folder.path)/none/a.sqlite cannot be created: there is no folder \(folder.path)/none")
        try await expectRefusal(
            of: ["--data", data, "--config", file],
            "database in \(file):1: the database \(folder.path)/none/a.sqlite cannot be created: there is no folder \(folder.path)/none")
        try await expectRefusal(
            of: ["--data", data], environment: ["KEEPSAKE_DATABASE": "sqlite:\(file)/a.sqlite"],
            "KEEPSAKE_DATABASE: the database \(file)/a.sqlite cannot be created: \(file) is not a folder, or is below a file")
        try await expectRefusal(
            of: ["--data", data, "--database", "sqlite:\(folder.path)"],
            "--database: the database \(folder.path) cannot be created: it is a folder")
        try FileManager.default.createDirectory(atPath: data + "/keepsake.sqlite", withIntermediateDirectories: true)
        expectRefusal(
            try ServerProcess.run(["token", "--email", "ada@example.org", "--data", data]),
            "--data: the database \(data)/keepsake.sqlite cannot be created: it is a folder")
    }

    @Test("a data folder that is a file, or is below one, is refused with the name of the setting")
    func dataFolder() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.path + "/file"
        try Data("x".utf8).write(to: URL(filePath: file))
        func line(_ path: String) -> String { "--data: \(path) cannot be the data folder, because \(file) is not a folder" }
        expectRefusal(try ServerProcess.run(["serve", "--port", "0", "--log", "critical", "--data", file]), line(file))
        let below = file + "/below/data"
        try await expectRefusal(of: ["--data", below], line(below))
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("x".utf8))
    }

    @Test(
        "a data folder in a folder that this user may not write is refused", .enabled(if: geteuid() == 0, "needs root to switch users"))
    func forbiddenData() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        chmod(folder.path, 0o755)
        let data = folder.path + "/a/data"
        let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups", ServerProcess.binary]
        let run = try ServerProcess.run(nobody + ["serve", "--port", "0", "--log", "critical", "--data", data], binary: "/usr/bin/setpriv")
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.hasPrefix("keepsake: --data: the data folder \(data) cannot be created: the user "), "\(run.errors)")
        #expect(run.errors.hasSuffix(" may not write \(folder.path)\n") && run.output.isEmpty, "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(
        "a database in a folder where this user may create no file is refused", .enabled(if: geteuid() == 0, "needs root to switch users"))
    func forbidden() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (data, rows) = (folder.path + "/data", folder.path + "/rows")
        for path in [data, rows] { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        chown(data, 65_534, 65_534)
        chmod(folder.path, 0o755)
        chmod(rows, 0o755)
        let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups", ServerProcess.binary]
        let serve = ["serve", "--port", "0", "--log", "critical", "--data", data, "--database", "sqlite:\(rows)/a.sqlite"]
        let run = try ServerProcess.run(nobody + serve, binary: "/usr/bin/setpriv")
        let begin = "keepsake: --database: the database \(rows)/a.sqlite cannot be created: the user "
        #expect(run.status == 64 && run.errors.hasPrefix(begin), "\(run.errors)")
        #expect(run.errors.contains(" may not read and write \(rows), which belongs to root; "), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1 && run.output.isEmpty, "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: rows) == [])

        // The folder now has a file of its own, like `/etc`. Nobody should give such a folder to another user.
        try Data("x".utf8).write(to: URL(filePath: rows + "/passwd"))
        let other = try ServerProcess.run(nobody + serve, binary: "/usr/bin/setpriv")
        #expect(other.status == 64 && other.errors.hasPrefix(begin), "\(other.errors)")
        #expect(other.errors.contains("; choose a folder that ") && !other.errors.contains("chown"), "\(other.errors)")
    }
}
