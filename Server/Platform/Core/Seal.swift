import Crypto

/// Signs what we hand out and later want back unchanged: links, cursors. HMAC-SHA256 under one key,
/// with a purpose in front so that a seal made for one use is worth nothing for another.
///
/// The two halves of an HMAC (RFC 2104), each of the library's SHA-256: the library's own HMAC is generic, and from another module every
/// step of it goes through witness tables, which takes longer than hashing does. A page of a list is signed fifty times.
package struct Seal: Sendable, CustomStringConvertible {
    /// Have read the key and nothing else: each seal goes on from copies.
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: 32 bytes or more, kept by the server.
    package init(key: [UInt8]) {
        // A longer key is hashed to be no longer than a block, a shorter one is filled up with zeros.
        var block = key.count > SHA256.blockByteCount ? Array(SHA256.hash(data: key)) : key
        block += [UInt8](repeating: 0, count: SHA256.blockByteCount - block.count)
        inner = Self.hasher(block.map { $0 ^ 0x36 })
        outer = Self.hasher(block.map { $0 ^ 0x5C })
    }

    private init(inner: SHA256, outer: SHA256) {
        self.inner = inner
        self.outer = outer
    }

    /// This seal for messages that all begin with `beginning`: it signs what comes after.
    package func following(_ beginning: some Sequence<UInt8>) -> Seal {
        var inner = inner
        Array(beginning).withUnsafeBytes { inner.update(bufferPointer: $0) }
        return Seal(inner: inner, outer: outer)
    }

    /// The first 16 bytes of the HMAC: 128 bits, which is beyond guessing over a network.
    package func sign(_ parts: [String], purpose: String) -> [UInt8] {
        Self.message(parts, purpose: purpose).withUnsafeBytes { message in
            code(message).withUnsafeBytes { Array($0[..<Self.byteCount]) }
        }
    }

    /// As the other, of a `message` that was put together before, written in base 64.
    /// - Parameter letters: 22.
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

    /// All 32 bytes, where the result is itself a secret.
    package func derive(_ parts: [String], purpose: String) -> [UInt8] {
        Self.message(parts, purpose: purpose).withUnsafeBytes { Array(code($0)) }
    }

    package static let byteCount = 16

    /// What is signed for `parts`.
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

    /// The length in front: ("ab", "c") and ("a", "bc") must not sign alike.
    private static func append(_ part: String, to message: inout [UInt8]) {
        var part = part
        part.withUTF8 { part in
            withUnsafeBytes(of: UInt64(part.count).littleEndian) { message.append(contentsOf: $0) }
            message.append(contentsOf: part)
        }
    }

    package var description: String { "•••" }
}
