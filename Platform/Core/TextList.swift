import Foundation

/// A list of texts as a column holds it: a JSON array, opaque to SQL.
package enum TextList {
    package static func encode(_ texts: [String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Strings always encode.
        return (try? encoder.encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

    /// - Throws: when `text` is no JSON array of strings.
    package static func decode(_ text: String) throws -> [String] {
        if let texts = decodePlain(text) { return texts }
        return try JSONDecoder().decode([String].self, from: Data(text.utf8))
    }

    /// As `encode` writes what needs no escape, which is nearly all there is: a page of a list decodes forty of these.
    private static func decodePlain(_ text: String) -> [String]? {
        if text == "[]" { return [] }
        var text = text
        return text.withUTF8 { bytes in
            let quote = UInt8(ascii: "\""), comma = UInt8(ascii: ","), backslash = UInt8(ascii: "\\")
            guard bytes.count >= 4, bytes[0] == UInt8(ascii: "["), bytes[1] == quote, bytes[bytes.count - 2] == quote,
                bytes[bytes.count - 1] == UInt8(ascii: "]")
            else { return nil }
            let end = bytes.count - 2
            var texts: [String] = []
            var (start, index) = (2, 2)
            while index <= end {
                if bytes[index] == backslash { return nil }
                guard bytes[index] == quote else {
                    index += 1
                    continue
                }
                texts.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self))
                if index == end { break }
                // The end of one text and the beginning of the next: `","`.
                guard index + 2 < end, bytes[index + 1] == comma, bytes[index + 2] == quote else { return nil }
                index += 3
                start = index
            }
            return texts
        }
    }
}
