internal import Core
internal import Foundation
internal import JWTKit

/// Issues access tokens and reads them: JWTs in RFC 9068's profile, ES256 and nothing else, good for an hour.
struct AccessTokens: Sendable {
    struct Issued: Sendable {
        let text: Secret<String>
        let expiresAt: Timestamp
    }

    /// Ours have some 500 bytes. What is longer is refused before anything is decoded.
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

    /// Everything about a token that can be told without asking who it belongs to.
    /// - Throws: `.unauthenticated` unless it is one of ours and not over; whatever the store throws when keys have to be read.
    func verify(_ text: String) async throws -> AccessClaims {
        guard text.utf8.count <= Self.maxByteCount else { throw Self.notOurs }
        let known = verified.token(text)
        guard let kid = known?.kid ?? Self.kid(of: text) else { throw Self.notOurs }
        let loaded = if let ready = keys.loaded(having: kid) { ready } else { try await keys.keys(having: kid) }
        // Here and not in the library, which tries some other key for a `kid` it does not know.
        guard loaded.ring.key(kid, at: clock.now) != nil else { throw Self.notOurs }
        let claims: AccessClaims
        if let known {
            claims = known.claims
        } else {
            do {
                claims = try await loaded.signers.exposed.verify(text, as: AccessClaims.self)
            } catch {
                // Not forwarded: the library's errors quote what was sent.
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

    static let notOurs = Problem(.unauthenticated, "The access token is not valid.")

    /// The key a token names, if it is shaped exactly like those we issue. The library looks at neither `alg` nor `typ` nor `crit`, and
    /// reads base64 loosely.
    private static func kid(of text: String) -> String? {
        let segments = text.split(separator: ".", omittingEmptySubsequences: false).map { Base64URL.decode($0) }
        guard segments.count == 3, let first = segments[0], segments[1] != nil, segments[2]?.count == 64,
            let header = try? JSONDecoder().decode(Header.self, from: Data(first)),
            header.alg == algorithm, header.typ == type, !header.isCritical
        else { return nil }
        return header.kid
    }

    /// True when its header has our type somewhere: enough to tell it from others', and not that it is ours.
    static func isOfOurType(_ text: String) -> Bool {
        guard text.utf8.count <= maxByteCount, let header = Base64URL.decode(text.prefix { $0 != "." }) else { return false }
        return header.contains(Array(type.utf8))
    }

    /// The part of a header that is acted upon. Keys a header brings along (`jwk`, `jku`, `x5c`, `x5u`) are not even read.
    private struct Header: Decodable {
        let alg: String
        let typ: String
        let kid: String
        /// RFC 7515 §4.1.11: who does not understand what is critical must refuse. We understand nothing but the plain header.
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
