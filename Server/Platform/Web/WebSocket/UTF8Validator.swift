/// Tells as early as possible that bytes are not UTF-8 (RFC 3629 §4), wherever a text is cut: in the middle of a character as well.
struct UTF8Validator: Sendable {
    /// Bytes of the current character still to come.
    private var missing = 0
    /// Where the next of them must lie. Narrower after a few first bytes: overlong forms, surrogates and what lies beyond U+10FFFF.
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether no character is open.
    var isComplete: Bool { missing == 0 }

    /// - Returns: `false` as soon as no text begins like this.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                // Most text is ASCII: eight bytes at a time.
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
