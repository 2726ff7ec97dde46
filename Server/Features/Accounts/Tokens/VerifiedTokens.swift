internal import Core
internal import Crypto
internal import Synchronization

/// Caches tokens with a verified signature, so that later requests skip the signature check, which takes a tenth of the time of a list's
/// page. Only the signature is cached: every request still checks the key, the token's times and its session.
final class VerifiedTokens: Sendable {
    struct Token: Sendable {
        let kid: String
        let claims: AccessClaims
    }

    /// About 5 MB when full. Then expired tokens are evicted; if there are none, all of them.
    static let limit = 10_000

    private let known = Mutex<[SHA256.Digest: Token]>([:])

    func token(_ text: String) -> Token? {
        let hash = Self.hash(text)
        return known.withLock { $0[hash] }
    }

    func keep(_ token: Token, for text: String, at now: Timestamp) {
        let hash = Self.hash(text)
        known.withLock { known in
            if known.count >= Self.limit { known = known.filter { now.seconds < $0.value.claims.exp } }
            if known.count >= Self.limit { known = [:] }
            known[hash] = token
        }
    }

    var count: Int { known.withLock { $0.count } }

    /// The hash and not the text: a token should not stay in memory longer than its request.
    private static func hash(_ text: String) -> SHA256.Digest { SHA256.hash(data: Array(text.utf8)) }
}
