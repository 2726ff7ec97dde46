internal import Core
internal import JWTKit

/// What an access token says (RFC 9068 §2.2). Times are whole seconds since 1970.
struct AccessClaims: JWTPayload, Equatable {
    static let audience = "keepsake"
    /// How far the clocks of two nodes may be apart.
    static let leeway = Duration.seconds(60)

    var iss: String
    /// Always one text: a list, which RFC 7519 allows too, is none of ours.
    var aud: String
    /// The account's id.
    var sub: String
    /// The session's id.
    var sid: String
    var iat: Int64
    var exp: Int64
    var jti: String

    // The library would ask the system's clock here. `check` is called instead, right after.
    func verify(using algorithm: some JWTAlgorithm) {}

    enum Fault: Error, Equatable {
        case notOurs, expired
    }

    /// No leeway for `exp`: the token ends when its owner was told it would. `iat` has one, as another node may have issued it.
    func check(issuer: String, now: Timestamp) throws(Fault) {
        guard iss == issuer, aud == Self.audience, !sub.isEmpty, !sid.isEmpty else { throw .notOurs }
        guard iat <= (now + Self.leeway).seconds, iat < exp else { throw .notOurs }
        guard now.seconds < exp else { throw .expired }
    }
}
