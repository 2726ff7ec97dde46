internal import Core
internal import Crypto

/// What an identity token must say to be believed. Pure: no key, no store, no clock.
enum IdentityRules {
    /// How far an issuer's clock and ours may be apart.
    static let leeway = Duration.seconds(60)
    /// A token good for longer is refused: for this long after a deletion we remember which tokens are from before it.
    static let longestLife = Duration.days(30)
    static let subjectByteCounts = 1...255
    /// Of one account.
    static let maxIdentityCount = 20

    enum Fault: Error, Equatable {
        case notValid, expired
    }

    static func check(_ claims: IdentityClaims, of issuer: IdentityIssuer.Terms, now: Timestamp) throws(Fault) {
        guard claims.issuer == issuer.issuer, isForUs(claims, issuer), subjectByteCounts.contains(claims.subject.utf8.count),
            !claims.subject.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .notValid }
        let latest = (now + leeway).seconds
        guard claims.issuedAt <= latest, claims.notBefore ?? 0 <= latest, claims.issuedAt < claims.expiresAt,
            claims.expiresAt - claims.issuedAt <= longestLife.components.seconds
        else { throw .notValid }
        if issuer.kind == .firebase {
            // As Firebase's own libraries ask.
            guard let signedInAt = claims.authenticatedAt, signedInAt <= latest, claims.subject.utf8.count <= 128 else { throw .notValid }
        }
        guard (now - leeway).seconds < claims.expiresAt else { throw .expired }
    }

    /// Apple and Firebase name one audience, as a text. OpenID Connect may name several, and then says for which it was made (§3.1.3.7).
    private static func isForUs(_ claims: IdentityClaims, _ issuer: IdentityIssuer.Terms) -> Bool {
        guard let first = claims.audiences.first, claims.audiences.contains(where: issuer.audiences.contains) else { return false }
        if claims.audiences.count == 1 { return issuer.audiences.contains(first) }
        return issuer.kind == .oidc && claims.authorizedParty.map(issuer.audiences.contains) == true
    }

    /// - Parameters:
    ///   - claimed: the token's `nonce`.
    ///   - raw: what the client sends beside it, which whoever has only the token does not know.
    static func isNonce(_ claimed: String?, of raw: String?, kind: IdentityIssuer.Kind, isRequired: Bool) -> Bool {
        switch (claimed, raw) {
        case (nil, nil): return !isRequired
        // A token that was bound to a secret is worth nothing without it. Elsewhere `nonce` is no secret's hash, and binds the client.
        case (_?, nil): return kind != .apple && !isRequired
        case (nil, _?): return false
        case (let claimed?, let raw?):
            let hash = Hex.encode(SHA256.hash(data: Array(raw.utf8)))
            return claimed == hash || (kind != .apple && claimed == raw)
        }
    }
}
