import Accounts
import ArgumentParser
import Foundation
import Outbound

/// The flags of identity issuers.
struct IdentityOptions: ParsableArguments {
    static let title = "Identity issuers"

    @Option(help: "Bundle ids and services ids of apps with Sign in with Apple, separated by commas (KEEPSAKE_APPLE_CLIENT_IDS)")
    var appleClientIds: String?

    @Option(help: "optional, or required: every sign-in must send its nonce (KEEPSAKE_APPLE_NONCE). Default: optional")
    var appleNonce: String?

    @Option(help: "Apple's id of your team, ten letters and digits (KEEPSAKE_APPLE_TEAM_ID)")
    var appleTeamId: String?

    @Option(help: "The id of the team's key for Sign in with Apple (KEEPSAKE_APPLE_KEY_ID)")
    var appleKeyId: String?

    @Option(help: "That key's .p8 file; used to exchange codes and to revoke tokens of deleted accounts (KEEPSAKE_APPLE_KEY)")
    var appleKey: String?

    @Option(help: "The issuer of Apple's tokens (KEEPSAKE_APPLE_ISSUER). Default: https://appleid.apple.com")
    var appleIssuer: String?

    @Option(help: "The URL of its keys (KEEPSAKE_APPLE_JWKS_URL). Default: ISSUER/auth/keys")
    var appleJwksURL: String?

    @Option(help: "The URL that exchanges codes (KEEPSAKE_APPLE_TOKEN_URL). Default: ISSUER/auth/token")
    var appleTokenURL: String?

    @Option(help: "The URL that revokes tokens (KEEPSAKE_APPLE_REVOKE_URL). Default: ISSUER/auth/revoke")
    var appleRevokeURL: String?

    @Option(help: "The Firebase project whose ID tokens are accepted as bearer tokens (KEEPSAKE_FIREBASE_PROJECT_ID)")
    var firebaseProjectId: String?

    @Option(help: "The URL of its keys, a key set or certificates (KEEPSAKE_FIREBASE_JWKS_URL). Default: Google's")
    var firebaseJwksURL: String?

    @Option(help: "Other issuers: ISSUER CLIENT_ID… [keys=URL], separated by commas (KEEPSAKE_OIDC_ISSUERS)")
    var oidcIssuers: String?
}

extension Settings.Source {
    func identities(_ options: IdentityOptions) throws -> IdentitySettings {
        IdentitySettings(apple: try apple(options), firebase: try firebase(options), issuers: try oidcIssuers(options.oidcIssuers))
    }

