import Foundation
import TestKit
import TestThreads
import Testing
import Yams

@testable import keepsake

/// The metrics page, deploy/grafana.json and deploy/alerts.yaml.
@Suite("Metrics that Prometheus reads", .blocksThreads)
struct PrometheusTests {
    @Test(
        "every query of the dashboard and of the alert rules works on a real server's page", .timeLimit(.minutes(2)),
        arguments: StoragePair.allCases)
    func queries(_ pair: StoragePair) async throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(pair)
        let settings = try stores.environment()
        try Self.keepPhoto(in: folder.path, settings)
        // Some metrics exist only with a certificate, or with a scanner.
        let identity = try ServerIdentity(in: folder.path)
        let arguments = identity.arguments + ["--clamd", ClamdService.everybodys]
        let server = try ServerProcess(data: folder.path + "/data", arguments: arguments, environment: settings)
        // Because of this request, the server sends one to its object store, if it has one.
        try Tool.run("curl", ["-sSf", "--cacert", identity.certificate, "https://127.0.0.1:\(server.port)/health/ready"])
        // The metrics of an object store exist only if the server has one.
        func isExpected(_ text: some StringProtocol) -> Bool { pair == .shared || !text.contains("keepsake_s3_") }
        let prometheus = try PrometheusProcess(reading: server.port, authority: identity.certificate)
        try await Self.eventually {
            let known = (try? await prometheus.query("count_over_time(up{job=\"keepsake\"}[1m])"))?.first?.value ?? 0
            let health = (try? await prometheus.rules())?.values.map(\.health) ?? []
            return known >= 4 && !health.isEmpty && !health.contains("unknown")
        }

        // A query may have no series whether or not it misspells a metric, so the test compares the names.
        let names = Set(try await prometheus.get("label/__name__/values") as? [String] ?? [])
        let (panels, alerts) = (try Self.panels(), try Self.alerts())
        #expect(panels.count > 30 && alerts.count > 10)
        for expression in panels + alerts.map(\.expression) {
            for match in expression.matches(of: /\b(?:keepsake|process)_[a-z0-9_]+/) where !match.output.hasPrefix("keepsake_s3_") {
                #expect(names.contains(String(match.output)), "\(match.output) in \(expression)")
            }
        }
        for expression in panels {
            let series = try await prometheus.query(expression)
            #expect(!series.isEmpty || !isExpected(expression), "no data: \(expression)")
        }
        for alert in alerts { _ = try await prometheus.query(alert.expression) }
        let rules = try await prometheus.rules()
        #expect(Set(rules.keys) == Set(alerts.map(\.name)))
        for (name, rule) in rules { #expect(rule.health == "ok", "\(name)") }
        #expect(rules["KeepsakeDown"]?.state == "inactive")

        // What the page says of the photo that was there when the server started.
        let values = try await Self.values(
            prometheus, [#"keepsake_stored_files{kind="image"}"#, #"keepsake_stored_bytes{kind="image"}"#, "keepsake_accounts"])
        #expect(values == [1, 28_535, 1])
        for expression in [
            "keepsake_database_bytes", "keepsake_disk_free_bytes", "keepsake_disk_used_bytes", "process_resident_memory_bytes",
            "process_cpu_seconds_total", "process_open_fds", "process_max_fds - process_open_fds", "time() - process_start_time_seconds",
            "keepsake_tls_certificate_expiry_seconds - time()", "keepsake_scanner_up", "min(keepsake_ready)",
            #"keepsake_build_info{version="\#(Keepsake.version)"}"#,
        ] {
            #expect(try await prometheus.query(expression).first?.value ?? 0 > 0, "\(expression)")
        }
        #expect(try await prometheus.query("time() - process_start_time_seconds").first?.value ?? .infinity < 120)

        #expect(server.terminate() == 0)
        try await Self.eventually { try await prometheus.rules()["KeepsakeDown"]?.state == "pending" }
        withExtendedLifetime(stores) {}
    }

    @Test("promtool finds nothing to criticise: not in the rules, nor in the names and types of the page")
    func conventions() throws {
        let rules = try ServerProcess.run(["check", "rules", Repository.folder + "/deploy/alerts.yaml"], binary: "/usr/bin/promtool")
        #expect(rules.status == 0, "\(rules.output)\(rules.errors)")
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path + "/data")
        func check(_ change: String) throws -> (status: Int32, output: String, errors: String) {
            try ServerProcess.run(
                ["-c", "curl -sSf http://127.0.0.1:\(server.port)/metrics | sed '\(change)' | promtool check metrics"], binary: "/bin/sh")
        }
        let page = try check("")
        #expect(page.status == 0 && page.output.isEmpty && page.errors.isEmpty, "\(page.output)\(page.errors)")
        let control = try check("s/keepsake_requests_refused_total/keepsake_requests_refused/")
        #expect(control.status != 0 && (control.output + control.errors).contains("keepsake_requests_refused"))
        #expect(server.terminate() == 0)
    }

    @Test("a check of readiness that fails for two minutes is an alert, which names the check and the node; a shorter failure is none")
    func notReady() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let labels = #"job="keepsake", instance="node-1:8080""#
        let rules = """
            rule_files: ["\(Repository.folder)/deploy/alerts.yaml"]
            evaluation_interval: 30s
            tests:
              - interval: 30s
                input_series:
                  - {series: 'keepsake_ready{\(labels), check="blobs"}', values: "1 0 0 1 0x20"}
                  - {series: 'keepsake_ready{\(labels), check="database"}', values: "1x30"}
                alert_rule_test:
                  - {eval_time: 2m, alertname: KeepsakeNotReady, exp_alerts: []}
                  - {eval_time: 3m, alertname: KeepsakeNotReady, exp_alerts: []}
                  - eval_time: 5m
                    alertname: KeepsakeNotReady
                    exp_alerts:
                      - exp_labels: {severity: critical, job: keepsake, instance: "node-1:8080", check: blobs}
                        exp_annotations:
                          summary: "node-1:8080 is not ready: its check blobs fails, and /health/ready is 503."
                          description: "DESCRIPTION"

            """
        let alert = try #require(try Self.alerts().first { $0.name == "KeepsakeNotReady" })
        let file = folder.path + "/test.yaml"
        func run(_ text: String) throws -> (status: Int32, output: String, errors: String) {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            return try ServerProcess.run(["test", "rules", file], binary: "/usr/bin/promtool")
        }
        let complete = rules.replacing("DESCRIPTION", with: alert.description)
        let passed = try run(complete)
        #expect(passed.status == 0, "\(passed.output)\(passed.errors)")
        // Control: after three minutes, the alert that is expected after five is missing.
        let failed = try run(complete.replacing("eval_time: 5m", with: "eval_time: 3m"))
        #expect(failed.status != 0, "\(failed.output)")
    }

