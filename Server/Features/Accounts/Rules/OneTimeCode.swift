internal import Core
internal import Crypto
internal import Foundation

/// A single-use code that a person types or pastes: 100 random bits in Crockford's base 32, which has no easily confused letters, as
/// `K7QF2-9XM4T-0HSBW-3ZE8N`.
struct OneTimeCode: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 20

    private let letters: String

    /// Makes a code from 100 bits of `bytes`.
    /// - Parameter bytes: at least 13, unpredictable.
    init(bytes: [UInt8]) {
        var (pool, bits, letters) = (0, 0, "")
        for byte in bytes {
            pool = pool << 8 | Int(byte)
            bits += 8
            while bits >= 5, letters.count < Self.length {
                bits -= 5
                letters.append(Self.letters[pool >> bits & 31])
            }
            pool &= 31
        }
        precondition(letters.count == Self.length, "a code needs 13 bytes")
        self.letters = letters
    }

    init(entropy: Entropy) { self.init(bytes: entropy.bytes(13)) }

    /// Parses what people type: in either case, with or without dashes and spaces, O for 0, I or L for 1.
    /// - Returns: `nil` for a text that cannot be a code.
    init?(presented text: String) {
        guard text.utf8.count <= 100 else { return nil }
        var letters = ""
        for character in text.uppercased() where character != "-" && !character.isWhitespace {
            let letter: Character =
                switch character {
                case "O": "0"
                case "I", "L": "1"
                default: character
                }
            guard Self.letters.contains(letter) else { return nil }
            letters.append(letter)
        }
        guard letters.count == Self.length else { return nil }
        self.letters = letters
    }

    /// The code in groups of five.
    var text: String {
        stride(from: 0, to: Self.length, by: 5).map { String(letters.dropFirst($0).prefix(5)) }.joined(separator: "-")
    }

    /// The only part of a code that is stored. One round of SHA-256 is enough: 100 random bits cannot be guessed by brute force.
    var hash: String { Base64URL.encode(SHA256.hash(data: Array(letters.utf8))) }

    /// A hash of the code and a text. Whoever does not hold the code cannot verify guesses at the text.
    func hash(with text: String) -> String { Base64URL.encode(SHA256.hash(data: Array("\(letters) \(text)".utf8))) }

    var description: String { "•••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
