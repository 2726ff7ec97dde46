/// JPEG: ITU-T T.81 Annex B. Walks the marker segments from SOI into the scan and, when the excerpt holds the whole file, to EOI.
///
/// **Any bytes may follow EOI.** Phones append the video of a Motion Photo, gain maps and depth (MPF), Samsung's SEF trailer and
/// watermarks. No list of trailers is complete, and rejecting a valid photo is worse than accepting a truncated one, which the decoder
/// detects anyway. So EOI is required only when the excerpt holds the whole file. A longer file is rejected only if its tail is
/// unmistakably the middle of a scan.
enum JPEGFormat: FileFormat {
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        guard try seen.matches([0xFF, 0xD8, 0xFF], at: 0) else { return nil }
        // SOI alone proves little, so a first segment with a length is required.
        let marker = try seen.byte(3)
        guard marker == 0xFF || isSegment(marker) else { return nil }
        _ = try seen.big16(4)
        return .jpeg
    }

    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        do throws(ReadFailure) {
            try walk(seen)
        } catch .unseen {
            try checkTail(seen)
        }
    }

    // MARK: - Marker segments

    /// B.1.1.3, Table B.1: the markers with a length that occur in common pictures. Excluded: hierarchical (DHP, EXP), lossless and
    /// differential frames (C3, C5–C7, CB, CD–CF), which libjpeg does not decode, JPEG-LS (F7), JPG0–JPG13, RES.
    private static func isSegment(_ marker: UInt8) -> Bool {
        switch marker {
        // SOF: baseline, extended and progressive. C9 and CA use arithmetic coding, for which the media worker has a message of its own.
        case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: true
        case 0xC4, 0xCC, 0xDB, 0xDC, 0xDD: true  // DHT, DAC, DQT, DNL, DRI
        case 0xDA, 0xE0...0xEF, 0xFE: true  // SOS, APPn, COM
        default: false
        }
    }

    /// Walks the marker segments and returns at EOI.
    private static func walk(_ seen: Excerpt) throws(ReadFailure) {
        var offset = 2
        var isFirst = true
        var hasFrame = false
        var hasScan = false
        while true {
            guard try seen.byte(offset) == 0xFF else { throw .wrong }
            let marker = try seen.byte(offset + 1)
            if marker == 0xFF {  // B.1.1.2: any marker may be preceded by fill bytes
                offset += 1
                continue
            }
            if marker == 0xD9 {
                guard hasScan else { throw .wrong }
                return
            }
            guard isSegment(marker) else { throw .wrong }
            let length = try seen.big16(offset + 2)
            let next = offset + 2 + length
            guard length >= 2 else { throw .wrong }
            try seen.expectLength(atLeast: next)
            if isFirst, next + 2 > seen.head.count { try expectIdentifier(seen, marker, at: offset + 4) }
            isFirst = false
            switch marker {
            case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA:
                guard !hasFrame else { throw .wrong }
                try checkFrame(seen, at: offset + 4, length: length)
                hasFrame = true
            case 0xDA:
                guard hasFrame else { throw .wrong }
                hasScan = true
                offset = try endOfScan(seen, from: next)
                continue
            default: break
            }
            offset = next
        }
    }

    /// A first segment that is longer than the window has no second segment to confirm it, and text after `FF D8 FF` looks like a long
    /// segment. So it must be an APPn segment with an identifier: letters, then a zero byte (`Exif`, `JFIF`,
    /// `http://ns.adobe.com/xap/1.0/`, `ICC_PROFILE`, `MPF`, `Photoshop 3.0`, `JP` …).
    private static func expectIdentifier(_ seen: Excerpt, _ marker: UInt8, at offset: Int) throws(ReadFailure) {
        guard (0xE0...0xEF).contains(marker) else { throw .wrong }
        for index in 0..<64 {
            let letter = try seen.byte(offset + index)
            if letter == 0 {
                guard index >= 2 else { throw .wrong }
                return
            }
            guard (0x20...0x7E).contains(letter) else { throw .wrong }
        }
        throw .wrong
    }

    /// B.2.2. Height 0 ("see DNL") is legal, but no common decoder supports it.
    private static func checkFrame(_ seen: Excerpt, at offset: Int, length: Int) throws(ReadFailure) {
        let precision = try seen.byte(offset)
        let height = try seen.big16(offset + 1)
        let width = try seen.big16(offset + 3)
        let componentCount = Int(try seen.byte(offset + 5))
        guard precision == 8 || precision == 12, height > 0, width > 0 else { throw .wrong }
        guard (1...4).contains(componentCount), length == 8 + 3 * componentCount else { throw .wrong }
        for index in 0..<componentCount {
            let sampling = try seen.byte(offset + 6 + 3 * index + 1)
            guard (1...4).contains(sampling >> 4), (1...4).contains(sampling & 15) else { throw .wrong }
        }
    }

    /// B.1.1.5: in a scan, FF is followed by 00 or is a restart marker; any other marker ends it.
    private static func endOfScan(_ seen: Excerpt, from start: Int) throws(ReadFailure) -> Int {
        var offset = start
        while true {
            guard try seen.byte(offset) == 0xFF else {
                offset += 1
                continue
            }
            switch try seen.byte(offset + 1) {
            case 0x00, 0xD0...0xD7: offset += 2
            case 0xFF: offset += 1
            default: return offset
            }
        }
    }

    // MARK: - The end

    /// Fewer escapes prove nothing: they occur in other data, too.
    private static let escapesThatProveAScan = 4

    /// Rejects a tail that is the middle of a scan: several escapes, and no FF that a scan cannot contain. One such FF (of EOI or a
    /// trailer) suffices to assume that the scan had ended. Random bytes look like a scan with four escapes with probability 10⁻⁶.
    private static func checkTail(_ seen: Excerpt) throws(ReadFailure) {
        var escapes = 0
        for (byte, next) in zip(seen.tail, seen.tail.dropFirst()) where byte == 0xFF {
            switch next {
            case 0x00, 0xD0...0xD7: escapes += 1
            default: return
            }
        }
        if escapes >= escapesThatProveAScan { throw .wrong }
    }
}
