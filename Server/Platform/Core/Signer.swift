import Crypto

/// Signs values that the server hands out and later accepts back unchanged, such as links and cursors. HMAC-SHA256 with one key. Each
/// message begins with a purpose, so that a signature made for one use is invalid for any other.
///
/// This type computes the HMAC's two hashes (RFC 2104) with the library's SHA-256. The library's own HMAC is generic: called from another
/// module it runs through witness tables, which takes longer than the hashing. A page of a list needs fifty signatures.
package struct Signer: Sendable, CustomStringConvertible {
    /// Both hashers have hashed the key and nothing else. Each signature continues from copies of them.
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: the server's secret key, 32 bytes or more.
    package init(key: [UInt8]) {
        // RFC 2104 hashes a key that is longer than a block, and pads a shorter one with zeros.
        var block = key.count > SHA256.blockByteCount ? Array(SHA256.hash(data: key)) : key
        block += [UInt8](repeating: 0, count: SHA256.blockByteCount - block.count)
        inner = Self.hasher(block.map { $0 ^ 0x36 })
        outer = Self.hasher(block.map { $0 ^ 0x5C })
    }

    private init(inner: SHA256, outer: SHA256) {
        self.inner = inner
        self.outer = outer
    }

    /// A signer for messages that all begin with `beginning`. Pass it only what follows the beginning.
    package func following(_ beginning: some Sequence<UInt8>) -> Signer {
        var inner = inner
        Array(beginning).withUnsafeBytes { inner.update(bufferPointer: $0) }
        return Signer(inner: inner, outer: outer)
    }

    /// The first 16 bytes of the HMAC: nobody guesses 128 bits over a network.
    package func sign(_ parts: [String], purpose: String) -> [UInt8] {
        Self.message(parts, purpose: purpose).withUnsafeBytes { message in
            code(message).withUnsafeBytes { Array($0[..<Self.byteCount]) }
        }
    }

    /// Signs a `message` that `message(_:purpose:)` made, and writes the signature in Base64URL.
    /// - Parameter letters: a buffer of 22 bytes.
    package func sign(_ message: UnsafeRawBufferPointer, base64URL letters: UnsafeMutableBufferPointer<UInt8>) {
        code(message).withUnsafeBytes { code in
            _ = Base64URL.encode(UnsafeRawBufferPointer(rebasing: code[..<Self.byteCount]), into: letters)
        }
    }

    /// Compares in constant time.
    package func isGenuine(_ signature: [UInt8], of parts: [String], purpose: String) -> Bool {
        let expected = sign(parts, purpose: purpose)
        guard signature.count == expected.count else { return false }
        return zip(signature, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// All 32 bytes of the HMAC, for a result that is itself a secret.
    package func derive(_ parts: [String], purpose: String) -> [UInt8] {
        Self.message(parts, purpose: purpose).withUnsafeBytes { Array(code($0)) }
    }

    package static let byteCount = 16

    /// The bytes that are signed for `parts`.
    package static func message(_ parts: [String], purpose: String) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(256)
        append(purpose, to: &message)
        for part in parts { append(part, to: &message) }
        return message
    }

    private func code(_ message: UnsafeRawBufferPointer) -> SHA256.Digest {
        var inner = inner
        inner.update(bufferPointer: message)
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }

    private static func hasher(_ block: [UInt8]) -> SHA256 {
        var hasher = SHA256()
        block.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        return hasher
    }

    /// Each part is preceded by its length: ("ab", "c") and ("a", "bc") must have different signatures.
    private static func append(_ part: String, to message: inout [UInt8]) {
        var part = part
        part.withUTF8 { part in
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { message.append(contentsOf: $0) }
            message.append(contentsOf: part)
        }
    }

    package var description: String { "•••" }
}
