import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the real program with a real TLS client.
@Suite("Certificates", .serialized, .blocksThreads)
struct CertificateTests {
    private func makeIdentity(_ folder: String, _ name: String, days: Int = 2) throws {
        let run = try ServerProcess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "\(days)",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
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

    /// The days until the certificate expires, as the metrics page says.
    private func daysLeft(_ port: Int) throws -> Double {
        let page = try Tool.run("curl", ["-sSfk", "https://127.0.0.1:\(port)/metrics"])
        let line = try #require(page.firstMatch(of: /\nkeepsake_tls_certificate_expiry_seconds (\d+)\n/), "\(page)")
        return (Double(line.output.1) ?? 0) / 86_400 - Date().timeIntervalSince1970 / 86_400
    }

    @Test(
        "SIGHUP loads a new certificate for new connections and metrics, keeps old ones open, and keeps the old one if the new is invalid")
    func reload() async throws {
        let folder = try TemporaryFolder()
        try makeIdentity(folder.path, "first")
        let server = try ServerProcess(
            data: folder.path + "/data", arguments: ["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"])
        #expect(server.listeningLine == "listening on https://127.0.0.1:\(server.port)")
        let first = try handshake(server.port)
        #expect(first.contains("first") && first.contains("ALPN protocol: h2"), "\(first)")
        #expect(try 1...2 ~= daysLeft(server.port))
        // A connection that stays open during the reload and sends another request afterwards.
        func request(_ fields: String = "") -> String { "printf 'GET /health/live HTTP/1.1\\r\\nHost: a\\r\\n\(fields)\\r\\n'" }
        let requests = "(\(request()); sleep 2; \(request("Connection: close\\r\\n")); sleep 1)"
        let line = requests + " | openssl s_client -quiet -connect 127.0.0.1:\(server.port) 2>/dev/null | grep -ac '200 OK'"
        let open = Task.detached(executorPreference: BlockingThreads.shared) {
            try ServerProcess.run(["-c", line], binary: "/bin/sh").output
        }
        try await Task.sleep(for: .milliseconds(300))

        try makeIdentity(folder.path, "second", days: 90)
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
        #expect(try 89...90 ~= daysLeft(server.port))
        let answered = try await open.value
        #expect(answered == "2\n")
        #expect(server.terminate() == 0)
    }

    @Test("serve logs what doctor says about the certificate, at its start and after SIGHUP; it logs nothing for a good one")
    func logged() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let log = folder.path + "/log"
        try Data().write(to: URL(filePath: log))
        let file = try #require(FileHandle(forWritingAtPath: log))
        func lines(_ text: String) throws -> [Substring] {
            try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").filter { $0.contains(text) }
        }
        func wait(_ text: String, _ count: Int) async throws {
            for _ in 0..<600 {
                if try lines(text).count == count { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            let found = try lines(text)
            Issue.record("\(text): \(found)")
        }
        try makeIdentity(folder.path, "a.example.org")
        let server = try ServerProcess(
            data: folder.path + "/data",
            arguments: ["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"]
                + ["--public-url", "https://a.example.org"],
            log: file)
        try await wait("the certificate ends soon", 1)
        try makeIdentity(folder.path, "b.example.org", days: 90)
        server.hangUp()
        try await wait("clients refuse the certificate", 1)
        #expect(try lines("clients refuse the certificate").first?.contains("not for a.example.org") == true)
        try makeIdentity(folder.path, "a.example.org", days: 90)
        server.hangUp()
        try await wait("the certificate was reloaded", 2)
        #expect(server.terminate() == 0)
        #expect(try lines("the certificate ends soon").count == 1 && lines("clients refuse the certificate").count == 1)
    }

    @Test("an unusable certificate stops start-up with one line that names it")
    func unusable() throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        try makeIdentity(folder.path, "one")
        try makeIdentity(other.path, "other")
        let (cert, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
        for (arguments, named) in [
            (["--tls-cert", cert], "--tls-key"), (["--tls-key", key], "--tls-cert"),
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

    @Test("commands beside the server run with an unusable certificate, and doctor names its fault")
    func unusableBesideTheServer() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try makeIdentity(folder.path, "one")
        let settings = ["--data", folder.path + "/data", "--tls-cert", folder.path + "/none", "--tls-key", folder.path + "/key.pem"]
        #expect(try ServerProcess.run(["token", "--begin-installation", "--email", "ada@example.org"] + settings).status == 0)
        for command in [["users", "list"], ["jobs", "list"], ["verify"], ["backup", folder.path + "/backup"]] {
            let run = try ServerProcess.run(command + settings)
            #expect(run.status == 0 && run.errors.isEmpty, "\(command): \(run.errors)")
        }
        let doctor = try ServerProcess.run(["doctor"] + settings)
        let fault = "\nFAILED  certificate: --tls-cert: \(folder.path)/none: there is no such file\n"
        #expect(doctor.status == 69 && doctor.output.contains(fault), "\(doctor.output)")
        #expect(doctor.output.contains("\nok      database: "), "\(doctor.output)")
    }

    @Test(
        "a key that its user may not read stops start-up with one line that names the setting and the file",
        .enabled(if: geteuid() == 0, "needs root to switch users"))
    func unreadable() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try makeIdentity(folder.path, "one")
        let (cert, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: cert)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups", ServerProcess.binary]
        let arguments = ["serve", "--port", "0", "--data", folder.path + "/data", "--tls-cert", cert, "--tls-key", key]
        let run = try ServerProcess.run(nobody + arguments, binary: "/usr/bin/setpriv")
        #expect(run.status == 64 && run.errors.contains("--tls-key: the user who runs this may not read \(key); check"), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }

    @Test("doctor warns of a certificate that ends soon, and fails for one that is not for the host of the public URL")
    func doctor() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try makeIdentity(folder.path, "a.example.org")
        let arguments = ["doctor", "--data", folder.path, "--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"]
        let soon = try ServerProcess.run(arguments + ["--public-url", "https://a.example.org"])
        #expect(soon.status == 0 && soon.output.contains("\nwarning certificate: ends on 20"), "\(soon.output)\(soon.errors)")
        let other = try ServerProcess.run(arguments + ["--public-url", "https://b.example.org"])
        #expect(other.status == 69 && other.output.contains("\nFAILED  certificate: not for b.example.org"), "\(other.output)")
    }
}
