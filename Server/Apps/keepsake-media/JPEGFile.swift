/// The segments of a JPEG (ITU T.81 §B.1), up to the end of the first picture. What follows, such as a second picture (CIPA DC-007) or a
/// film, is one block.
struct JPEGFile: PictureFile {
    private let bytes: UnsafeRawBufferPointer
    private var blocks = [PictureBlock(0..<2, .picture)]
    /// The parts of an XMP packet that is too long for one segment. `offset` is the part's position in the packet, as the segment says.
    private var extensions: [(offset: Int, guid: Range<Int>, text: Range<Int>)] = []

    private static let exif: StaticString = "Exif"
    private static let xmp: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    private static let xmpExtension: StaticString = "http://ns.adobe.com/xmp/extension/\0"

    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var at = 2
        // A truncated file has no end-of-image marker; decoders show what there is.
        while at < bytes.count {
            guard blocks.count < PictureBlock.maxCount, at + 2 <= bytes.count, bytes[at] == 0xFF else { return nil }
            switch bytes[at + 1] {
            // Any number of fill bytes may precede a marker.
            case 0xFF: at += 1
            case 0xD9:
                blocks.append(PictureBlock(at..<at + 2, .picture))
                if at + 2 < bytes.count { blocks.append(PictureBlock(at + 2..<bytes.count, .data)) }
                return
            case 0x01, 0xD0...0xD7:
                blocks.append(PictureBlock(at..<at + 2, .picture))
                at += 2
            case 0x00, 0xD8: return nil
            case let marker:
                guard at + 4 <= bytes.count, case let length = bytes.big(at + 2, 2), length >= 2, at + 2 + length <= bytes.count else {
                    return nil
                }
                let segment = at..<at + 2 + length
                blocks.append(PictureBlock(segment, content(marker, segment)))
                at = segment.upperBound
                if marker == 0xDA {
                    let end = bytes.jpegMarker(from: at) ?? bytes.count
                    blocks.append(PictureBlock(at..<end, .picture))
                    at = end
                }
            }
        }
    }

    var mayHavePosition: Bool {
        if blocks.contains(where: { $0.mayHavePosition(bytes) }) { return true }
        guard extensions.count > 1 else { return false }
        // A word may begin in one part and end in the next.
        let guid = bytes[extensions[0].guid]
        guard extensions.allSatisfy({ bytes[$0.guid].elementsEqual(guid) }) else { return true }
        let text = extensions.sorted { $0.offset < $1.offset }.flatMap { bytes[$0.text] }
        return text.withUnsafeBytes { XMP.mayHavePosition($0) }
    }

    func stripped(orientation: Int) -> [UInt8]? {
        let block = Array("Exif\0\0".utf8) + EXIF.block(orientation: orientation)
        var exif = orientation == 1 ? [] : [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block
        var stripped: [UInt8] = []
        stripped.reserveCapacity(bytes.count)
        for block in blocks where block.isPicture {
            // JFIF's segment comes first.
            if block.range.lowerBound > 0, !isJFIF(block.range) {
                stripped += exif
                exif = []
            }
            stripped += bytes[block.range]
        }
        return stripped
    }

    private func isJFIF(_ segment: Range<Int>) -> Bool { segment.count > 4 && bytes[segment].starts(with: [0xFF, 0xE0]) }

    private mutating func content(_ marker: UInt8, _ segment: Range<Int>) -> PictureBlock.Content {
        let body = segment.lowerBound + 4..<segment.upperBound
        // A text that ends beyond the segment does not belong to this segment.
        func begins(with text: StaticString) -> Bool { text.utf8CodeUnitCount <= body.count && bytes.has(text, at: body.lowerBound) }
        switch marker {
        case 0xC0...0xCF, 0xDA...0xDF: return .picture
        case 0xE0 where begins(with: "JFIF\0"), 0xE2 where begins(with: "ICC_PROFILE\0"), 0xEE where begins(with: "Adobe"): return .picture
        case _ where begins(with: Self.exif): return .exif(body)
        case _ where begins(with: Self.xmp): return .text(body.lowerBound + Self.xmp.utf8CodeUnitCount..<body.upperBound)
        case _ where begins(with: Self.xmpExtension):
            // A GUID of 32 characters, the length of the whole packet, and this part's offset in it.
            let guid = body.lowerBound + Self.xmpExtension.utf8CodeUnitCount
            guard guid + 40 <= body.upperBound else { return .unreadable }
            let text = guid + 40..<body.upperBound
            extensions.append((bytes.big(guid + 36, 4), guid..<guid + 32, text))
            return .text(text)
        // This is Photoshop's own place for EXIF.
        case _ where bytes.part(body).firstIndex(of: Array("8BIM".utf8) + [0x04, 0x22]) != nil: return .unreadable
        default: return .data
        }
    }
}
