import HTTPTypes

/// The `Cookie` fields of a request (RFC 6265 §4.2.1).
enum CookieField {
    /// The most cookies that the event loop searches before it knows the caller. Browsers keep a few hundred for a site.
    static let maxCount = 1_000

    /// - Returns: the value of the cookie with exactly this name; `nil` when there is none, and when there are two. A sibling subdomain can
    ///   set a second cookie of the same name, and the server cannot tell which of them is its own. Also `nil` for more than `maxCount`
    ///   cookies.
    static func value(of name: String, in fields: HTTPFields) -> String? {
        var found: String?
        var left = maxCount
        // Over HTTP/2 each cookie may come in a field of its own (RFC 9113 §8.2.3).
        for field in fields[values: .cookie] {
            let pairs = field.utf8.split(separator: UInt8(ascii: ";"), maxSplits: left)
            guard pairs.count <= left else { return nil }
            left -= pairs.count
            for pair in pairs {
                let text = trimmed(pair)
                guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { continue }
                // Compare the name exactly. A name with a space inside is not a token (RFC 9110 §5.6.2), so it is not ours: a browser
                // refuses `__Host-keepsake` from a sibling subdomain but accepts `__Ho st-keepsake`.
                guard text[..<equals].elementsEqual(name.utf8) else { continue }
                guard found == nil else { return nil }
                found = String(decoding: text[text.index(after: equals)...], as: UTF8.self)
            }
        }
        return found
    }

    /// Removes spaces and tabs at both ends.
    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) }) else {
            return text[text.endIndex...]
        }
        return text[first...last]
    }
}
