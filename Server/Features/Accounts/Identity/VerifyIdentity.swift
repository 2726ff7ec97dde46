internal import Core
internal import Foundation
internal import KeepsakeWire

/// Verifies the identity token that an app sends to sign in.
struct VerifyIdentity: Sendable {
    let issuers: IdentityIssuers
    let requiresAppleNonce: Bool
    /// `nil` when this server does not exchange authorization codes.
    let appleTokens: AppleTokens?

    typealias Proved = (VerifiedIdentity, AdmitIdentity.Hints)

    private static let refused = Problem(.unauthenticated, "The identity token is not valid.")

    func apple(_ input: AppleInput) async throws -> Proved {
        guard let issuer = issuers.apple else { throw Problem(.unauthenticated, "Sign in with Apple is not set up here.") }
        let name = try Self.name(input.fullName)
        guard let token = IdentityToken(input.identityToken) else { throw Self.refused }
        let identity = try await issuer.verify(token)
        let claimed = Self.present(input.userIdentifier)
        guard claimed == nil || claimed == identity.subject else { throw Self.refused }
        let nonce = try Self.nonce(input.nonce, identity, isRequired: requiresAppleNonce)
        // The body's `email` is the app's claim and may be another user's. Only the token's own claim counts.
        var hints = AdmitIdentity.Hints(name: name, nonce: nonce, invite: Self.present(input.invite))
        if let code = Self.present(input.authorizationCode) { hints.appleToken = try await appleTokens?.exchange(code, for: identity) }
        return (identity, hints)
    }

    func oidc(_ input: OIDCInput) async throws -> Proved {
        guard let issuer = issuers.bearers[input.issuer] else {
            throw Problem(.unauthenticated, "This server accepts no sign-ins of this issuer.", field: "issuer")
        }
        guard let token = IdentityToken(input.idToken) else { throw Self.refused }
        let identity = try await issuer.verify(token)
        return (
            identity,
            AdmitIdentity.Hints(nonce: try Self.nonce(input.nonce, identity, isRequired: false), invite: Self.present(input.invite))
        )
    }

    /// - Returns: `nil` unless the text is an identity token of an issuer whose tokens are accepted as bearer tokens. The returned token is
    ///   not verified yet.
    func bearer(_ text: String) -> (IdentityIssuer, IdentityToken)? {
        // Most bearer tokens are our own access tokens. They are recognised by their type, which no identity token has.
        guard !issuers.bearers.isEmpty, !AccessTokens.isOfOurType(text), let token = IdentityToken(text),
            let issuer = issuers.bearers[token.claims.issuer]
        else {
            return nil
        }
        return (issuer, token)
    }

    /// - Returns: the nonce that the client sent, if any. The caller must refuse the same nonce from now on.
    private static func nonce(_ raw: String?, _ identity: VerifiedIdentity, isRequired: Bool) throws -> String? {
        let raw = present(raw)
        guard raw?.utf8.count ?? 0 <= 1_024,
            IdentityRules.isNonce(identity.nonce, of: raw, kind: identity.kind, isRequired: isRequired)
        else { throw refused }
        return raw
    }

    /// Apps send "" for absent values.
    private static func present(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    private static func name(_ name: AppleInput.FullName?) throws -> String? {
        let parts = [name?.givenName, name?.familyName].compactMap { $0?.trimmingCharacters(in: .whitespacesAndNewlines) }
        let text = parts.filter { !$0.isEmpty }.joined(separator: " ")
        return try TextRules.optionalLine(text, field: "full_name", max: AccountRules.maxNameLength)
    }
}
