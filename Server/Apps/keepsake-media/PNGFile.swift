/// The chunks of a PNG (third edition, §5.3), also of an animated one. What follows the last chunk is one block.
struct PNGFile: PictureFile {
    private let bytes: UnsafeRawBufferPointer
    private var blocks = [PictureBlock(0..<8, .picture)]
    /// The offset of the first chunk of pixels.
    private var pixels: Int?

    /// Chunks that show the picture. §11.3: size, colours, transparency, resolution, animation.
    private static let ofPicture: [StaticString] = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "mDCV", "mDCv", "cLLI", "cLLi", "bKGD",
        "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
    ]

    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
        var at = 8
        while at + 12 <= bytes.count {
            let length = bytes.big(at, 4)
            guard blocks.count < PictureBlock.maxCount, at + 12 + length <= bytes.count else { return nil }
            let chunk = at..<at + 12 + length
            guard let content = content(chunk) else { return nil }
            blocks.append(PictureBlock(chunk, content))
            if pixels == nil, bytes.has("IDAT", at: at + 4) { pixels = at }
            at = chunk.upperBound
            guard bytes.has("IEND", at: chunk.lowerBound + 4) else { continue }
            if at < bytes.count { blocks.append(PictureBlock(at..<bytes.count, .data)) }
            return
        }
        return nil
    }

    var mayHavePosition: Bool { blocks.contains { $0.mayHavePosition(bytes) } }

    func stripped(orientation: Int) -> [UInt8]? {
        var stripped: [UInt8] = []
        stripped.reserveCapacity(bytes.count)
        for block in blocks where block.isPicture {
            if block.range.lowerBound == pixels, orientation != 1 { stripped += Self.chunk("eXIf", EXIF.block(orientation: orientation)) }
            stripped += bytes[block.range]
        }
        return stripped
    }

    /// - Returns: `nil` for an unknown chunk without which the picture cannot be shown.
    private func content(_ chunk: Range<Int>) -> PictureBlock.Content? {
        let name = chunk.lowerBound + 4
        let body = name + 4..<chunk.upperBound - 4
        if Self.ofPicture.contains(where: { bytes.has($0, at: name) }) { return .picture }
        // §5.4: a capital first letter marks a critical chunk.
        if bytes[name] & 0x20 == 0 { return nil }
        if bytes.has("eXIf", at: name) || bytes.has("exIf", at: name) { return .exif(body) }
        if bytes.has("zTXt", at: name) || bytes.has("zxIf", at: name) { return .unreadable }
        if bytes.has("tEXt", at: name) { return text(body, fields: 0) }
        if bytes.has("iTXt", at: name) { return text(body, fields: 2) }
        return .data
    }

    /// The content of a text chunk. It begins with a keyword. In an international text, these follow: whether the text is compressed, how,
    /// its language, and the translated keyword.
    /// - Parameter fields: the number of texts between the keyword and the text.
    private func text(_ body: Range<Int>, fields: Int) -> PictureBlock.Content {
        guard let keyword = bytes[body].firstIndex(of: 0) else { return .text(body) }
        // ImageMagick writes EXIF and XMP as hexadecimal digits.
        if bytes.part(body).has("Raw profile type", at: 0) || PositionWords.areIn(text: bytes.part(body.lowerBound..<keyword)) {
            return .unreadable
        }
        guard fields > 0 else { return .text(keyword + 1..<body.upperBound) }
        guard keyword + 3 <= body.upperBound, bytes[keyword + 1] == 0 else { return .unreadable }
        var start = keyword + 3
        for _ in 0..<fields {
            guard let end = bytes[start..<body.upperBound].firstIndex(of: 0) else { return .unreadable }
            start = end + 1
        }
        return .text(start..<body.upperBound)
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + body
        return number(body.count) + content + number(Int(~content.reduce(UInt32.max) { checksum($0, $1) }))
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    /// The CRC-32 of a chunk (Annex D of the PNG specification). It needs no lookup table, because this program makes only short chunks.
    private static func checksum(_ sum: UInt32, _ byte: UInt8) -> UInt32 {
        (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
}
