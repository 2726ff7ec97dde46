/// Lower-case hexadecimal.
package enum Hex {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String { text(of: Array(bytes)) }

    // This function is not generic, for the reason that `Base64URL` states.
    private static func text(of bytes: [UInt8]) -> String {
        func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10 }
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
            for (index, byte) in bytes.enumerated() {
                digits[2 * index] = digit(byte >> 4)
                digits[2 * index + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    /// - Returns: 0...15; `nil` for a character that is not a hexadecimal digit of either case.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// - Returns: `nil` if the length is odd, or if a character is not a hexadecimal digit of either case.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var nibbles: [UInt8] = []
        for digit in text.utf8 {
            guard let nibble = value(of: digit) else { return nil }
            nibbles.append(nibble)
        }
        guard nibbles.count % 2 == 0 else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}

/// Base 64 with `-` and `_` and without padding (RFC 4648 §5).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8?] = {
        var table = [UInt8?](repeating: nil, count: 256)
        for (value, c) in alphabet.enumerated() { table[Int(c)] = UInt8(value) }
        return table
    }()

    package static func encode(_ bytes: some Sequence<UInt8>) -> String { text(of: Array(bytes)) }

    // This function is not generic: when another module calls generic code, it runs unspecialised, byte by byte through witness tables.
    private static func text(of bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { letters in
            bytes.withUnsafeBytes { encode($0, into: letters) }
        }
    }

    /// - Parameter letters: a buffer of at least four bytes for every three of `bytes`, rounded up.
    /// - Returns: how many letters were written.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into letters: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let alphabet = alphabet
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        var end = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                letters[end] = alphabet[Int(bits >> bitCount & 63)]
                end += 1
            }
        }
        if bitCount > 0 {
            letters[end] = alphabet[Int(bits << (6 - bitCount) & 63)]
            end += 1
        }
        return end
    }

    /// - Returns: `nil` for padding, a letter outside the alphabet, an impossible length, or leftover bits that are not zero. So each value
    ///   has only one spelling.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { bytes(of: Array(text.utf8)) }

    private static func bytes(of letters: [UInt8]) -> [UInt8]? {
        let values = values
        var out: [UInt8] = []
        out.reserveCapacity(letters.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for c in letters {
            guard let value = values[Int(c)] else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard count < 6, bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return out
    }
}
