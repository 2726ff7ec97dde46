import HTTPTypes

/// The `Cookie` fields of a request (RFC 6265 §4.2.1).
enum CookieField {
    /// - Returns: the value of the one cookie of exactly that name; `nil` when there is none, and when there are two: a sibling
    ///   subdomain can set a second one of the same name, and nothing says which of them we set.
    static func value(of name: String, in fields: HTTPFields) -> String? {
        var found: String?
        // Over HTTP/2 each cookie may come in a field of its own (RFC 9113 §8.2.3).
        for field in fields[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let text = trimmed(pair)
                guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { continue }
                // Compared as it came. A name with a space inside is no token (RFC 9110 §5.6.2) and so nobody's: a browser lets a
                // sibling subdomain set `__Ho st-keepsake`, although it would refuse `__Host-keepsake`.
                guard text[..<equals].elementsEqual(name.utf8) else { continue }
                guard found == nil else { return nil }
                found = String(decoding: text[text.index(after: equals)...], as: UTF8.self)
            }
        }
        return found
    }

    /// Without blanks at its ends.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) }) else {
            return text[text.endIndex...]
        }
        return text[first...last]
    }
}
