internal import Core
internal import JWTKit

/// The claims of an access token (RFC 9068 §2.2). Times are whole seconds since 1970.
struct AccessClaims: JWTPayload, Equatable {
    static let audience = "keepsake"
    /// Accepted difference between the clocks of two nodes.
    static let leeway = Duration.seconds(60)

    var iss: String
    /// Always a string. A token with an array, which RFC 7519 also allows, is not ours.
    var aud: String
    /// The account's id.
    var sub: String
    /// The session's id.
    var sid: String
    var iat: Int64
    var exp: Int64
    var jti: String

    // The library would use the system's clock here. `AccessTokens` calls `check` with the injected clock instead.
    func verify(using algorithm: some JWTAlgorithm) {}

    enum Fault: Error, Equatable {
        case notOurs, expired
    }

    /// `exp` has no leeway: the token expires when the client was told it would. `iat` has some, because another node may have issued the
    /// token.
    func check(issuer: String, now: Timestamp) throws(Fault) {
        guard iss == issuer, aud == Self.audience, !sub.isEmpty, !sid.isEmpty else { throw .notOurs }
        guard iat <= (now + Self.leeway).seconds, iat < exp else { throw .notOurs }
        guard now.seconds < exp else { throw .expired }
    }
}
