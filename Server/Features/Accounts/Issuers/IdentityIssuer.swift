internal import Core
internal import Foundation
internal import Logging
internal import NIOCore
internal import Outbound

/// An issuer of identity tokens, such as Apple, Firebase or another OpenID Connect issuer.
struct IdentityIssuer: Sendable {
    enum Kind: Sendable {
        case apple, firebase, oidc
    }

    /// What a token of this issuer must contain.
    struct Terms: Sendable {
        let kind: Kind
        let issuer: String
        let audiences: Set<String>
        /// The accepted signature algorithms.
        let algorithms: Set<String>
    }

    let terms: Terms
    let keys: KeySource
    let clock: WallClock

    /// - Throws: `.unauthenticated` unless the token is genuine, current and issued for this server; `.unavailable` when its key cannot be
    ///   fetched.
    func verify(_ token: IdentityToken) async throws -> VerifiedIdentity {
        let refused = Problem(.unauthenticated, "The identity token is not valid.")
        guard token.claims.issuer == terms.issuer, terms.algorithms.contains(token.algorithm) else { throw refused }
        do throws(IdentityRules.Fault) {
            // The claims are checked before the key is fetched, so that an expired token causes no request to the issuer.
            try IdentityRules.check(token.claims, of: terms, now: clock.now)
        } catch {
            throw error == .expired ? Problem(.unauthenticated, "The identity token has expired.") : refused
        }
        guard let key = try await keys.key(token.kid), key.algorithm == token.algorithm, key.isGenuine(token.signature, of: token.signed)
        else { throw refused }
        return VerifiedIdentity(token.claims, kind: terms.kind)
    }
}

/// The claims of a verified token.
struct VerifiedIdentity: Sendable {
    let kind: IdentityIssuer.Kind
    let issuer: String
    let subject: String
    let audience: String
    let issuedAt: Timestamp
    /// When the user authenticated with the issuer (`auth_time`); `nil` when the token does not say.
    let authenticatedAt: Timestamp?
    /// The time of the sign-in for which an app presents this token: `authenticatedAt`, or the token's issue time when that is `nil`.
    var signedInAt: Timestamp { authenticatedAt ?? issuedAt }
    let expiresAt: Timestamp
    let nonce: String?
    /// Normalised; `nil` for a claim that is absent or malformed.
    let email: String?
    /// Whether the issuer verified the address.
    let isEmailVerified: Bool
    /// As the issuer wrote it; `nil` unless the issuer verified the number.
    let phoneNumber: String?
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
        // Apple verifies every address, or assigns it.
        isEmailVerified = claims.isEmailVerified || kind == .apple
        switch kind {
        // Firebase puts only verified numbers into its tokens.
        case .firebase: phoneNumber = claims.phoneNumber
        // OpenID Connect Core 1.0 §5.1: users may enter any number themselves.
        case .oidc: phoneNumber = claims.isPhoneNumberVerified ? claims.phoneNumber : nil
        case .apple: phoneNumber = nil
        }
        name = (try? AccountRules.name(claims.name)) ?? nil
    }
}

/// All configured issuers.
struct IdentityIssuers: Sendable {
    let apple: IdentityIssuer?
    /// By `iss`: the issuers whose tokens are also accepted as bearer tokens.
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

    /// OpenID Connect Discovery 1.0 §4: fetches the document at the issuer's address and checks that it names the issuer.
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
