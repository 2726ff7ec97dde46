import Foundation
import TestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Debian's nginx. It runs in front of a server, with `deploy/nginx.conf`, of which only the addresses, the certificate and the paths of
/// files are changed; or in front of an object store.
final class NginxProcess {
    let port: Int
    let securePort: Int
    private let process: Process
    private let folder: TemporaryFolder

    /// The certificate of the authority that signed nginx's own, in PEM.
    var authority: String { folder.path + "/authority.pem" }

    /// Tries again with other ports, because another process may take a free port before nginx binds it.
    static func start(beforePort port: Int) throws -> NginxProcess { try start(beforePorts: [port]) }

    /// - Parameter ports: one for each node.
    static func start(beforePorts ports: [Int]) throws -> NginxProcess {
        try start { files, port, securePort in
            try configuration(
                [
                    "worker_processes auto;": processLines(files),
                    "http {": "http { " + temporaryFolders(files),
                    "listen 80 default_server;": "listen 127.0.0.1:\(try freePort());",
                    "listen [::]:80 default_server;": "",
                    "listen 443 ssl http2;": "listen 127.0.0.1:\(port); listen 127.0.0.1:\(securePort) ssl http2;",
                    "listen [::]:443 ssl http2;": "",
                    "server 127.0.0.1:8080;": ports.map { "server 127.0.0.1:\($0);" }.joined(separator: " "),
                    "/etc/ssl/keepsake/fullchain.pem": files + "/fullchain.pem",
                    "/etc/ssl/keepsake/privkey.pem": files + "/privkey.pem",
                ])
        }
    }

    /// Passes requests on to an object store, with TLS and without. It does not change Host and path, because a signature covers them.
    static func start(beforeStore store: Int) throws -> NginxProcess {
        try start { files, port, securePort in
            """
            \(processLines(files))
            events {}
            http {
                \(temporaryFolders(files))
                access_log off;
                server {
                    listen 127.0.0.1:\(port);
                    listen 127.0.0.1:\(securePort) ssl;
                    # An address that the certificate does not name.
                    listen 127.0.0.2:\(securePort) ssl;
                    ssl_certificate \(files)/fullchain.pem;
                    ssl_certificate_key \(files)/privkey.pem;
                    client_max_body_size 0;
                    location / {
                        proxy_pass http://127.0.0.1:\(store);
                        proxy_http_version 1.1;
                        proxy_set_header Host $http_host;
                        proxy_request_buffering off;
                        proxy_buffering off;
                    }
                }
            }
            """
        }
    }

    private static func start(_ configuration: (_ files: String, _ port: Int, _ securePort: Int) throws -> String) throws -> NginxProcess {
        for _ in 0..<5 {
            if let nginx = try NginxProcess(configuration) { return nginx }
        }
        throw Tool.Failed(description: "nginx found no ports")
    }

    private static func processLines(_ files: String) -> String {
        "daemon off; master_process off; pid \(files)/pid; error_log \(files)/error.log;"
    }

    private static func temporaryFolders(_ files: String) -> String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(files)/\($0);" }.joined()
    }

    /// - Returns: `nil` if a port was taken.
    private init?(_ text: (_ files: String, _ port: Int, _ securePort: Int) throws -> String) throws {
        folder = try TemporaryFolder()
        let files = folder.path
        (self.port, securePort) = (try Self.freePort(), try Self.freePort())
        let request = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        ]
        try Tool.run(
            "openssl", request + ["-subj", "/CN=An authority", "-keyout", files + "/authority.key", "-out", files + "/authority.pem"])
        try Tool.run(
            "openssl",
            request + ["-CA", files + "/authority.pem", "-CAkey", files + "/authority.key", "-subj", "/CN=localhost"]
                + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
                + ["-keyout", files + "/privkey.pem", "-out", files + "/fullchain.pem"])
        let configuration = try text(files, self.port, securePort)
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
        process.waitForExit()
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