    /// Stores one photo of one account, and stops the server, because a server counts files and accounts when it starts.
    private static func keepPhoto(in folder: String, _ settings: [String: String]) throws {
        let server = try ServerProcess(data: "data", arguments: ["--welcome"], environment: settings, in: folder)
        let file = folder + "/data/first-photo.curl"
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: file) { usleep(10_000) }
        try Tool.run("curl", ["-sSf", "-K", file, "-F", "file=@\(Repository.folder)/Server/Tests/Fixtures/photo.jpg"])
        #expect(server.terminate() == 0)
    }

    private static func values(_ prometheus: PrometheusProcess, _ expressions: [String]) async throws -> [Double] {
        var values: [Double] = []
        for expression in expressions { values.append(try await prometheus.query(expression).first?.value ?? .nan) }
        return values
    }

    /// The dashboard's queries, with values for Grafana's variables.
    private static func panels() throws -> [String] {
        let data = try Data(contentsOf: URL(filePath: Repository.folder + "/deploy/grafana.json"))
        let dashboard = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let panels = dashboard?["panels"] as? [[String: Any]] ?? []
        return panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { $0["expr"] as? String }.map {
            $0.replacing("$job", with: "keepsake").replacing("$instance", with: ".*").replacing("$__rate_interval", with: "1m")
        }
    }

    private struct Alert {
        let name: String
        let expression: String
        let description: String
    }

    private static func alerts() throws -> [Alert] {
        let text = try String(contentsOfFile: Repository.folder + "/deploy/alerts.yaml", encoding: .utf8)
        let groups = (try Yams.load(yaml: text) as? [String: Any])?["groups"] as? [[String: Any]] ?? []
        return groups.flatMap { $0["rules"] as? [[String: Any]] ?? [] }.map {
            Alert(
                name: $0["alert"] as? String ?? "", expression: $0["expr"] as? String ?? "",
                description: ($0["annotations"] as? [String: Any])?["description"] as? String ?? "")
        }
    }

    private static func eventually(_ condition: () async throws -> Bool) async throws {
        // Prometheus reads and evaluates once a second.
        for _ in 0..<60 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(500))
        }
        Issue.record("the condition did not come true within 30 s")
    }
}
