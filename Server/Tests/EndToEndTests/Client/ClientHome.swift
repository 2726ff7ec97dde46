import Foundation
import TestKit
import Testing

/// A person at a computer: runs client commands with a configuration folder of its own.
struct ClientHome: ~Copyable {
    struct Done {
        let status: Int32
        let output: String
        let errors: String

        /// The error of a command with `--json`: the only line on standard error.
        func failure() throws -> [String: Any] {
            let lines = errors.split(separator: "\n")
            try #require(lines.count == 1, "\(errors)")
            return try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any], "\(errors)")
        }

        /// The lines of the output, each of which is JSON.
        func json() throws -> [[String: Any]] {
            try output.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
            }
        }
    }

    static let password = "correct horse"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.path }
    var environment: [String: String] { ["XDG_CONFIG_HOME": path, "XDG_DATA_HOME": path + "/share"] }

    /// - Parameters:
    ///   - input: a line for standard input.
    ///   - variables: further variables of the environment.
    func run(_ arguments: [String], input: String? = nil, variables: [String: String] = [:]) throws -> Done {
        let environment = self.environment.merging(variables) { $1 }
        guard let input else {
            let done = try ServerProcess.run(arguments, environment: environment, in: path)
            return Done(status: done.status, output: done.output, errors: done.errors)
        }
        let line = ([ServerProcess.binary] + arguments).map(Self.quoted).joined(separator: " ")
        let done = try ServerProcess.run(
            ["-c", "printf '%s\\n' \(Self.quoted(input)) | \(line)"], binary: "/bin/sh", environment: environment, in: path)
        return Done(status: done.status, output: done.output, errors: done.errors)
    }

    /// Runs a command of the shell with a terminal.
    /// - Returns: what the terminal shows.
    func runOnTerminal(_ command: String) throws -> Done {
        let done = try ServerProcess.run(
            ["--quiet", "--return", "--command", command, "/dev/null"], binary: "/usr/bin/script", environment: environment, in: path)
        return Done(status: done.status, output: done.output, errors: done.errors)
    }

    /// Creates an account and signs in.
    func register(_ url: String, email: String = "ada@example.org") throws {
        let done = try run(["login", url, "--register", "--email", email, "--password-stdin"], input: Self.password)
        try #require(done.status == 0, "\(done.errors)")
    }

    /// Copies a fixture of the tests into this folder.
    func add(_ fixture: String, as name: String? = nil) throws {
        try FileManager.default.copyItem(
            atPath: Repository.folder + "/Server/Tests/Fixtures/" + fixture, toPath: path + "/" + (name ?? fixture))
    }

    /// The paths of all files in the program's configuration folder, relative to it.
    func files() throws -> [String] {
        let base = path + "/keepsake"
        guard FileManager.default.fileExists(atPath: base) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: base).sorted()
    }

    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
}