    private func apple(_ options: IdentityOptions) throws -> AppleSettings? {
        let others = [
            (options.appleNonce, "apple_nonce"), (options.appleTeamId, "apple_team_id"), (options.appleKeyId, "apple_key_id"),
            (options.appleKey, "apple_key"), (options.appleIssuer, "apple_issuer"), (options.appleJwksURL, "apple_jwks_url"),
            (options.appleTokenURL, "apple_token_url"), (options.appleRevokeURL, "apple_revoke_url"),
        ]
        guard let ids = text(options.appleClientIds, "apple_client_ids") else {
            if let (_, key) = others.first(where: { text($0.0, $0.1) != nil }) {
                throw Settings.Wrong(description: "\(name(key)) needs KEEPSAKE_APPLE_CLIENT_IDS")
            }
            return nil
        }
        var apple = AppleSettings(clientIDs: Set(ids.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }))
        guard !apple.clientIDs.isEmpty, apple.clientIDs.allSatisfy({ (1...255).contains($0.utf8.count) && !$0.contains(" ") }) else {
            throw Settings.Wrong(description: "KEEPSAKE_APPLE_CLIENT_IDS must be a list like org.example.app,org.example.web: \(ids)")
        }
        if let issuer = try address(options.appleIssuer, "apple_issuer") {
            apple.issuer = issuer
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            (apple.keysURL, apple.tokenURL, apple.revokeURL) = (base + "/auth/keys", base + "/auth/token", base + "/auth/revoke")
        }
        apple.keysURL = try address(options.appleJwksURL, "apple_jwks_url") ?? apple.keysURL
        apple.tokenURL = try address(options.appleTokenURL, "apple_token_url") ?? apple.tokenURL
        apple.revokeURL = try address(options.appleRevokeURL, "apple_revoke_url") ?? apple.revokeURL
        apple.requiresNonce = try choice(options.appleNonce, "apple_nonce") == Nonce.required
        apple.client = try appleClient(options)
        return apple
    }

    private enum Nonce: String, CaseIterable { case optional, required }

    private func appleClient(_ options: IdentityOptions) throws -> AppleClient? {
        let parts = [(options.appleTeamId, "apple_team_id"), (options.appleKeyId, "apple_key_id"), (options.appleKey, "apple_key")]
        let texts = parts.map { text($0.0, $0.1) }
        guard texts.contains(where: { $0 != nil }) else { return nil }
        guard let team = texts[0], let id = texts[1], let file = texts[2] else {
            throw Settings.Wrong(description: "set all of KEEPSAKE_APPLE_TEAM_ID, KEEPSAKE_APPLE_KEY_ID and KEEPSAKE_APPLE_KEY, or none")
        }
        guard let pem = try? String(contentsOfFile: file, encoding: .utf8), let client = AppleClient(teamID: team, keyID: id, pem: pem)
        else {
            throw Settings.Wrong(description: "KEEPSAKE_APPLE_KEY: \(file) is not a readable .p8 file with a private key")
        }
        return client
    }

    private func firebase(_ options: IdentityOptions) throws -> FirebaseSettings? {
        let keys = try address(options.firebaseJwksURL, "firebase_jwks_url")
        guard let project = text(options.firebaseProjectId, "firebase_project_id") else {
            if keys != nil { throw Settings.Wrong(description: "KEEPSAKE_FIREBASE_JWKS_URL needs KEEPSAKE_FIREBASE_PROJECT_ID") }
            return nil
        }
        let isPlain = project.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard isPlain, (1...64).contains(project.utf8.count) else {
            throw Settings.Wrong(description: "KEEPSAKE_FIREBASE_PROJECT_ID must be lower-case letters, digits and dashes: \(project)")
        }
        var firebase = FirebaseSettings(projectID: project)
        firebase.keysURL = keys ?? firebase.keysURL
        return firebase
    }

    private func oidcIssuers(_ flag: String?) throws -> [OIDCSettings] {
        guard let text = text(flag, "oidc_issuers") else { return [] }
        var issuers: [OIDCSettings] = []
        for entry in text.split(separator: ",") {
            let wrong = Settings.Wrong(
                description: """
                    KEEPSAKE_OIDC_ISSUERS must be a list like https://id.example.org CLIENT_ID, with https URLs only: \
                    \(entry.trimmingCharacters(in: .whitespaces))
                    """)
            var words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let issuer = words.first, policy.allows(issuer), !issuer.contains("?"), !issuer.contains("#"),
                issuer.utf8.count <= 512, !issuers.contains(where: { $0.issuer == issuer })
            else { throw wrong }
            words.removeFirst()
            let keys = words.filter { $0.hasPrefix("keys=") }.map { String($0.dropFirst(5)) }
            words.removeAll { $0.hasPrefix("keys=") }
            guard !words.isEmpty, keys.count <= 1, keys.allSatisfy(policy.allows) else { throw wrong }
            issuers.append(OIDCSettings(issuer: issuer, audiences: Set(words), keysURL: keys.first))
        }
        return issuers
    }

    private func address(_ flag: String?, _ key: String) throws -> String? {
        guard let text = text(flag, key) else { return nil }
        guard policy.allows(text) else {
            throw Settings.Wrong(description: "\(name(key)) must be https, or http on this machine: \(text)")
        }
        return text
    }
}
