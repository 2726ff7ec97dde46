import Crypto

/// Signs what we hand out and later want back unchanged: links, cursors. HMAC-SHA256 under one key,
/// with a purpose in front so that a seal made for one use is worth nothing for another.
package struct Seal: Sendable, CustomStringConvertible {
    private let key: SymmetricKey

    /// - Parameter key: 32 bytes or more, kept by the server.
    package init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// The first 16 bytes of the HMAC: 128 bits, which is beyond guessing over a network.
    package func sign(_ parts: [String], purpose: String) -> [UInt8] {
        Array(code(parts, purpose).prefix(16))
    }

    /// Compares in constant time.
    package func isGenuine(_ signature: [UInt8], of parts: [String], purpose: String) -> Bool {
        let expected = sign(parts, purpose: purpose)
        guard signature.count == expected.count else { return false }
        return zip(signature, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// All 32 bytes, where the result is itself a secret.
    package func derive(_ parts: [String], purpose: String) -> [UInt8] { Array(code(parts, purpose)) }

    private func code(_ parts: [String], _ purpose: String) -> HMAC<SHA256>.MAC {
        var mac = HMAC<SHA256>(key: key)
        // Lengths in front: ("ab", "c") and ("a", "bc") must not sign alike.
        for part in [purpose] + parts {
            withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { mac.update(data: $0) }
            mac.update(data: Array(part.utf8))
        }
        return mac.finalize()
    }

    package var description: String { "•••" }
}
