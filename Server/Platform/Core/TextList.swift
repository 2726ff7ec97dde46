import Foundation

/// Encodes a list of texts for one column: a JSON array, opaque to SQL.
package enum TextList {
    package static func encode(_ texts: [String]) -> String {
        if let plain = encodePlain(texts) { return plain }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Encoding strings never fails.
        return (try? encoder.encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

    /// Encodes a list whose texts have no characters that JSON escapes; nearly all lists are like this. Each row of an entry holds three
    /// lists, and for a few short texts an encoder costs more than the rest of the row.
    /// - Returns: `nil` for any other list.
    private static func encodePlain(_ texts: [String]) -> String? {
        var list = "["
        for text in texts {
            guard text.utf8.allSatisfy(isPlain) else { return nil }
            list += list.utf8.count > 1 ? ",\"" : "\""
            list += text
            list += "\""
        }
        list += "]"
        return list
    }

    /// Whether neither JSON (RFC 8259 §7) nor the encoder escapes the byte.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
    }

    /// - Throws: `DecodingError` when `text` is not a JSON array of strings.
    package static func decode(_ text: String) throws -> [String] {
        var text = text
        return try text.withUTF8 { try decode($0) }
    }

    package static func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [String] {
        if let texts = decodePlain(bytes) { return texts }
        return try JSONDecoder().decode([String].self, from: Data(bytes))
    }

    /// Decodes a list without escapes; nearly all lists are like this, and one page of entries has sixty of them.
    /// - Returns: `nil` for any other list.
    private static func decodePlain(_ bytes: UnsafeBufferPointer<UInt8>) -> [String]? {
        var texts: [String] = []
        return forEachPlain(bytes) { texts.append(String(decoding: $0, as: UTF8.self)) } ? texts : nil
    }

    /// Calls `body` with each text of a list without escapes, in order.
    /// - Returns: `false` for any other list; `body` may then have been called with some of its texts. If `true`, the bytes are a JSON array of
    ///   strings without blanks between them.
    package static func forEachPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
        let quote = UInt8(ascii: "\""), comma = UInt8(ascii: ",")
        if bytes.count == 2, bytes[0] == UInt8(ascii: "["), bytes[1] == UInt8(ascii: "]") { return true }
        guard bytes.count >= 4, bytes[0] == UInt8(ascii: "["), bytes[1] == quote, bytes[bytes.count - 2] == quote,
            bytes[bytes.count - 1] == UInt8(ascii: "]")
        else { return false }
        let end = bytes.count - 2
        guard let first = bytes.baseAddress, memchr(first, CInt(UInt8(ascii: "\\")), bytes.count) == nil else { return false }
        var start = 2
        while start <= end, let found = memchr(first + start, CInt(quote), bytes.count - start) {
            let index = UnsafeRawPointer(found) - UnsafeRawPointer(first)
            body(UnsafeBufferPointer(rebasing: bytes[start..<index]))
            if index >= end { return index == end }
            // `","` separates two texts.
            guard index + 2 < end, bytes[index + 1] == comma, bytes[index + 2] == quote else { return false }
            start = index + 3
        }
        return false
    }
}
