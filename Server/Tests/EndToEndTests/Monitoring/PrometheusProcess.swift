import AsyncHTTPClient
import Foundation
import NIOCore
import TestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Debian's Prometheus, which reads one server's metrics each second and evaluates deploy/alerts.yaml.
final class PrometheusProcess {
    struct Series {
        let labels: [String: String]
        let value: Double
    }

    struct Rule {
        /// `inactive`, `pending` or `firing`.
        let state: String?
        /// `unknown` until Prometheus has evaluated the rule, then `ok` or `err`.
        let health: String?
    }

    private let url: String
    private let process = Process()
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - port: the port on which the server accepts TLS.
    ///   - authority: path of the CA certificate that signed the server's certificate.
    init(reading port: Int, authority: String) throws {
        folder = try TemporaryFolder()
        // A port on which no process listens at the moment.
        let proxy = try Proxy(toPort: 1)
        let own = proxy.port
        proxy.close()
        url = "http://127.0.0.1:\(own)/api/v1/"
        let configuration = """
            global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
            rule_files: ["\(Repository.folder)/deploy/alerts.yaml"]
            scrape_configs:
              - job_name: keepsake
                scheme: https
                tls_config: {ca_file: "\(authority)"}
                static_configs: [targets: ["127.0.0.1:\(port)"]]

            """
        try configuration.write(toFile: folder.path + "/prometheus.yml", atomically: true, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/bin/prometheus")
        process.arguments = [
            "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
            "--web.listen-address=127.0.0.1:\(own)",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitForExit()
    }

    /// - Returns: the `data` of the response; the error that Prometheus found in the query is thrown.
    func get(_ path: String) async throws -> Any? {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url + path), timeout: .seconds(10))
        let text = String(buffer: try await response.body.collect(upTo: 16_777_216))
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        guard json?["status"] as? String == "success" else { throw Tool.Failed(description: text) }
        return json?["data"]
    }

    func query(_ expression: String) async throws -> [Series] {
        let encoded = expression.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let data = try await get("query?query=\(encoded)") as? [String: Any]
        return (data?["result"] as? [[String: Any]] ?? []).map { series in
            let value = (series["value"] as? [Any])?.last as? String
            return Series(labels: series["metric"] as? [String: String] ?? [:], value: value.flatMap { Double($0) } ?? .nan)
        }
    }

    /// The alert rules by their name.
    func rules() async throws -> [String: Rule] {
        let groups = (try await get("rules") as? [String: Any])?["groups"] as? [[String: Any]] ?? []
        var rules: [String: Rule] = [:]
        for rule in groups.flatMap({ $0["rules"] as? [[String: Any]] ?? [] }) {
            rules[rule["name"] as? String ?? ""] = Rule(state: rule["state"] as? String, health: rule["health"] as? String)
        }
        return rules
    }
}
