package import Foundation

/// Builds ZIP archives, also wrong ones. Entries are stored or deflated by a small encoder that only repeats zeros.
package struct ZipBytes {
    package struct Entry {
        package var name: String
        package var content: Data
        /// If set, the entry is deflated and consists of `content`, this many zeros, and `tail`. `content` and `tail` may then have at most
        /// 65,535 bytes each.
        package var zeros: Int?
        /// The bytes after the zeros.
        package var tail = Data()
        /// A false size, which the central directory states instead of the real one.
        package var statedByteCount: Int?
        /// The file mode of Unix: type and permissions.
        package var unixMode = 0
        /// The general purpose bit flags; bit 0 marks the entry as encrypted.
        package var flags = 0
        /// The index of an entry whose local header this one refers to instead of having its own.
        package var sharesHeader: Int?

        package init(_ name: String, _ content: Data = Data(), zeros: Int? = nil) {
            self.name = name
            self.content = content
            self.zeros = zeros
        }
    }

    package static func archive(_ entries: [Entry], countStated: Int? = nil, after: Data = Data()) -> Data {
        var file = Data()
        var directory = Data()
        var offsets: [Int] = []
        for entry in entries {
            let packed = entry.zeros.map { deflated(entry.content, zeros: $0, entry.tail) } ?? entry.content
            let size = entry.statedByteCount ?? entry.content.count + (entry.zeros ?? 0) + entry.tail.count
            let method = entry.zeros == nil ? 0 : 8
            let crc = entry.zeros == nil ? checksum(entry.content) : 0
            let name = Data(entry.name.utf8)
            let middle = numbers(
                (entry.flags, 2), (method, 2), (0, 4), (Int(crc), 4), (packed.count, 4), (size, 4))
            let offset = entry.sharesHeader.map { offsets[$0] } ?? file.count
            offsets.append(offset)
            if entry.sharesHeader == nil {
                file += Data([0x50, 0x4B, 3, 4, 20, 0]) + middle + numbers((name.count, 2), (0, 2)) + name + packed
            }
            // The entry states that it was made on Unix.
            directory += Data([0x50, 0x4B, 1, 2, 20, 3, 20, 0]) + middle
            directory += numbers((name.count, 2), (0, 2), (0, 2), (0, 2), (0, 2), (entry.unixMode << 16, 4), (offset, 4)) + name
        }
        let count = countStated ?? entries.count
        let end = numbers((0, 4), (count, 2), (count, 2), (directory.count, 4), (file.count, 4), (0, 2))
        return file + directory + Data([0x50, 0x4B, 5, 6]) + end + after
    }

    /// A Word document with these paragraphs and further entries.
    package static func docx(_ paragraphs: [String], and more: [Entry] = []) -> Data {
        let body = paragraphs.map { "<w:p><w:r><w:t>\($0)</w:t></w:r></w:p>" }.joined()
        let document =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">"
            + "<w:body>\(body)</w:body></w:document>"
        return archive(
            [Entry("[Content_Types].xml", Data("<Types/>".utf8)), Entry("word/document.xml", Data(document.utf8))] + more)
    }

    /// A scene with further entries.
    package static func usdz(_ more: [Entry] = []) -> Data {
        archive([Entry("scene.usda", Data("#usda 1.0\ndef Xform \"hello\" {}\n".utf8))] + more)
    }

    /// Little-endian.
    private static func numbers(_ numbers: (value: Int, byteCount: Int)...) -> Data {
        numbers.reduce(into: Data()) { data, number in
            data += (0..<number.byteCount).map { UInt8(truncatingIfNeeded: number.value >> (8 * $0)) }
        }
    }

    /// CRC-32 of ISO 3309.
    package static func checksum(_ data: Data) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    /// The zeros in a block of their own, and what precedes and follows them in blocks that are stored (RFC 1951 §3.2.4).
    private static func deflated(_ head: Data, zeros: Int, _ tail: Data) -> Data {
        func stored(_ data: Data) -> Data { numbers((data.count, 2), (~data.count & 0xFFFF, 2)) + data }
        var stream = Data()
        if !head.isEmpty { stream += Data([0]) + stored(head) }
        stream += deflatedZeros(zeros, isLast: tail.isEmpty)
        if !tail.isEmpty { stream += stored(tail) }
        return stream
    }

    /// One block with a Huffman code of its own (RFC 1951 §3.2.7), in which a run of 258 zeros takes two bits: the ratio is 1,032.
    /// - Parameter isLast: `false` also writes the three bits that begin another block: the last one, which is stored.
    private static func deflatedZeros(_ count: Int, isLast: Bool) -> Data {
        var bits = BitWriter()
        bits.write(isLast ? 1 : 0, 1)
        bits.write(2, 2)
        // 286 literals and lengths, 1 distance, all 19 code lengths.
        bits.write(286 - 257, 5)
        bits.write(0, 5)
        bits.write(19 - 4, 4)
        // Lengths of the codes for lengths, in the format's order: 18 (a long run of zeros) has 1 bit, 1 and 2 have 2 bits.
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] {
            bits.write(symbol == 18 ? 1 : symbol == 1 || symbol == 2 ? 2 : 0, 3)
        }
        func run(_ zeros: Int) {
            bits.write(0, 1)
            bits.write(zeros - 11, 7)
        }
        // Canonical codes: 18 is 0, 1 is 10, 2 is 11; codes are written from their first bit.
        func length(_ value: Int) {
            bits.write(1, 1)
            bits.write(value == 1 ? 0 : 1, 1)
        }
        // Literal 0 and the end have 2 bits, length 258 has 1 bit, distance 1 has 1 bit.
        length(2)
        run(138)
        run(117)
        length(2)
        run(28)
        length(1)
        length(1)
        // Codes: 258 is 0, the literal is 10, the end is 11.
        bits.write(1, 1)
        bits.write(0, 1)
        for _ in 0..<((count - 1) / 258) { bits.write(0, 2) }
        for _ in 0..<((count - 1) % 258) {
            bits.write(1, 1)
            bits.write(0, 1)
        }
        bits.write(1, 1)
        bits.write(1, 1)
        if !isLast {
            bits.write(1, 1)
            bits.write(0, 2)
        }
        return bits.finish()
    }

    private struct BitWriter {
        private var data = Data()
        private var byte: UInt8 = 0
        private var filled = 0

        /// The lowest bit first.
        mutating func write(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                byte |= UInt8(value >> bit & 1) << UInt8(filled)
                filled += 1
                if filled == 8 {
                    data.append(byte)
                    (byte, filled) = (0, 0)
                }
            }
        }

        func finish() -> Data { filled > 0 ? data + [byte] : data }
    }
}
