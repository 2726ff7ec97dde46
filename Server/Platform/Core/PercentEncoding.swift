/// Percent-encoding of URLs (RFC 3986 §2).
package enum PercentEncoding {
    /// Encodes every byte except the unreserved characters, `A-Z a-z 0-9 - . _ ~`, as `%XX` with upper-case digits.
    /// - Parameter keepingSlashes: for a path with several segments.
    package static func encode(_ text: String, keepingSlashes: Bool = false) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var out: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || keepingSlashes && byte == UInt8(ascii: "/") {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
