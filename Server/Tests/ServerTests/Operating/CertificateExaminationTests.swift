import Core
import FeatureKit
import HTTPServer
import Logging
import TestKit
import TestThreads
import Testing

@testable import keepsake

@Suite("What doctor says about the server's certificate", .blocksThreads)
struct CertificateExaminationTests {
    /// - Parameter names: subject alternative names in openssl's format; empty if the certificate has none.
    private func makeIdentity(_ names: String) throws -> TLSIdentity {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
        try Tool.run(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "90"]
                + ["-subj", "/CN=common.example", "-keyout", key, "-out", certificate]
                + (names.isEmpty ? [] : ["-addext", "subjectAltName=\(names)"]))
        return try TLSIdentity(certificate: certificate, key: key)
    }

    private func makeCertificate(_ names: String) throws -> ServerCertificate { try makeIdentity(names).certificate }

    @Test("it names the hosts and the end; the last 21 days are a warning; before its beginning and after its end it fails")
    func time() throws {
        let certificate = try makeCertificate("DNS:keepsake.example.org")
        let now = WallClock.system.now
        #expect(certificate.begin <= now && certificate.end - now <= .days(90) && certificate.end - now > .days(89))
        func run(_ moment: Timestamp) throws -> String {
            try CertificateExamination(host: "keepsake.example.org", now: moment).run(certificate)
        }
        let text = try run(certificate.end - .days(22))
        #expect(text.hasPrefix("for keepsake.example.org, until 20") && text.hasSuffix(", 22 days"), "\(text)")
        let warning = #expect(throws: Examination.Warning.self) { try run(certificate.end - .days(20)) }
        #expect(warning?.description.contains("in 20 days; renew it") == true)
        let ended = #expect(throws: Settings.Wrong.self) { try run(certificate.end + .seconds(1)) }
        #expect(ended?.description.hasPrefix("ended on 20") == true)
        let early = #expect(throws: Settings.Wrong.self) { try run(certificate.begin - .days(1)) }
        #expect(early?.description.hasPrefix("not valid before 20") == true)
    }

    @Test("a certificate that names no host is a warning that says so, in doctor and in the log; with a public URL it fails")
    func nameless() throws {
        let identity = try makeIdentity("")
        var settings = Settings()
        func run() throws -> String { try CertificateExamination(settings, now: WallClock.system.now).run(identity.certificate) }
        let warning = #expect(throws: Examination.Warning.self) { try run() }
        #expect(warning?.description.hasPrefix("names no host: it has no subject alternative name, ") == true)
        let lines = OperatorLines()
        settings.tls = identity
        CertificateReload(settings: settings, clock: .system, logger: lines.logger).examine()
        #expect(lines.all.map(\.message) == ["the certificate names no host"] && lines.all.first?.level == .warning, "\(lines.all)")
        settings.publicURL = "https://common.example"
        let error = #expect(throws: Settings.Wrong.self) { try run() }
        #expect(error?.description.hasSuffix("but for no host (it has no subject alternative name)") == true)
        settings.trustedProxies = try #require(TrustedProxies("10.0.0.0/8"))
        #expect(throws: Examination.Warning.self) { try run() }
    }

    @Test("a public URL whose host the certificate does not name fails, unless a trusted proxy is in front")
    func publicURL() throws {
        let certificate = try makeCertificate("DNS:a.example.org,IP:127.0.0.1")
        var settings = Settings()
        func run() throws -> String { try CertificateExamination(settings, now: WallClock.system.now).run(certificate) }
        for url in [nil, "https://a.example.org", "https://A.example.org:8443", "https://127.0.0.1:8443"] {
            settings.publicURL = url
            #expect(try run().hasPrefix("for a.example.org, 127.0.0.1, until "), "\(url ?? "none")")
        }
        for url in ["https://b.example.org", "https://common.example", "https://[::1]:8443"] {
            settings.publicURL = url
            let error = #expect(throws: Settings.Wrong.self, "\(url)") { try run() }
            #expect(error?.description.contains("the host of KEEPSAKE_PUBLIC_URL, but for a.example.org, 127.0.0.1") == true)
        }
        settings.trustedProxies = try #require(TrustedProxies("10.0.0.0/8"))
        #expect(try run().hasPrefix("for a.example.org"))
    }

    @Test("the server logs an error for a certificate that clients refuse, a warning for one that ends soon, and nothing for a good one")
    func log() throws {
        let identity = try makeIdentity("DNS:a.example.org")
        let early = identity.certificate.begin - .days(1)
        let good = identity.certificate.end - .days(30)
        let soon = identity.certificate.end - .days(20)
        let late = identity.certificate.end + .seconds(1)
        for (host, moment, level, message, reason) in [
            ("a", good, nil, "", ""), ("a", soon, .warning, "the certificate ends soon", "in 20 days; renew it"),
            ("a", late, .error, "clients refuse the certificate", "ended on 20"),
            ("a", early, .error, "clients refuse the certificate", "not valid before 20"),
            ("b", good, .error, "clients refuse the certificate", "not for b.example.org"),
        ] as [(String, Timestamp, Logger.Level?, String, String)] {
            let lines = OperatorLines()
            var settings = Settings()
            settings.tls = identity
            settings.publicURL = "https://\(host).example.org"
            CertificateReload(settings: settings, clock: WallClock { moment }, logger: lines.logger).examine()
            #expect(lines.all.map(\.level) == (level.map { [$0] } ?? []), "\(lines.all)")
            for line in lines.all {
                #expect(line.message == message && line.metadata["reason"]?.contains(reason) == true, "\(line)")
            }
        }
    }

    @Test("names match as in browsers: an asterisk is exactly one label, and addresses match in any spelling")
    func names() throws {
        let certificate = try makeCertificate("DNS:example.org,DNS:*.Example.net,DNS:a*.example.com,IP:127.0.0.1,IP:2001:db8::1")
        for host in ["example.org", "EXAMPLE.org", "a.example.net", "A.EXAMPLE.NET", "127.0.0.1", "2001:db8::1", "2001:DB8:0::1"] {
            #expect(certificate.covers(host), "\(host)")
        }
        for host in [
            "a.example.org", "example.net", ".example.net", "a.b.example.net", "ab.example.com", "127.0.0.2", "2001:db8::2",
            "common.example", "",
        ] { #expect(!certificate.covers(host), "\(host)") }
    }
}
