import Core
import Crypto

/// The secret in the link of a calendar feed: 256 random bits.
struct CalendarToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// 43 characters of base64url, as in the link.
    let text: String

    init(entropy: Entropy) { text = Base64URL.encode(entropy.bytes(32)) }

    /// - Returns: `nil` for a text that is not a token.
    init?(_ text: String) {
        guard text.utf8.count == 43 else { return nil }
        self.text = text
    }

    /// The only part that is stored. One round of SHA-256 is enough, because nobody can guess 256 random bits.
    var hash: String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }

    var description: String { "•••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
