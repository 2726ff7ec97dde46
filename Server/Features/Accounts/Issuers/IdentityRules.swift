internal import Core
internal import Crypto

/// Checks the claims of an identity token. Pure: no key, no store, no clock.
enum IdentityRules {
    /// Accepted difference between an issuer's clock and ours.
    static let leeway = Duration.seconds(60)
    /// The longest accepted lifetime of a token. Tombstones of deleted accounts are kept for the same time, to refuse tokens from before
    /// the deletion.
    static let longestLife = Duration.days(30)
    static let subjectByteCounts = 1...255
    /// The most identities that one account can have.
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
            // Firebase's own libraries also require these claims.
            guard let signedInAt = claims.authenticatedAt, signedInAt <= latest, claims.subject.utf8.count <= 128 else { throw .notValid }
        }
        guard (now - leeway).seconds < claims.expiresAt else { throw .expired }
    }

    /// Apple and Firebase tokens have one audience, as a string. OpenID Connect tokens may have several; then `azp` names the client that
    /// the token was issued to (§3.1.3.7).
    private static func isForUs(_ claims: IdentityClaims, _ issuer: IdentityIssuer.Terms) -> Bool {
        guard let first = claims.audiences.first, claims.audiences.contains(where: issuer.audiences.contains) else { return false }
        if claims.audiences.count == 1 { return issuer.audiences.contains(first) }
        return issuer.kind == .oidc && claims.authorizedParty.map(issuer.audiences.contains) == true
    }

    /// - Parameters:
    ///   - claimed: the token's `nonce`.
    ///   - raw: the value that the client sends in addition to the token; a thief who has only the token does not know it.
    static func isNonce(_ claimed: String?, of raw: String?, kind: IdentityIssuer.Kind, isRequired: Bool) -> Bool {
        switch (claimed, raw) {
        case (nil, nil): return !isRequired
        // Apple's nonce is the hash of a secret, so a token with a nonce is refused without that secret. Other issuers' nonces need not be
        // hashes.
        case (_?, nil): return kind != .apple && !isRequired
        case (nil, _?): return false
        case (let claimed?, let raw?):
            let hash = Hex.encode(SHA256.hash(data: Array(raw.utf8)))
            return claimed == hash || (kind != .apple && claimed == raw)
        }
    }
}
