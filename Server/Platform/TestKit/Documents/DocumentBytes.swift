package import Foundation

/// Builds small PDF and Word documents.
package enum DocumentBytes {
    /// A PDF with one page of Helvetica.
    /// - Parameter text: without parentheses and backslashes.
    package static func pdf(_ text: String) -> Data { pdf(content: "BT /F1 12 Tf 50 700 Td (\(text)) Tj ET") }

    /// - Parameters:
    ///   - content: the page's content stream.
    ///   - resources: the page's resources besides its font.
    ///   - more: further objects, from number 6 on.
    package static func pdf(content: String, resources: String = "", more: [String] = []) -> Data {
        let objects =
            [
                "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
                "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> \(resources) >> /Contents 5 0 R >>",
                "<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream",
            ] + more
        var file = "%PDF-1.4\n"
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(file.utf8.count)
            file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = file.utf8.count
        func padded(_ offset: Int) -> String { String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset)" }
        file += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n" + offsets.map { "\(padded($0)) 00000 n \n" }.joined()
        file += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Data(file.utf8)
    }

    /// A document in Word's format of 1997 (MS-DOC) in a compound file (MS-CFB).
    /// - Parameter text: paragraphs in ASCII, separated by `\n`; together at most 40,000 characters.
    package static func doc(_ text: String) -> Data {
        let body = Data(text.replacing("\n", with: "\r").utf8)
        var document = Data(count: 0x400)
        func put(_ value: Int, _ count: Int, at offset: Int) {
            for index in 0..<count { document[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        }
        // The file information block: its signature and version, the table stream, where the text is.
        put(0xA5EC, 2, at: 0)
        put(0xC1, 2, at: 2)
        put(0x409, 2, at: 6)
        put(0x0200, 2, at: 0x0A)
        put(0xBF, 2, at: 0x0C)
        put(0x400, 4, at: 0x18)
        put(0x400 + body.count, 4, at: 0x1C)
        put(14, 2, at: 0x20)
        put(22, 2, at: 0x3E)
        put(0x400 + body.count, 4, at: 0x40)
        put(body.count, 4, at: 0x4C)
        put(0x5D, 2, at: 0x9A)
        // The text is one piece, in Windows-1252.
        let pieces = numbers((0, 4), (body.count, 4), (0, 2), (0x400 * 2 | 0x4000_0000, 4), (0, 2))
        let table = sectors(Data([2]) + number(pieces.count, 4) + pieces)
        put(0, 4, at: 0x1A2)
        put(5 + pieces.count, 4, at: 0x1A6)
        return compound([("WordDocument", sectors(document + body)), ("1Table", table)])
    }

    /// A compound file with these streams, of at least 4,096 bytes each.
    package static func compound(_ streams: [(name: String, content: Data)]) -> Data {
        var next: [Int] = [0xFFFF_FFFD, 0xFFFF_FFFE]
        var starts: [Int] = []
        for stream in streams {
            starts.append(next.count)
            let count = stream.content.count / 512
            next += (1..<count).map { starts[starts.count - 1] + $0 } + [0xFFFF_FFFE]
        }
        next += [Int](repeating: 0xFFFF_FFFF, count: 128 - next.count)
        let none = 0xFFFF_FFFF
        var directory = entry("Root Entry", kind: 5, start: 0xFFFF_FFFE, size: 0, child: 1, next: none)
        for (index, stream) in streams.enumerated() {
            let isLast = index == streams.count - 1
            directory += entry(
                stream.name, kind: 2, start: starts[index], size: stream.content.count, child: none, next: isLast ? none : index + 2)
        }
        directory += Data(count: 512 - directory.count)
        let signature = Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])
        let version = numbers((0x3E, 2), (3, 2), (0xFFFE, 2), (9, 2), (6, 2))
        let sizes = numbers((0, 4), (1, 4), (1, 4), (0, 4), (4_096, 4), (0xFFFF_FFFE, 4), (0, 4), (0xFFFF_FFFE, 4), (0, 4), (0, 4))
        var file = signature + Data(count: 16)
        file += version + Data(count: 6)
        file += sizes + Data(repeating: 0xFF, count: 108 * 4)
        for sector in next { file += number(sector, 4) }
        file += directory
        for stream in streams { file += stream.content }
        return file
    }

    private static func entry(_ name: String, kind: UInt8, start: Int, size: Int, child: Int, next: Int) -> Data {
        let units = Array(name.utf16) + [0]
        var entry = Data()
        for unit in units { entry += number(Int(unit), 2) }
        entry += Data(count: 64 - entry.count) + number(2 * units.count, 2) + Data([kind, 1])
        entry += numbers((0xFFFF_FFFF, 4), (next, 4), (child, 4)) + Data(count: 36)
        return entry + numbers((start, 4), (size, 8))
    }

    /// Pads the data to whole sectors, and to at least 4,096 bytes.
    private static func sectors(_ data: Data) -> Data { data + Data(count: max(4_096, (data.count + 511) / 512 * 512) - data.count) }

    private static func numbers(_ numbers: (value: Int, byteCount: Int)...) -> Data {
        numbers.reduce(into: Data()) { $0 += number($1.value, $1.byteCount) }
    }

    private static func number(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
