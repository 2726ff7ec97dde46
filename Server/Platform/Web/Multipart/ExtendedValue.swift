/// `UTF-8'en'%e2%82%ac%20rates`: the encoding of non-ASCII text in `filename*` (RFC 8187 §3.2).
enum ExtendedValue {
    /// - Parameter refusal: the error for a malformed value and for a charset other than UTF-8 and ISO-8859-1.
    /// - Throws: `refusal`; `.invalidText` for invalid UTF-8 and for NUL.
    static func decode(_ text: String, refusal: MultipartError) throws -> String {
        let pieces = Array(text.utf8).split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        guard pieces.count == 3, pieces[1].allSatisfy(isLanguage) else { throw refusal }
        let bytes = try percentDecoded(pieces[2], refusal: refusal)
        guard !bytes.contains(0) else { throw MultipartError.invalidText }
        switch String(decoding: pieces[0], as: UTF8.self).lowercased() {
        case "utf-8":
            guard let decoded = String(validating: bytes, as: UTF8.self) else { throw MultipartError.invalidText }
            return decoded
        case "iso-8859-1":
            // Latin-1 is the first 256 code points of Unicode.
            var scalars = String.UnicodeScalarView()
            for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
            return String(scalars)
        default:
            throw refusal
        }
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>, refusal: MultipartError) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else { throw refusal }
                bytes.append(high << 4 | low)
            } else {
                guard isAttributeCharacter(byte) else { throw refusal }
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// RFC 8187 §3.2.1 `attr-char`: a token's characters except `*`, `'` and `%`, and except the braces, which RFC 9110 excludes from
    /// tokens.
    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: "%"), UInt8(ascii: "{"), UInt8(ascii: "}"): false
        default: Lexical.isToken(byte)
        }
    }

    /// Letters, digits and dashes (RFC 5646). The server ignores the language itself.
    private static func isLanguage(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
        default: false
        }
    }
}
