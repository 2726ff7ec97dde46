internal import Core
internal import Crypto
internal import Synchronization

/// Tokens whose signature was found genuine, so that the next request with one is spared the curve's arithmetic, a tenth of what a page
/// of a list costs. Only what cannot change is kept: whether the key is still accepted, the token's time and its session are asked anew.
final class VerifiedTokens: Sendable {
    struct Token: Sendable {
        let kid: String
        let claims: AccessClaims
    }

    /// Some 5 MB when full. Then those that are over go, and if there are none, all.
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

    /// Not the text itself: a token is not to lie about in memory for longer than its request.
    private static func hash(_ text: String) -> SHA256.Digest { SHA256.hash(data: Array(text.utf8)) }
}
