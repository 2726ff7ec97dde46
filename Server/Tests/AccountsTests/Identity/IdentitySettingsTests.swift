import Accounts
import ArgumentParser
import Crypto
import Foundation
import TestKit
import Testing

@testable import keepsake

@Suite("Settings of identity issuers")
struct IdentitySettingsTests {
    private func read(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> Settings {
        try await Settings.read(Serve.parse(flags).options, environment: environment)
    }

    @Test("by default no issuer is configured; Apple and Firebase have their public addresses")
    func defaults() async throws {
        let bare = try await read()
        #expect(bare.identities.apple == nil && bare.identities.firebase == nil && bare.identities.issuers.isEmpty)
        let set = try await read(
            ["--apple-client-ids", "org.example.app, org.example.web"], ["KEEPSAKE_FIREBASE_PROJECT_ID": "example-app"])
        let apple = try #require(set.identities.apple)
        #expect(apple.clientIDs == ["org.example.app", "org.example.web"] && !apple.requiresNonce && apple.client == nil)
        #expect(apple.issuer == "https://appleid.apple.com" && apple.keysURL == "https://appleid.apple.com/auth/keys")
        #expect(set.identities.firebase?.keysURL.hasPrefix("https://www.googleapis.com/") == true)
    }

    @Test("each setting can come from a flag, a variable or a file")
    func everywhere() async throws {
        let folder = try TemporaryFolder()
        let key = folder.path + "/AuthKey.p8"
        try P256.Signing.PrivateKey().pemRepresentation.write(toFile: key, atomically: true, encoding: .utf8)
        let file = folder.path + "/keepsake.yaml"
        try """
        apple_client_ids: org.example.app
        apple_team_id: TEAM123456
        apple_key_id: KEY1234567
        apple_key: \(key)
        oidc_issuers: "https://id.example.org one two, http://127.0.0.1:9 three keys=http://127.0.0.1:9/keys"
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let settings = try await read(
            ["--config", file, "--apple-nonce", "required"],
            ["KEEPSAKE_APPLE_ISSUER": "http://127.0.0.1:7", "KEEPSAKE_APPLE_JWKS_URL": "http://127.0.0.1:8/keys"])
        let apple = try #require(settings.identities.apple)
        #expect(apple.requiresNonce && apple.client?.teamID == "TEAM123456" && apple.client?.keyID == "KEY1234567")
        #expect(apple.keysURL == "http://127.0.0.1:8/keys" && apple.tokenURL == "http://127.0.0.1:7/auth/token")
        #expect(apple.revokeURL == "http://127.0.0.1:7/auth/revoke")
        #expect(
            settings.identities.issuers == [
                OIDCSettings(issuer: "https://id.example.org", audiences: ["one", "two"]),
                OIDCSettings(issuer: "http://127.0.0.1:9", audiences: ["three"], keysURL: "http://127.0.0.1:9/keys"),
            ])
    }

    @Test(
        "a wrong setting stops the program with an error that names it",
        arguments: [
            (
                [
                    "KEEPSAKE_ENV": "production", "KEEPSAKE_APPLE_JWKS_URL": "http://keys.example/keys", "KEEPSAKE_APPLE_CLIENT_IDS": "a",
                ], "KEEPSAKE_APPLE_JWKS_URL"
            ),
            (["KEEPSAKE_APPLE_NONCE": "always", "KEEPSAKE_APPLE_CLIENT_IDS": "a"], "KEEPSAKE_APPLE_NONCE"),
            (["KEEPSAKE_APPLE_NONCE": "required"], "KEEPSAKE_APPLE_NONCE"),
            (["KEEPSAKE_APPLE_CLIENT_IDS": " "], "KEEPSAKE_APPLE_CLIENT_IDS"),
            (["KEEPSAKE_APPLE_CLIENT_IDS": "a,,b c"], "KEEPSAKE_APPLE_CLIENT_IDS"),
            (["KEEPSAKE_APPLE_CLIENT_IDS": "a", "KEEPSAKE_APPLE_TEAM_ID": "T"], "KEEPSAKE_APPLE_KEY"),
            (
                [
                    "KEEPSAKE_APPLE_CLIENT_IDS": "a", "KEEPSAKE_APPLE_TEAM_ID": "T", "KEEPSAKE_APPLE_KEY_ID": "K",
                    "KEEPSAKE_APPLE_KEY": "/dev/null",
                ], "KEEPSAKE_APPLE_KEY"
            ),
            (["KEEPSAKE_FIREBASE_PROJECT_ID": "a/b"], "KEEPSAKE_FIREBASE_PROJECT_ID"),
            (["KEEPSAKE_FIREBASE_JWKS_URL": "https://a.example"], "KEEPSAKE_FIREBASE_PROJECT_ID"),
            (["KEEPSAKE_OIDC_ISSUERS": "https://id.example.org"], "KEEPSAKE_OIDC_ISSUERS"),
            (["KEEPSAKE_ENV": "production", "KEEPSAKE_OIDC_ISSUERS": "http://id.example.org app"], "KEEPSAKE_OIDC_ISSUERS"),
            (["KEEPSAKE_OIDC_ISSUERS": "http://user@id.example.org app"], "KEEPSAKE_OIDC_ISSUERS"),
            (
                ["KEEPSAKE_ENV": "production", "KEEPSAKE_OIDC_ISSUERS": "https://id.example.org app keys=http://a.example"],
                "KEEPSAKE_OIDC_ISSUERS"
            ),
            (["KEEPSAKE_OIDC_ISSUERS": "https://a.example a, https://a.example b"], "KEEPSAKE_OIDC_ISSUERS"),
        ])
    func wrong(_ sample: (environment: [String: String], name: String)) async throws {
        do {
            _ = try await read([], sample.environment)
            Issue.record("taken: \(sample.environment)")
        } catch let error as Settings.Wrong {
            #expect(error.description.contains(sample.name), "\(error)")
        }
    }
}
