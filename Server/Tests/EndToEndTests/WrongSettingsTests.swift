import ArgumentParser
import TestKit
import Testing

@testable import keepsake

/// What `serve` prints on standard error before it exits with 64. These tests do not start the program; `CommandTests` and
/// `AccountCommandTests` do.
@Suite("Invalid settings")
struct WrongSettingsTests {
    @Test(
        "the error for an invalid value is one line that names it",
        arguments: [
            ("KEEPSAKE_PORT", "http"), ("KEEPSAKE_PORT", "65536"), ("KEEPSAKE_ENV", "staging"), ("KEEPSAKE_QUOTA_MB", "0"),
            ("KEEPSAKE_QUOTA_MB", "1.5"), ("KEEPSAKE_MAX_FILE_MB", "513"), ("KEEPSAKE_MAX_REQUEST_MB", "50"),
            ("KEEPSAKE_LINK_DAYS", "366"), ("KEEPSAKE_IDEMPOTENCY_DAYS", "91"), ("KEEPSAKE_SCRUB_HOURS", "721"),
            ("KEEPSAKE_REGISTRATION", "maybe"),
            ("KEEPSAKE_VERIFY", "maybe"),
            ("KEEPSAKE_PUBLIC_URL", "example.org"),
            ("KEEPSAKE_PUBLIC_URL", "ftp://example.org"), ("KEEPSAKE_PUBLIC_URL", "https://example.org/keepsake"),
            ("KEEPSAKE_PUBLIC_URL", "https://example.org//"), ("KEEPSAKE_ORIGINS", "example.org"),
            ("KEEPSAKE_ORIGINS", "https://a.example.org,https://b.example.org/path"), ("KEEPSAKE_DATABASE", "mysql://x"),
            ("KEEPSAKE_BLOBS", "somewhere"), ("KEEPSAKE_BLOBS", "s3://photos?endpoint=ftp://h"), ("KEEPSAKE_BLOBS", "s3://photos"),
            ("KEEPSAKE_LOG", "loud"), ("KEEPSAKE_ALLOW_ANONYMOUS", "maybe"), ("KEEPSAKE_TIME_ZONE", "Europe/Nowhere"),
            ("KEEPSAKE_TIME_ZONE", "CET+1"), ("KEEPSAKE_TIME_ZONE", "EST"), ("KEEPSAKE_TIME_ZONE", ""), ("KEEPSAKE_TIME_ZONE", "Europe/"),
            ("KEEPSAKE_CONFIG", "/nowhere/keepsake.yaml"),
        ])
    func values(name: String, value: String) async throws {
        let line = try await Self.error([name: value])
        #expect(!line.contains("\n") && line.contains(name), "\(line)")
    }

    @Test(
        "the error for an invalid mail setting is one line that names it and shows no password",
        arguments: [
            (["KEEPSAKE_SMTP": "smtp://u:canary@mail.example.org"], "KEEPSAKE_SMTP"),
            (["KEEPSAKE_SMTP": "smtp://mail.example.org", "KEEPSAKE_MAIL_FROM": ""], "KEEPSAKE_MAIL_FROM"),
            (["KEEPSAKE_SMTP": "smtp://mail.example.org", "KEEPSAKE_SMTP_USER": "u"], "KEEPSAKE_SMTP_PASSWORD"),
            (
                ["KEEPSAKE_SMTP": "smtp://mail.example.org?tls=off", "KEEPSAKE_SMTP_USER": "u", "KEEPSAKE_SMTP_PASSWORD": "canary"],
                "KEEPSAKE_SMTP_PASSWORD"
            ),
            (["KEEPSAKE_SMTP": "smtp://mail.example.org", "KEEPSAKE_SMTP_CA": "/nowhere.pem"], "KEEPSAKE_SMTP_CA"),
            (["KEEPSAKE_RESET_URL": "https://app.example.org/reset"], "KEEPSAKE_RESET_URL"),
            (["KEEPSAKE_ENV": "production", "KEEPSAKE_SMTP": "smtp://mail.example.org?tls=off"], "KEEPSAKE_SMTP"),
        ] as [([String: String], String)])
    func mail(_ environment: [String: String], _ name: String) async throws {
        let line = try await Self.error(["KEEPSAKE_MAIL_FROM": "no-reply@example.org"].merging(environment) { $1 })
        #expect(!line.contains("\n") && line.contains(name), "\(line)")
        #expect(!line.contains("canary"))
    }

    private struct NoError: Error {}

    /// - Throws: any error but those that make the program exit with 64.
    private static func error(_ environment: [String: String]) async throws -> String {
        let folder = try TemporaryFolder()
        do {
            _ = try await Settings.read(Serve.parse(["--data", folder.path]).options, environment: environment)
        } catch let error as Settings.Wrong {
            return error.description
        }
        throw NoError()
    }
}
