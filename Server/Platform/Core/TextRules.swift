/// The rules for strings on every surface: UTF-8 without NUL, trimmed, not too long.
package enum TextRules {
    /// - Returns: the text trimmed of white space at both ends.
    /// - Throws: `.invalid` with `field` when the text contains NUL or has more than `max` characters (Unicode scalars).
    package static func line(_ text: String, field: String, max: Int) throws -> String {
        guard !text.utf8.contains(0) else { throw Problem(.invalid, "\(field) must not contain a NUL character.", field: field) }
        let trimmed = Self.trimmed(text)
        // A text has no more characters than bytes, so the characters of a short one need not be counted.
        guard trimmed.utf8.count <= max || trimmed.unicodeScalars.count <= max else {
            throw Problem(.invalid, "\(field) is longer than \(max) characters.", field: field)
        }
        return trimmed
    }

    /// - Returns: the text without white space at both ends. For ids and times, which have length limits of their own.
    package static func trimmed(_ text: String) -> String { isTrimmed(text) ? text : trim(text) }

    /// - Returns: at most the first `count` characters (Unicode scalars) of the text.
    package static func prefix(_ text: String, _ count: Int) -> String {
        // A text has no more characters than bytes, so a short one need not be cut.
        text.utf8.count <= count ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
    }

    /// Looks at the ends only: a text may have hundreds of thousands of characters.
    private static func trim(_ text: String) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }), let last = text.lastIndex(where: { !$0.isWhitespace }) else {
            return ""
        }
        return String(text[first...last])
    }

    /// Whether the text begins and ends with visible ASCII, as most texts do. Such a text has no white space at its ends, so it need not be
    /// copied character by character.
    private static func isTrimmed(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return true }
        return 0x21...0x7E ~= first && 0x21...0x7E ~= last
    }

    /// Like `line`, but returns `nil` for an empty text.
    package static func optionalLine(_ text: String?, field: String, max: Int) throws -> String? {
        guard let text else { return nil }
        let trimmed = try line(text, field: field, max: max)
        return trimmed.isEmpty ? nil : trimmed
    }
}
