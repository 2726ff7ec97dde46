internal import Core
internal import Foundation
internal import Logging
internal import NIOCore
internal import Outbound

/// Somebody who may say who people are.
struct IdentityIssuer: Sendable {
    enum Kind: Sendable {
        case apple, firebase, oidc
    }

    /// What its tokens must say.
    struct Terms: Sendable {
        let kind: Kind
        let issuer: String
        let audiences: Set<String>
        /// Of signatures.
        let algorithms: Set<String>
    }

    let terms: Terms
    let keys: KeySource
    let clock: WallClock

    /// - Throws: `.unauthenticated` unless the token is genuine, for us and current; `.unavailable` when its key cannot be had.
    func verify(_ token: IdentityToken) async throws -> VerifiedIdentity {
        let refused = Problem(.unauthenticated, "The identity token is not valid.")
        guard token.claims.issuer == terms.issuer, terms.algorithms.contains(token.algorithm) else { throw refused }
        do throws(IdentityRules.Fault) {
            // Before its key is asked for: what is over is over, and costs nobody a request.
            try IdentityRules.check(token.claims, of: terms, now: clock.now)
        } catch {
            throw error == .expired ? Problem(.unauthenticated, "The identity token has expired.") : refused
        }
        guard let key = try await keys.key(token.kid), key.algorithm == token.algorithm, key.isGenuine(token.signature, of: token.signed)
        else { throw refused }
        return VerifiedIdentity(token.claims, kind: terms.kind)
    }
}

/// What a genuine token says.
struct VerifiedIdentity: Sendable {
    let kind: IdentityIssuer.Kind
    let issuer: String
    let subject: String
    let audience: String
    let issuedAt: Timestamp
    /// When the person proved to the issuer who they are: `auth_time`; `nil` when the token does not say.
    let authenticatedAt: Timestamp?
    /// The same for a token that an app presents to sign in: without `auth_time`, when the token was made.
    var signedInAt: Timestamp { authenticatedAt ?? issuedAt }
    let expiresAt: Timestamp
    let nonce: String?
    /// `nil` for what is no e-mail address.
    let email: String?
    /// The issuer stands for it.
    let isEmailVerified: Bool
    let name: String?

    init(_ claims: IdentityClaims, kind: IdentityIssuer.Kind) {
        self.kind = kind
        issuer = claims.issuer
        subject = claims.subject
        audience = claims.audiences[0]
        issuedAt = Timestamp(seconds: claims.issuedAt)
        authenticatedAt = claims.authenticatedAt.map { Timestamp(seconds: $0) }
        expiresAt = Timestamp(seconds: claims.expiresAt)
        nonce = claims.nonce
        email = claims.email.flatMap { try? AccountRules.email($0) }
        // Apple's are its own, or were confirmed to it.
        isEmailVerified = claims.isEmailVerified || kind == .apple
        name = (try? AccountRules.name(claims.name)) ?? nil
    }
}

/// All of them.
struct IdentityIssuers: Sendable {
    let apple: IdentityIssuer?
    /// By `iss`: those whose tokens count as bearers, too.
    let bearers: [String: IdentityIssuer]

    init(_ settings: IdentitySettings, outbound: OutboundHTTP, clock: WallClock, logger: Logger) {
        apple = settings.apple.map { apple in
            IdentityIssuer(
                terms: .init(kind: .apple, issuer: apple.issuer, audiences: apple.clientIDs, algorithms: ["RS256"]),
                keys: KeySource(issuer: apple.issuer, outbound: outbound, clock: clock, logger: logger) { _ in apple.keysURL }, clock: clock
            )
        }
        var bearers: [String: IdentityIssuer] = [:]
        for oidc in settings.issuers {
            bearers[oidc.issuer] = IdentityIssuer(
                terms: .init(
                    kind: .oidc, issuer: oidc.issuer, audiences: oidc.audiences, algorithms: ["RS256", "ES256", "EdDSA"]),
                keys: KeySource(issuer: oidc.issuer, outbound: outbound, clock: clock, logger: logger) {
                    try await Self.keysURL(of: oidc, $0)
                }, clock: clock)
        }
        if let firebase = settings.firebase {
            bearers[firebase.issuer] = IdentityIssuer(
                terms: .init(kind: .firebase, issuer: firebase.issuer, audiences: [firebase.projectID], algorithms: ["RS256"]),
                keys: KeySource(issuer: firebase.issuer, outbound: outbound, clock: clock, logger: logger) { _ in firebase.keysURL },
                clock: clock)
        }
        self.bearers = bearers
    }

    /// OpenID Connect Discovery 1.0 §4: its own address, and then the name in it must be the issuer's.
    private static func keysURL(of settings: OIDCSettings, _ outbound: OutboundHTTP) async throws -> String {
        if let known = settings.keysURL { return known }
        struct Document: Decodable {
            let issuer: String
            let keysURL: String

            enum CodingKeys: String, CodingKey {
                case issuer
                case keysURL = "jwks_uri"
            }
        }
        let base = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
        let response = try await outbound.send(.json(base + "/.well-known/openid-configuration"))
        guard response.status == 200,
            let document = try? JSONDecoder().decode(Document.self, from: Data(response.body.readableBytesView)),
            document.issuer == settings.issuer
        else { throw IssuerFailure("the discovery document is not the issuer's (status \(response.status))") }
        return document.keysURL
    }
}
