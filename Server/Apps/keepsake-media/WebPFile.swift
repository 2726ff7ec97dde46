/// The chunks of a WebP (RFC 9649 §2.7). What follows the container is one block.
struct WebPFile: PictureFile {
    private let bytes: UnsafeRawBufferPointer
    private var blocks: [PictureBlock] = []
    /// The offset of the header that says which chunks there are; `nil` in a file of one chunk.
    private var header: Int?

    private static let ofPicture: [StaticString] = ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ICCP"]
    private static let ofFrame: [StaticString] = ["VP8 ", "VP8L", "ALPH"]
    /// Bits of the header's first byte.
    private static let exifFlag: UInt8 = 0x08
    private static let pictureFlags: UInt8 = 0x20 | 0x10 | 0x02

    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else { return nil }
        let end = 8 + bytes.little(4, 4)
        guard end <= bytes.count, let chunks = chunks(in: 12..<end) else { return nil }
        for (chunk, body) in chunks {
            if bytes.has("VP8X", at: chunk.lowerBound) {
                guard chunk.lowerBound == 12, body.count >= 10 else { return nil }
                header = chunk.lowerBound
            }
            guard let content = content(chunk, body) else { return nil }
            blocks.append(PictureBlock(chunk, content))
        }
        if end < bytes.count { blocks.append(PictureBlock(end..<bytes.count, .data)) }
    }

    var mayHavePosition: Bool { blocks.contains { $0.mayHavePosition(bytes) } }

    func stripped(orientation: Int) -> [UInt8]? {
        guard orientation == 1 || header != nil else { return nil }
        var stripped: [UInt8] = []
        stripped.reserveCapacity(bytes.count)
        stripped += bytes[0..<12]
        for block in blocks where block.isPicture {
            let start = stripped.count
            stripped += bytes[block.range]
            if block.range.lowerBound == header {
                stripped[start + 8] = stripped[start + 8] & Self.pictureFlags | (orientation == 1 ? 0 : Self.exifFlag)
            }
            // The last chunk's padding may be missing.
            if stripped.count % 2 == 1 { stripped.append(0) }
        }
        if orientation != 1 {
            let exif = EXIF.block(orientation: orientation)
            stripped += Array("EXIF".utf8) + Self.number(exif.count) + exif
        }
        stripped.replaceSubrange(4..<8, with: Self.number(stripped.count - 8))
        return stripped
    }

    /// - Returns: `nil` for a frame of an animation with unknown parts.
    private func content(_ chunk: Range<Int>, _ body: Range<Int>) -> PictureBlock.Content? {
        let name = chunk.lowerBound
        if Self.ofPicture.contains(where: { bytes.has($0, at: name) }) { return .picture }
        if bytes.has("EXIF", at: name) { return .exif(body) }
        if bytes.has("XMP ", at: name) { return .text(body) }
        guard bytes.has("ANMF", at: name) else { return .data }
        // §2.7.1.3: the frame's place and duration precede its chunks.
        guard body.count >= 16, let parts = chunks(in: body.lowerBound + 16..<body.upperBound) else { return nil }
        for (part, _) in parts { guard Self.ofFrame.contains(where: { bytes.has($0, at: part.lowerBound) }) else { return nil } }
        return .picture
    }

    /// The chunks in the range, each with its padding, and their contents.
    /// - Returns: `nil` when a chunk ends outside the range.
    private func chunks(in range: Range<Int>) -> [(chunk: Range<Int>, body: Range<Int>)]? {
        var chunks: [(Range<Int>, Range<Int>)] = []
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            let end = at + 8 + bytes.little(at + 4, 4)
            guard chunks.count < PictureBlock.maxCount, end <= range.upperBound else { return nil }
            let next = min(end + (end - at) % 2, range.upperBound)
            chunks.append((at..<next, at + 8..<end))
            at = next
        }
        return chunks
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}
