internal import Core
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Outbound

/// Calls Apple's token endpoints: exchanges an app's authorization code for a refresh token, and revokes that token when the account is
/// deleted, as the App Store requires (Sign in with Apple REST API, "Generate and validate tokens", "Revoke tokens").
struct AppleTokens: Sendable {
    /// Lifetime of a client secret; Apple allows six months.
    static let secretLifetime = Duration.minutes(5)

    let settings: AppleSettings
    let client: AppleClient
    let secrets: ServerSecrets
    let clock: WallClock
    let logger: Logger
    let outbound: OutboundHTTP

    /// - Parameter identity: from the identity token that came with the code.
    /// - Returns: `nil` when Apple cannot be reached, so that a failure there does not prevent the sign-in.
    /// - Throws: `.unauthenticated` when the code is invalid, expired, used, or another user's.
    func exchange(_ code: String, for identity: VerifiedIdentity) async throws -> AppleToken? {
        let refused = Problem(.unauthenticated, "The authorization code is not valid.", field: "authorization_code")
        guard (1...1_024).contains(code.utf8.count) else { throw refused }
        do {
            let answer = try await post(
                [("grant_type", "authorization_code"), ("code", code)], to: settings.tokenURL, clientID: identity.audience)
            guard answer.status == 200 else {
                if answer.status == 400, Self.error(answer) == "invalid_grant" { throw refused }
                throw IssuerFailure(Self.describe(answer))
            }
            let given = try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.readableBytesView))
            // The token comes from Apple itself over TLS, so its signature needs no check (OpenID Connect Core §3.1.3.7). The code may
            // still be another user's.
            if let text = given.idToken {
                guard let token = IdentityToken(text), token.claims.subject == identity.subject else { throw refused }
            }
            guard let refreshToken = given.refreshToken else { return nil }
            return AppleToken(
                clientID: identity.audience, sealed: try await seal(refreshToken, identity.subject, identity.audience))
        } catch let problem as Problem {
            throw problem
        } catch {
            logger.warning("Apple's authorization code could not be exchanged", metadata: ["why": "\(Self.words(error))"])
            return nil
        }
    }

    /// - Throws: `IssuerFailure` or `OutboundHTTP.Failure` when the caller should retry later.
    func revoke(_ token: AccountStore.KeptAppleToken) async throws {
        guard let text = try await open(token) else {
            // The token was encrypted with another installation's key, so no retry can decrypt it.
            logger.warning("an Apple token could not be decrypted; it will be deleted without revocation")
            return
        }
        let answer = try await post(
            [("token", text), ("token_type_hint", "refresh_token")], to: settings.revokeURL, clientID: token.clientID)
        // Apple answers invalid_grant for a token that is already revoked or expired.
        if answer.status == 200 || answer.status == 400 && Self.error(answer) == "invalid_grant" { return }
        throw IssuerFailure(Self.describe(answer))
    }

    private func post(_ fields: [(String, String)], to url: String, clientID: String) async throws -> OutboundHTTP.Response {
        let secret = try clientSecret(for: clientID)
        let form = FormEncoding.encode([("client_id", clientID), ("client_secret", secret.exposed)] + fields)
        return try await outbound.send(
            .init(
                .POST, url, headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
                body: .whole(ByteBuffer(string: form))))
    }

    /// A signed JWT that authenticates this server to Apple as the team's app.
    func clientSecret(for clientID: String) throws -> Secret<String> {
        struct Header: Encodable {
            let alg = "ES256"
            let kid: String
        }
        struct Claims: Encodable {
            let iss: String
            let iat: Int64
            let exp: Int64
            let aud: String
            let sub: String
        }
        let now = clock.now.seconds
        let encoder = JSONEncoder.withSortedKeys()
        let parts: [Data] = [
            try encoder.encode(Header(kid: client.keyID)),
            try encoder.encode(
                Claims(
                    iss: client.teamID, iat: now, exp: now + Self.secretLifetime.components.seconds, aud: settings.issuer, sub: clientID)),
        ]
        let body = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        let signature = try client.key.exposed.signature(for: Data(body.utf8)).rawRepresentation
        return Secret("\(body).\(Base64URL.encode(signature))")
    }

    // MARK: At rest

    private func seal(_ token: String, _ subject: String, _ clientID: String) async throws -> Secret<[UInt8]> {
        let box = try AES.GCM.seal(
            Array(token.utf8), using: try await key(), authenticating: Array("\(clientID) \(subject)".utf8))
        guard let combined = box.combined else { throw Problem(.fault, "A token could not be sealed.") }
        return Secret(Array(combined))
    }

    private func open(_ token: AccountStore.KeptAppleToken) async throws -> String? {
        let key = try await key()
        guard let box = try? AES.GCM.SealedBox(combined: token.sealed.exposed),
            let text = try? AES.GCM.open(box, using: key, authenticating: Array("\(token.clientID) \(token.subject)".utf8))
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private func key() async throws -> SymmetricKey { SymmetricKey(data: try await secrets.secret("apple-tokens").exposed) }

    // MARK: What Apple answers

    private struct TokenResponse: Decodable {
        let refreshToken: String?
        let idToken: String?

        enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
            case idToken = "id_token"
        }
    }

    private static func error(_ answer: OutboundHTTP.Response) -> String? {
        struct Refusal: Decodable { let error: String }
        return try? JSONDecoder().decode(Refusal.self, from: Data(answer.body.readableBytesView)).error
    }

    /// Logs only error codes of the protocol, never text that Apple composed.
    private static func describe(_ answer: OutboundHTTP.Response) -> String {
        let known = [
            "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        ]
        let error = error(answer).flatMap { known.contains($0) ? " \($0)" : nil } ?? ""
        return "status \(answer.status)\(error)"
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as IssuerFailure: error.description
        case let error as OutboundHTTP.Failure: error.description
        default: "\(type(of: error))"
        }
    }
}
