internal import Core
internal import Foundation
internal import JWTKit

/// Issues and verifies access tokens: JWTs with RFC 9068's profile, ES256 only, valid for an hour.
struct AccessTokens: Sendable {
    struct Issued: Sendable {
        let text: Secret<String>
        let expiresAt: Timestamp
    }

    /// The longest accepted token. Our tokens have about 500 bytes. A text above this limit is refused before it is decoded.
    static let maxByteCount = 2_048
    static let type = "at+jwt"
    static let algorithm = "ES256"

    let keys: SigningKeys
    let issuer: @Sendable () -> String
    let clock: WallClock
    let entropy: Entropy
    let verified = VerifiedTokens()

    func issue(account: String, session: String) async throws -> Issued {
        let loaded = try await keys.current()
        let now = clock.now
        guard let key = loaded.ring.signer(at: now) else { throw Problem(.fault, "There is no key to sign with.") }
        let claims = AccessClaims(
            iss: issuer(), aud: AccessClaims.audience, sub: account, sid: session, iat: now.seconds,
            exp: now.seconds + SessionRules.accessLifetime.components.seconds, jti: Base64URL.encode(entropy.bytes(16)))
        let header: JWTHeader = ["typ": .string(Self.type), "alg": .string(Self.algorithm)]
        let text = try await loaded.signers.exposed.sign(claims, kid: JWKIdentifier(string: key.kid), header: header)
        return Issued(text: Secret(text), expiresAt: Timestamp(seconds: claims.exp))
    }

    /// Verifies what a token itself proves. It does not check whether the session is live.
    /// - Throws: `.unauthenticated` unless this server issued the token and it has not expired; the store's errors when keys must be read.
    func verify(_ text: String) async throws -> AccessClaims {
        guard text.utf8.count <= Self.maxByteCount else { throw Self.notOurs }
        let known = verified.token(text)
        guard let kid = known?.kid ?? Self.kid(of: text) else { throw Self.notOurs }
        let loaded = if let ready = keys.loaded(having: kid) { ready } else { try await keys.keys(having: kid) }
        // The key is looked up here, because the library tries another key for an unknown `kid`.
        guard loaded.ring.key(kid, at: clock.now) != nil else { throw Self.notOurs }
        let claims: AccessClaims
        if let known {
            claims = known.claims
        } else {
            do {
                claims = try await loaded.signers.exposed.verify(text, as: AccessClaims.self)
            } catch {
                // The library's error is not passed on: it quotes the token.
                throw Self.notOurs
            }
            verified.keep(VerifiedTokens.Token(kid: kid, claims: claims), for: text, at: clock.now)
        }
        do {
            try claims.check(issuer: issuer(), now: clock.now)
        } catch {
            switch error {
            case .notOurs: throw Self.notOurs
            case .expired: throw Problem(.unauthenticated, "The access token has expired.")
            }
        }
        return claims
    }

    /// Whether the text has the form of our tokens, or is one that was verified before. It does not prove that we issued it. `verify` decides.
    func hasForm(_ text: String) -> Bool {
        text.utf8.count <= Self.maxByteCount && (verified.mayHave(text) || Self.kid(of: text) != nil)
    }

    static let notOurs = Problem(.unauthenticated, "The access token is not valid.")

    /// The most letters of a token's header. Ours have about 110.
    private static let maxHeaderLength = 256

    /// The `kid` of a token that has exactly the form of ours. This checks the form itself, because the library ignores `alg`, `typ` and
    /// `crit` and decodes base64 leniently.
    private static func kid(of text: String) -> String? {
        let encoded = text.split(separator: ".", omittingEmptySubsequences: false)
        // A longer header could have a member whose name takes long to compare (`CombiningMarks`). Base64 hides it from the check of the head.
        guard encoded.count == 3, encoded[0].utf8.count <= maxHeaderLength else { return nil }
        let segments = encoded.map { Base64URL.decode($0) }
        guard let first = segments[0], segments[1] != nil, segments[2]?.count == 64,
            let header = try? JSONDecoder().decode(Header.self, from: Data(first)),
            header.alg == algorithm, header.typ == type, !header.isCritical
        else { return nil }
        return header.kid
    }

    /// Whether the header contains our type anywhere. This distinguishes our tokens from identity tokens; it does not prove that we issued
    /// one.
    static func isOfOurType(_ text: String) -> Bool {
        guard text.utf8.count <= maxByteCount, let header = Base64URL.decode(text.prefix { $0 != "." }) else { return false }
        return header.contains(Array(type.utf8))
    }

    /// The header members that are used. Keys that a header embeds or links to (`jwk`, `jku`, `x5c`, `x5u`) are not read.
    private struct Header: Decodable {
        let alg: String
        let typ: String
        let kid: String
        /// RFC 7515 §4.1.11: a reader that does not understand a critical member must refuse it. We understand none.
        let isCritical: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try container.decode(String.self, forKey: .alg)
            typ = try container.decode(String.self, forKey: .typ)
            kid = try container.decode(String.self, forKey: .kid)
            isCritical = container.contains(.crit)
        }

        private enum CodingKeys: CodingKey { case alg, typ, kid, crit }
    }
}
