import Foundation
import TestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Debian's nginx with `deploy/nginx.conf`, changed only in the addresses, the certificate, and the paths of its files.
final class NginxProcess {
    let port: Int
    let securePort: Int
    private let process: Process
    private let folder: TemporaryFolder

    /// Tries again with other ports, because another process may take a free port before nginx binds it.
    static func start(beforePort port: Int) throws -> NginxProcess { try start(beforePorts: [port]) }

    /// - Parameter ports: one for each node.
    static func start(beforePorts ports: [Int]) throws -> NginxProcess {
        for _ in 0..<5 {
            if let nginx = try NginxProcess(beforePorts: ports) { return nginx }
        }
        throw Tool.Failed(description: "nginx found no ports")
    }

    /// - Returns: `nil` if a port was taken.
    private init?(beforePorts ports: [Int]) throws {
        folder = try TemporaryFolder()
        let files = folder.path
        (self.port, securePort) = (try Self.freePort(), try Self.freePort())
        try Tool.run(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
                + ["-keyout", folder.path + "/privkey.pem", "-out", folder.path + "/fullchain.pem"])
        let configuration = try Self.configuration(
            [
                "worker_processes auto;": "daemon off; master_process off; pid \(files)/pid; error_log \(files)/error.log;",
                "http {": "http { "
                    + ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(files)/\($0);" }.joined(),
                "listen 80 default_server;": "listen 127.0.0.1:\(try Self.freePort());",
                "listen [::]:80 default_server;": "",
                "listen 443 ssl http2;": "listen 127.0.0.1:\(self.port); listen 127.0.0.1:\(securePort) ssl http2;",
                "listen [::]:443 ssl http2;": "",
                "server 127.0.0.1:8080;": ports.map { "server 127.0.0.1:\($0);" }.joined(separator: " "),
                "/etc/ssl/keepsake/fullchain.pem": files + "/fullchain.pem",
                "/etc/ssl/keepsake/privkey.pem": files + "/privkey.pem",
            ])
        try Data(configuration.utf8).write(to: URL(filePath: files + "/nginx.conf"))
        let found = try ServerProcess.run([], binary: Repository.folder + "/scripts/nginx.sh")
        guard found.status == 0 else { throw Tool.Failed(description: "nginx.sh: \(found.errors)") }
        let nginx = found.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let arguments = ["-p", folder.path, "-c", folder.path + "/nginx.conf", "-e", folder.path + "/error.log"]
        let test = try ServerProcess.run(arguments + ["-t"], binary: nginx)
        process = Process()
        guard test.status == 0 else {
            if test.errors.contains("Address already in use") { return nil }
            throw Tool.Failed(description: "nginx -t: \(test.errors)")
        }
        process.executableURL = URL(filePath: nginx)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<1_500 {
            if (try? RawConnection(port: self.port)) != nil { return }
            if !process.isRunning { break }
            usleep(20_000)
        }
        guard !errors.contains("Address already in use") else { return nil }
        throw Tool.Failed(description: "nginx does not listen: \(errors)")
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The content of its error log.
    var errors: String { (try? String(contentsOfFile: folder.path + "/error.log", encoding: .utf8)) ?? "" }

    /// - Parameter replacements: each key must occur in the file exactly once.
    private static func configuration(_ replacements: [String: String]) throws -> String {
        var text = try String(contentsOfFile: Repository.folder + "/deploy/nginx.conf", encoding: .utf8)
        for (old, new) in replacements {
            guard text.components(separatedBy: old).count == 2 else {
                throw Tool.Failed(description: "deploy/nginx.conf has not exactly one \(old)")
            }
            text = text.replacing(old, with: new)
        }
        return text
    }

    /// A port on which no process listens at the moment.
    private static func freePort() throws -> Int {
        let proxy = try Proxy(toPort: 1)
        defer { proxy.close() }
        return proxy.port
    }
}
