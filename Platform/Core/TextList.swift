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
        let bytes = text.utf8
        guard bytes.count >= 4, text.hasPrefix("[\""), text.hasSuffix("\"]"), !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        let inner = bytes.dropFirst(2).dropLast(2)
        var texts: [String] = []
        var start = inner.startIndex
        var index = inner.startIndex
        while index != inner.endIndex {
            guard inner[index] == UInt8(ascii: "\"") else {
                index = inner.index(after: index)
                continue
            }
            // The end of one text and the beginning of the next: `","`.
            guard let next = inner.index(index, offsetBy: 3, limitedBy: inner.endIndex), inner[index..<next].elementsEqual("\",\"".utf8),
                let text = String(inner[start..<index])
            else { return nil }
            texts.append(text)
            start = next
            index = next
        }
        guard let last = String(inner[start...]) else { return nil }
        texts.append(last)
        return texts
    }
}
