internal import Core
internal import Crypto

/// An opaque text that is good for one new access token: 256 random bits in base64url.
struct RefreshToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    static let byteCount = 32

    let text: String

    /// The first of a family.
    init(entropy: Entropy) { text = Base64URL.encode(entropy.bytes(Self.byteCount)) }

    private init(bytes: [UInt8]) { text = Base64URL.encode(bytes) }

    /// - Returns: `nil` when the text is not shaped like one of ours, and so cannot be known.
    init?(presented text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        self.text = text
    }

    /// All that is stored of a token. One round of SHA-256 is enough: 256 random bits cannot be guessed through.
    var hash: String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }

    /// The token that follows. Made of this one and a key of the server, so that presenting this one again gives the same
    /// answer although neither is stored.
    func successor(_ seal: Seal) -> RefreshToken { RefreshToken(bytes: seal.derive([text], purpose: "refresh token successor")) }

    var description: String { "•••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
