internal import Core
internal import Crypto

/// An opaque text that a client exchanges once for new tokens: 256 random bits in base64url.
struct RefreshToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    static let byteCount = 32

    let text: String

    /// Creates the first token of a family. A family is all refresh tokens of one session; each is the successor of the one before.
    init(entropy: Entropy) { text = Base64URL.encode(entropy.bytes(Self.byteCount)) }

    private init(bytes: [UInt8]) { text = Base64URL.encode(bytes) }

    /// - Returns: `nil` when the text does not have the form of a refresh token.
    init?(presented text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        self.text = text
    }

    /// The only part of a token that is stored. One round of SHA-256 is enough: 256 random bits cannot be guessed by brute force.
    var hash: String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }

    /// The next token of the family. It is derived from this one and a secret of the server, so that a repeated request gets the same
    /// response although neither token is stored.
    func successor(_ signer: Signer) -> RefreshToken { RefreshToken(bytes: signer.derive([text], purpose: "refresh token successor")) }

    var description: String { "•••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
