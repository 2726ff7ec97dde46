/// Validates UTF-8 (RFC 3629 §4) in chunks, which may end in the middle of a character. Reports invalid bytes as early as possible.
struct UTF8Validator: Sendable {
    /// Bytes of the current character still to come.
    private var missing = 0
    /// The allowed range of the next byte. It is narrower after some first bytes, to exclude overlong forms, surrogates and values above
    /// U+10FFFF.
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the last character is complete.
    var isComplete: Bool { missing == 0 }

    /// - Returns: `false` as soon as the bytes cannot be the start of a valid text.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                // Most text is ASCII, so skip ASCII eight bytes at a time.
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                { index += 8 }
                guard index < bytes.count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                guard range.contains(bytes[index]) else { return false }
                missing -= 1
                range = 0x80...0xBF
            }
            index += 1
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, range) = (2, 0xA0...0xBF)
        case 0xED: (missing, range) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, range) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, range) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
