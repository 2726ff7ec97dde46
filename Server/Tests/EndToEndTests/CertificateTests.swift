import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the real program with a real TLS client.
@Suite("Certificates", .serialized, .blocksThreads)
struct CertificateTests {
    private func makeIdentity(_ folder: String, _ name: String) throws {
        let run = try ServerProcess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)",
                "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem",
            ], binary: "/usr/bin/env")
        try #require(run.status == 0, "\(run.errors)")
    }

    /// The certificate's name and the ALPN protocol of a new connection.
    private func handshake(_ port: Int) throws -> String {
        try ServerProcess.run(
            ["-c", "openssl s_client -connect 127.0.0.1:\(port) -alpn h2,http/1.1 </dev/null 2>/dev/null | grep -aE '^subject=|^ALPN'"],
            binary: "/bin/sh"
        ).output
    }

    @Test("SIGHUP loads a new certificate for new connections, keeps old ones open, and keeps the old one if the new is invalid")
    func reload() async throws {
        let folder = try TemporaryFolder()
        try makeIdentity(folder.path, "first")
        let server = try ServerProcess(
            data: folder.path + "/data", arguments: ["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"])
        #expect(server.listeningLine == "listening on https://127.0.0.1:\(server.port)")
        let first = try handshake(server.port)
        #expect(first.contains("first") && first.contains("ALPN protocol: h2"), "\(first)")
        // A connection that stays open during the reload and sends another request afterwards.
        func request(_ fields: String = "") -> String { "printf 'GET /health/live HTTP/1.1\\r\\nHost: a\\r\\n\(fields)\\r\\n'" }
        let requests = "(\(request()); sleep 2; \(request("Connection: close\\r\\n")); sleep 1)"
        let line = requests + " | openssl s_client -quiet -connect 127.0.0.1:\(server.port) 2>/dev/null | grep -ac '200 OK'"
        let open = Task.detached(executorPreference: BlockingThreads.shared) {
            try ServerProcess.run(["-c", line], binary: "/bin/sh").output
        }
        try await Task.sleep(for: .milliseconds(300))

        try makeIdentity(folder.path, "second")
        server.hangUp()
        for _ in 0..<200 {
            if try handshake(server.port).contains("second") { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        try Data("nonsense".utf8).write(to: URL(filePath: folder.path + "/cert.pem"))
        server.hangUp()
        try await Task.sleep(for: .milliseconds(200))
        let kept = try handshake(server.port)
        #expect(kept.contains("second"), "\(kept)")
        let answered = try await open.value
        #expect(answered == "2\n")
        #expect(server.terminate() == 0)
    }

    @Test("an unusable certificate stops start-up with one line that names it")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        try makeIdentity(folder.path, "one")
        try makeIdentity(other.path, "other")
        let (cert, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
        for (arguments, named) in [
            (["--tls-cert", cert], "KEEPSAKE_TLS_KEY"), (["--tls-key", key], "KEEPSAKE_TLS_CERT"),
            (["--tls-cert", folder.path + "/none", "--tls-key", key], "--tls-cert: \(folder.path)/none"),
            (["--tls-cert", cert, "--tls-key", cert], "--tls-key: \(cert)"),
            (["--tls-cert", cert, "--tls-key", other.path + "/key.pem"], "--tls-key: \(other.path)/key.pem"),
            (["--trusted-proxies", "nginx"], "--trusted-proxies must be"),
            (["--connections-per-address", "0"], "--connections-per-address must be"),
        ] {
            let run = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path + "/data"] + arguments)
            #expect(run.status == 64 && run.errors.contains(named), "\(arguments): \(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        }
    }
}
