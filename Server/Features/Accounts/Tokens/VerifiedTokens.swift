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

    /// The most tokens in the cache, about 5 MB. When it is full, the cache evicts expired tokens; if none has expired, it evicts all
    /// tokens.
    static let limit = 10_000

    private struct Known {
        var tokens: [SHA256.Digest: (token: Token, form: Int)] = [:]
        /// Swift's hashes of the tokens' texts, seeded at random for each process.
        var forms: Set<Int> = []
    }

    private let known = Mutex(Known())

    func token(_ text: String) -> Token? {
        let hash = Self.hash(text)
        return known.withLock { $0.tokens[hash]?.token }
    }

    /// Whether a token of this text was kept: a cheap check before `token`, which decides. Two texts may share the hash, so this may be
    /// true for a text that was never kept.
    func mayHave(_ text: String) -> Bool {
        let form = text.hashValue
        return known.withLock { $0.forms.contains(form) }
    }

    func keep(_ token: Token, for text: String, at now: Timestamp) {
        let (hash, form) = (Self.hash(text), text.hashValue)
        known.withLock { known in
            if known.tokens.count >= Self.limit {
                known.tokens = known.tokens.filter { now.seconds < $0.value.token.claims.exp }
                if known.tokens.count >= Self.limit { known.tokens = [:] }
                known.forms = Set(known.tokens.values.map { $0.form })
            }
            known.tokens[hash] = (token, form)
            known.forms.insert(form)
        }
    }

    var count: Int { known.withLock { $0.tokens.count } }

    /// The cache stores this hash and not the text, because a token should not stay in memory longer than its request.
    private static func hash(_ text: String) -> SHA256.Digest { SHA256.hash(data: Array(text.utf8)) }
}
