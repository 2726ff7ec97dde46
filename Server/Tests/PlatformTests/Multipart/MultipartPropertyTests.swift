import TestKit
import Testing
import Web

/// Compares the parser with a slow second implementation of the grammar that has the whole body in memory.
@Suite struct MultipartPropertyTests {
    static let header = "Content-Disposition: form-data; name=a\r\n"

    /// Bytes that end lines, begin delimiters, or nearly do.
    static let alphabet = [
        "\r", "\n", "\r\n", "-", "--", "b", "bb", "x", " ", "\t", "\r\n--", "\r\n--b", "\r\n--bb", "\n--bb", "--bb", "\r\n--bb--",
        "\r\n--bb\r\n", header, "\(header)\r\n", "\r\n--bb\r\n\(header)\r\n", "\r\n--bb \r\n\(header)\r\n", "\r\n\r\n", "X: y\r\n",
        "Bad\r\n",
    ]

    /// Random tokens; half of the bodies have a valid beginning and end.
    private func randomBody(_ random: inout SplitMix64) -> [UInt8] {
        var text = ""
        let isFramed = Bool.random(using: &random)
        if isFramed { text += "--bb\r\n\(Self.header)\r\n" }
        for _ in 0..<Int.random(in: 0...8, using: &random) { text += Self.alphabet.randomElement(using: &random) ?? "" }
        if isFramed { text += "\r\n--bb--" }
        return Array(text.utf8)
    }

    @Test func `On thirty thousand nasty bodies it agrees with the reference, whole and in pieces`() {
        var random = SplitMix64(seed: 2)
        var accepted = 0
        var parts = 0
        for _ in 0..<30_000 {
            let body = randomBody(&random)
            let expected = NaiveMultipart.parse(body, boundary: "bb")
            let whole = parseMultipart(body, boundary: "bb")
            #expect((whole.refusal == nil) == (expected != nil), "\(String(decoding: body, as: UTF8.self).debugDescription): \(whole)")
            if let expected {
                accepted += 1
                parts += expected.count
                #expect(whole.parts.map(\.data) == expected, "\(String(decoding: body, as: UTF8.self).debugDescription)")
            }
            let cuts = (0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 0...body.count, using: &random) }.sorted()
            let pieces = parseMultipart(body, boundary: "bb", cuts: cuts)
            #expect(pieces == whole, "\(String(decoding: body, as: UTF8.self).debugDescription) cut at \(cuts)")
        }
        // If all bodies were invalid, the comparison would prove nothing.
        #expect(accepted > 3_000 && parts > accepted)
    }
}

/// Parses a whole body by the grammar alone. Each part's headers are `MultipartPropertyTests.header` or `X: y`.
private enum NaiveMultipart {
    /// Returns the data of each part; nil if the body is invalid.
    static func parse(_ body: [UInt8], boundary: String) -> [[UInt8]]? {
        // A line end added before the body makes its first delimiter like the others.
        let text = Array("\r\n".utf8) + body
        let lines = Array("\r\n".utf8)
        var parts: [[UInt8]] = []
        var dataStart: Int?
        var i = 0
        while let start = delimiter(in: text, from: i, boundary) {
            guard text[start] == lines[0] else { return nil }
            if let dataStart { parts.append(start > dataStart ? Array(text[dataStart..<start]) : []) }
            i = start + 4 + boundary.utf8.count
            let isLast = text[i...].starts(with: Array("--".utf8))
            if isLast { i += 2 }
            while i < text.count, text[i] == UInt8(ascii: " ") || text[i] == UInt8(ascii: "\t") { i += 1 }
            if isLast, i == text.count { return parts }
            guard text[i...].starts(with: lines) else { return nil }
            if isLast { return parts }
            i += 2
            var hasField = false
            while !text[i...].starts(with: lines) {
                let field = Array(MultipartPropertyTests.header.utf8)
                if text[i...].starts(with: field), !hasField {
                    hasField = true
                    i += field.count
                } else if text[i...].starts(with: Array("X: y\r\n".utf8)) {
                    i += 6
                } else if let length = unreadHeader(text[i...]) {
                    i += length
                } else {
                    return nil
                }
            }
            guard hasField else { return nil }
            dataStart = i + 2
            // The end of the empty line may also begin the next delimiter.
        }
        return nil
    }

    /// The index of the first delimiter at or after `start`; also finds a delimiter that lacks its CR, which is invalid.
    private static func delimiter(in text: [UInt8], from start: Int, _ boundary: String) -> Int? {
        let whole = Array("\r\n--\(boundary)".utf8)
        let bare = Array(whole.dropFirst())
        return text.indices.first { i in
            i >= start && (text[i...].starts(with: whole) || text[i...].starts(with: bare) && (i == 0 || text[i - 1] != UInt8(ascii: "\r")))
        }
    }

    /// The length of a valid header line that the parser ignores, such as `--bX: y`; nil if it is invalid.
    private static func unreadHeader(_ text: ArraySlice<UInt8>) -> Int? {
        guard let end = text.indices.first(where: { text[$0...].starts(with: Array("\r\n".utf8)) }) else { return nil }
        let line = text[text.startIndex..<end]
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { return nil }
        let name = line[..<colon]
        let isName = name.allSatisfy { $0 == UInt8(ascii: "-") || (0x41...0x7A).contains($0) }
        let isText = line.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\t") }
        guard isName, isText, String(decoding: name, as: UTF8.self).lowercased() != "content-disposition" else { return nil }
        return line.count + 2
    }
}
