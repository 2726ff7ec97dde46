/// The little of XML that S3's responses need: elements without attributes of interest, found by name.
enum XML {
    /// The text of the first element `name`, unescaped.
    static func first(_ name: String, in text: some StringProtocol) -> String? {
        elements(name, in: text, most: 1).first.map(unescaped)
    }

    /// What is inside each element `name`, in order, not unescaped.
    static func elements(_ name: String, in text: some StringProtocol, most: Int = .max) -> [String] {
        var found: [String] = []
        var rest = text[...]
        while found.count < most, let start = rest.firstRange(of: "<\(name)>") {
            guard let end = rest[start.upperBound...].firstRange(of: "</\(name)>") else { break }
            found.append(String(rest[start.upperBound..<end.lowerBound]))
            rest = rest[end.upperBound...]
        }
        return found
    }

    static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return text.replacing("&quot;", with: "\"").replacing("&#34;", with: "\"").replacing("&apos;", with: "'")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
