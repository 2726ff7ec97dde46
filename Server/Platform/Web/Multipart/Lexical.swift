/// Classes of bytes in header fields.
enum Lexical {
    static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// RFC 9110 §5.5: a value contains no control character except the tab.
    static func isForbiddenInValue(_ byte: UInt8) -> Bool { byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F }

    /// RFC 2045 §5.1 `token`: printable ASCII except the tspecials.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x7E: !tspecials.contains(byte)
        default: false
        }
    }

    private static let tspecials = Array("()<>@,;:\\\"/[]?=".utf8)

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }
}
