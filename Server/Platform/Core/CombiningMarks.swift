/// Combining marks: accents and other signs that belong to the letter before them.
///
/// To compare or hash a string, Swift sorts the marks of each letter, in a time that grows with the square of their number: 32,000 marks in
/// a row take almost a second. Foundation's normalisation does the same. So the server refuses a text with more than `limit` marks in a row
/// before it compares, hashes or normalises it. The check takes linear time.
package enum CombiningMarks {
    /// The most marks that a text may have in a row: the limit of stream-safe text (Unicode Standard Annex 15 §13). No language needs as
    /// many.
    package static let limit = 30

    /// - Parameter text: UTF-8. A malformed byte counts as a letter.
    package static func areTooMany(in text: UnsafeRawBufferPointer) -> Bool { areTooMany(in: text, isJSON: false) }

    package static func areTooMany(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { areTooMany(in: UnsafeRawBufferPointer($0)) }
    }

    /// Also counts the marks that are percent-encoded.
    package static func areTooMany(inPercentEncoded text: UnsafeRawBufferPointer) -> Bool {
        let percent = UInt8(ascii: "%")
        guard text.contains(percent) else { return areTooMany(in: text) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == percent, index + 2 < text.count, let high = Hex.value(of: text[index + 1]),
                let low = Hex.value(of: text[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(text[index])
                index += 1
            }
        }
        return decoded.withUnsafeBytes { areTooMany(in: $0) }
    }

    package static func areTooMany(inPercentEncoded text: String) -> Bool {
        var text = text
        return text.withUTF8 { areTooMany(inPercentEncoded: UnsafeRawBufferPointer($0)) }
    }

    /// Also counts the marks that are escaped, as in `\u0301`.
    static func areTooMany(inJSON text: UnsafeRawBufferPointer) -> Bool { areTooMany(in: text, isJSON: true) }

    /// Removes the marks after the thirtieth in a row. For texts that no client sent, such as those in files, and for stored texts.
    package static func bounded(_ text: String) -> String {
        guard areTooMany(in: text) else { return text }
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count = isMark(scalar.value) ? count + 1 : 0
            if count <= limit { kept.append(scalar) }
        }
        return String(kept)
    }

    /// - Parameters:
    ///   - what: the beginning of the message, which names what has too many marks.
    ///   - field: the request's field that contains them.
    package static func problem(in what: String, field: String? = nil) -> Problem {
        Problem(.invalid, "\(what) has more than \(limit) combining marks in a row.", field: field)
    }

    // MARK: Scanning

    private static func areTooMany(in text: UnsafeRawBufferPointer, isJSON: Bool) -> Bool {
        let backslash = UInt8(ascii: "\\")
        var count = 0
        var index = 0
        while index < text.count {
            // Most texts are ASCII without escapes, and such texts have no marks. So the scan skips eight ASCII bytes at a time.
            if index + 8 <= text.count {
                let bytes = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if bytes & 0x8080_8080_8080_8080 == 0, !isJSON || !hasBackslash(bytes) {
                    count = 0
                    index += 8
                    continue
                }
            }
            let byte = text[index]
            let next: (value: UInt32, length: Int)
            if byte >= 0x80 {
                next = scalar(in: text, at: index)
            } else if isJSON && byte == backslash {
                next = escape(in: text, at: index)
            } else {
                next = (UInt32(byte), 1)
            }
            index += next.length
            count = isMark(next.value) ? count + 1 : 0
            if count > limit { return true }
        }
        return false
    }

    /// Whether one of eight ASCII bytes is a backslash. The exclusive or turns a backslash into a zero byte; the second line tests for one.
    private static func hasBackslash(_ bytes: UInt64) -> Bool {
        let different = bytes ^ 0x5C5C_5C5C_5C5C_5C5C
        return (different &- 0x0101_0101_0101_0101) & ~different & 0x8080_8080_8080_8080 != 0
    }

    /// The scalar that begins at `index`, and its length in bytes. A malformed byte is the scalar 0 with length 1.
    private static func scalar(in text: UnsafeRawBufferPointer, at index: Int) -> (value: UInt32, length: Int) {
        let first = text[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
        guard length > 1, index + length <= text.count else { return (0, 1) }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let byte = text[index + offset]
            guard byte & 0xC0 == 0x80 else { return (0, 1) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (value, length)
    }

    /// The character that JSON escapes at `index` (RFC 8259 §7), and the length of the escape in bytes. For an escape other than `\uXXXX`,
    /// which is never a mark, the character is 0.
    private static func escape(in text: UnsafeRawBufferPointer, at index: Int) -> (value: UInt32, length: Int) {
        guard let first = codeUnit(in: text, at: index) else { return (0, 2) }
        // The two halves of a surrogate pair.
        guard first & 0xFC00 == 0xD800, let second = codeUnit(in: text, at: index + 6), second & 0xFC00 == 0xDC00 else { return (first, 6) }
        return (0x1_0000 + ((first & 0x3FF) << 10) + (second & 0x3FF), 12)
    }

    /// The value of `\uXXXX` at `start`; `nil` when something else is there.
    private static func codeUnit(in text: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
        guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else { return nil }
        var value: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = Hex.value(of: text[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    static func isMark(_ value: UInt32) -> Bool {
        switch value {
        case ..<0x300: false
        case ..<tableEnd: table[Int(value / 64)] >> (value % 64) & 1 == 1
        // Variation selectors are the only marks after the table.
        default: (0xE_0100...0xE_01EF).contains(value)
        }
    }

    private static let tableEnd: UInt32 = 0x2_0000

    /// A bit for each scalar below `tableEnd`. Looking up the properties of each letter would take the event loop half a millisecond for a
    /// head of 15 KB.
    private static let table: [UInt64] = (0..<tableEnd / 64).map { word in
        (0..<64).reduce(0) { bits, bit in hasMarkProperties(word * 64 + bit) ? bits | 1 << UInt64(bit) : bits }
    }

    static func hasMarkProperties(_ value: UInt32) -> Bool {
        // The voiced sound marks of halfwidth Katakana: compatibility normalisation turns them into combining marks.
        if value == 0xFF9E || value == 0xFF9F { return true }
        guard let properties = Unicode.Scalar(value)?.properties else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return properties.canonicalCombiningClass != .notReordered
        }
    }
}
