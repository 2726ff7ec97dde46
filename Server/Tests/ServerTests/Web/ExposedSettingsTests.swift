import ArgumentParser
import Foundation
import TestKit
import Testing

@testable import keepsake

@Suite("Settings of servers that other machines use")
struct ExposedSettingsTests {
    @Test("development mode is a warning if the settings look like those of a server for other people; production mode never is")
    func development() async throws {
        func warning(_ flags: [String], host: String? = nil) async throws -> String? {
            try await Settings.read(Serve.parse(flags).options, host: host, environment: [:]).warningOfDevelopment
        }
        for (flags, host, sign) in [
            (["--public-url", "https://a.example"], nil, "KEEPSAKE_PUBLIC_URL is https"),
            (["--trusted-proxies", "127.0.0.1"], nil, "KEEPSAKE_TRUSTED_PROXIES is set"), ([], "0.0.0.0", "--host is 0.0.0.0"),
            ([], "::", "--host is ::"), ([], "keepsake.example.org", "--host is keepsake.example.org"),
            (
                ["--public-url", "https://a.example", "--trusted-proxies", "::1"], "192.0.2.1",
                "KEEPSAKE_PUBLIC_URL is https and KEEPSAKE_TRUSTED_PROXIES is set and --host is 192.0.2.1"
            ),
        ] as [([String], String?, String)] {
            let line = try await warning(flags, host: host)
            #expect(line?.hasPrefix("the server runs in development mode, although \(sign): ") == true, "\(line ?? "none")")
            #expect(line?.contains("anybody may register") == true && line?.contains("\n") == false)
            let url = flags.contains("--public-url") ? [] : ["--public-url", "https://a.example"]
            #expect(try await warning(flags + url + ["--env", "production"], host: host) == nil)
        }
        for host in ["127.0.0.1", "127.0.0.2", "::1", "localhost", nil] {
            #expect(try await warning(["--public-url", "http://192.168.1.5:8080"], host: host) == nil, "\(host ?? "none")")
        }
        #expect(try await warning(["--registration", "invite"], host: "::")?.contains("register") == false)
    }

    @Test("production that accepts plain http on all addresses is a warning, unless a certificate or a trusted proxy is set")
    func plainHTTP() async throws {
        func settings(_ flags: [String], host: String?) async throws -> Settings {
            try await Settings.read(Serve.parse(flags).options, host: host, environment: [:])
        }
        let production = ["--env", "production", "--public-url"]
        for host in ["0.0.0.0", "0", "::"] {
            let exposed = try await settings(production + ["http://127.0.0.1:8080"], host: host)
            let line = exposed.warningOfPlainHTTP
            #expect(line?.hasPrefix("--host is \(host), and neither a certificate ") == true, "\(line ?? "none")")
            #expect(line?.contains("\n") == false && exposed.warnings == [line ?? ""])
            // Both warnings are needed: correcting only the host would not make the links work.
            let both = try await settings(production + ["https://a.example"], host: host)
            #expect(both.warnings == [both.warningOfMissingProxy ?? "", both.warningOfPlainHTTP ?? ""])
            let proxied = production + ["https://a.example", "--trusted-proxies", "127.0.0.1"]
            #expect(try await settings(proxied, host: host).warnings == [])
            #expect(try await settings([], host: host).warningOfPlainHTTP == nil)
        }
        for host in ["127.0.0.1", "::1", nil] {
            #expect(try await settings(production + ["http://127.0.0.1:8080"], host: host).warnings == [], "\(host ?? "none")")
        }
    }

    @Test("a public URL of http with a certificate is a warning, unless a proxy is trusted")
    func plainPublicURL() async throws {
        func warning(_ flags: [String], isTLS: Bool = true) async throws -> String? {
            var settings = try await Settings.read(Serve.parse(flags).options, environment: [:])
            // A fault has the same effect here as a certificate.
            settings.tlsFault = isTLS ? "KEEPSAKE_TLS_CERT: a fault" : nil
            #expect(settings.warnings.count == (settings.warningOfPlainPublicURL == nil ? 0 : 1), "\(settings.warnings)")
            return settings.warningOfPlainPublicURL.map(settings.naming)
        }
        let production = ["--env", "production"]
        let line = try await warning(production + ["--public-url", "http://127.0.0.1:8443"])
        #expect(line?.hasPrefix("--public-url is http://127.0.0.1:8443, but with --tls-cert the server accepts only https: ") == true)
        #expect(line?.contains("\n") == false)
        #expect(try await warning(["--public-url", "http://192.168.1.5:8443"]) != nil)
        #expect(try await warning(["--public-url", "http://192.168.1.5:8443"], isTLS: false) == nil)
        #expect(try await warning(production + ["--public-url", "https://a.example"]) == nil)
        let proxied = production + ["--public-url", "http://127.0.0.1:8443", "--trusted-proxies", "127.0.0.1"]
        #expect(try await warning(proxied) == nil)
        #expect(try await warning([]) == nil)
    }

    @Test("a path in the public URL is refused with one line that names the flag, the variable or the key; a slash at the end is not one")
    func path() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.path + "/settings.yaml"
        try "public_url: https://a.example/keepsake/\n".write(toFile: file, atomically: true, encoding: .utf8)
        for (flags, environment, name, url) in [
            (["--public-url", "https://a.example:8443/keepsake"], [:], "--public-url", "https://a.example:8443/keepsake"),
            ([], ["KEEPSAKE_PUBLIC_URL": "http://a.example/k/b"], "KEEPSAKE_PUBLIC_URL", "http://a.example/k/b"),
            (["--config", file], [:], "public_url in \(file):1", "https://a.example/keepsake/"),
        ] as [([String], [String: String], String, String)] {
            let error = await #expect(throws: Settings.Wrong.self) {
                try await Settings.read(Serve.parse(flags).options, environment: environment)
            }
            let line = error?.description ?? ""
            #expect(line.hasPrefix("\(name) must have no path, ") && line.hasSuffix(": \(url)") && !line.contains("\n"), "\(line)")
        }
        for url in ["https://a.example", "https://a.example/"] {
            #expect(try await Settings.read(Serve.parse(["--public-url", url]).options, environment: [:]).publicURL == "https://a.example")
        }
    }
}
