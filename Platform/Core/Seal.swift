import Crypto

/// Signs what we hand out and later want back unchanged: links, cursors. HMAC-SHA256 under one key,
/// with a purpose in front so that a seal made for one use is worth nothing for another.
package struct Seal: Sendable, CustomStringConvertible {
    /// Has read the key and nothing else: each seal goes on from a copy. A page of a list is signed fifty times.
    private let keyed: HMAC<SHA256>

    /// - Parameter key: 32 bytes or more, kept by the server.
    package init(key: [UInt8]) { keyed = HMAC<SHA256>(key: SymmetricKey(data: key)) }

    /// The first 16 bytes of the HMAC: 128 bits, which is beyond guessing over a network.
    package func sign(_ parts: [String], purpose: String) -> [UInt8] {
        code(parts, purpose).withUnsafeBytes { Array($0.prefix(16)) }
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
        var message: [UInt8] = []
        message.reserveCapacity(256)
        Self.append(purpose, to: &message)
        for part in parts { Self.append(part, to: &message) }
        var mac = keyed
        mac.update(data: message)
        return mac.finalize()
    }

    /// The length in front: ("ab", "c") and ("a", "bc") must not sign alike.
    private static func append(_ part: String, to message: inout [UInt8]) {
        withUnsafeBytes(of: UInt64(part.utf8.count).littleEndian) { message.append(contentsOf: $0) }
        message.append(contentsOf: part.utf8)
    }

    package var description: String { "•••" }
}
