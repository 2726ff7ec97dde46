/// A clamd for one test, which the test may stop, pause, kill and restart. It detects EICAR's test string anywhere in a file.
package final class ClamdService: Sendable {
    /// The address of the clamd that `make services` starts, unless the environment sets another. Tests share it and must not stop it.
    package static let everybodys =
        ServicesScript.environment("KEEPSAKE_TEST_CLAMD")
        ?? "tcp:127.0.0.1:\(ServicesScript.environment("KEEPSAKE_CLAMD_PORT") ?? "13310")"

    private let folder: String
    private let owned: Owned
    private let options: [String: String]
    package let port: Int

    private struct Owned: ~Copyable, Sendable { let folder: TemporaryFolder }

    /// - Parameter port: a port on loopback that no other test uses.
    /// - Parameter options: variables of `scripts/services.sh`, such as `KEEPSAKE_CLAMD_LIMIT`.
    package init(port: Int, _ options: [String: String] = [:]) throws {
        try BlockingThreads.check()
        self.port = port
        self.options = options
        owned = Owned(folder: try TemporaryFolder())
        folder = owned.folder.path
        try run("start")
    }

    deinit { try? run("kill") }

    package var address: String { "tcp:127.0.0.1:\(port)" }
    package var socketAddress: String { "unix:\(folder)/clamd/clamd.sock" }

    package func start() throws { try run("start") }

    /// Suspends the process. Until it is resumed, the operating system still accepts connections and buffers some bytes.
    package func pause() throws { try run("pause") }
    package func resume() throws { try run("resume") }

    package func kill() throws { try run("kill") }

    private func run(_ what: String) throws {
        try ServicesScript.run([what, "clamd"], options.merging(["KEEPSAKE_SERVICES": folder, "KEEPSAKE_CLAMD_PORT": "\(port)"]) { $1 })
    }
}
