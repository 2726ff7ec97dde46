import MediaFrames

/// How a JPEG is coded, which determines what decoding it costs (ITU T.81 §B.1.1.3). Follows the segments as libjpeg does, which ignores
/// bytes between them, so that such a byte hides nothing from this parser.
struct JPEGCoding {
    /// Set by the frame headers SOF2, 6, 10 and 14.
    private(set) var isProgressive = false
    /// Set by the frame headers SOF9 to SOF15.
    private(set) var isArithmetic = false
    /// The scans that a decoder reads; counted until there are more than `PictureLimits.scans`.
    private(set) var scanCount = 0
    /// The segments up to the last scan; counted until there are more than `PictureLimits.jpegSegments`.
    private(set) var segmentCount = 0
    /// Whether a frame header has four components.
    private(set) var isCMYK = false
    /// The contents of the segments with EXIF.
    private(set) var exifBlocks: [Range<Int>] = []

    init(_ bytes: UnsafeRawBufferPointer) {
        var componentCount: UInt8 = 0
        var at = 2
        while scanCount <= PictureLimits.scans, segmentCount <= PictureLimits.jpegSegments, let marker = bytes.jpegMarker(from: at) {
            let code = bytes[marker + 1]
            if code < 0xC0 || code == 0xD8 {
                // These markers have no length. libjpeg ignores them or stops.
                at = marker + 2
                continue
            }
            guard code != 0xD9, marker + 4 <= bytes.count else { return }
            // libjpeg ignores a length that does not include itself.
            at = marker + 2 + max(2, bytes.big(marker + 2, 2))
            guard at <= bytes.count else { return }
            segmentCount += 1
            switch code {
            case 0xC4, 0xC8, 0xCC: break
            case 0xC0...0xCF:
                isProgressive = isProgressive || code & 3 == 2
                isArithmetic = isArithmetic || code > 0xC8
                if at >= marker + 10 { componentCount = bytes[marker + 9] }
                isCMYK = isCMYK || componentCount == 4
            case 0xDA:
                scanCount += 1
                // This is the only scan of such a picture, because libjpeg refuses another one. So the data of most photos are not read.
                if !isProgressive, at >= marker + 5, bytes[marker + 4] >= componentCount { return }
            case 0xE1 where bytes.has("Exif", at: marker + 4): exifBlocks.append(marker + 4..<at)
            default: break
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the next marker of a JPEG: 0xFF, unless 0, a restart marker or a fill byte follows. Other bytes before it are data.
    func jpegMarker(from start: Int) -> Int? {
        var at = start
        while let found = firstIndex(of: [0xFF], from: at), found + 1 < count {
            switch self[found + 1] {
            case 0x00, 0xD0...0xD7: at = found + 2
            case 0xFF: at = found + 1
            default: return found
            }
        }
        return nil
    }
}
