/// PNG and animated PNG: W3C PNG Specification (third edition) §5, §11.2. Checks IHDR including its CRC, walks the chunks as far as the
/// excerpt reaches, and requires that the file ends with IEND, followed by nothing but zeros.
enum PNGFormat: FileFormat {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// §11.2.5: IEND has no data, so its CRC is constant.
    private static let end: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        guard try seen.matches(signature, at: 0), try seen.big32(8) == 13, try seen.fourCC(12) == "IHDR" else { return nil }
        let width = try seen.big32(16)
        let height = try seen.big32(20)
        guard (1...0x7FFF_FFFF).contains(width), (1...0x7FFF_FFFF).contains(height) else { return nil }
        let bitDepth = try seen.byte(24)
        let isLegal =
            switch try seen.byte(25) {  // §11.2.1, Table 12: color type and the depths it may have
            case 0: [1, 2, 4, 8, 16].contains(bitDepth)
            case 3: [1, 2, 4, 8].contains(bitDepth)
            case 2, 4, 6: [8, 16].contains(bitDepth)
            default: false
            }
        let compression = try seen.byte(26)
        let filter = try seen.byte(27)
        let interlace = try seen.byte(28)
        guard isLegal, compression == 0, filter == 0, interlace <= 1 else { return nil }
        guard try crc32(seen, 12..<29) == seen.big32(29) else { return nil }
        return .png
    }

    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        if seen.holdsEnd {
            guard let last = seen.unpaddedByteCount, try seen.matches(end, at: last - end.count) else { throw .wrong }
        }
        var offset = 33
        var hasData = false
        while true {
            let length = try seen.big32(offset)
            let name = try seen.fourCC(offset + 4)
            guard length <= 0x7FFF_FFFF, name.isLetters, name != "IHDR" else { throw .wrong }
            let next = offset + 12 + length
            try seen.expectLength(atLeast: next)
            if name == "IDAT" { hasData = true }
            if name == "IEND" {
                guard hasData, try seen.matches(end, at: offset) else { throw .wrong }
                if seen.holdsEnd, seen.unpaddedByteCount != next { throw .wrong }
                return
            }
            offset = next
        }
    }

    /// Annex D, bit by bit: a table is not worth it for seventeen bytes.
    private static func crc32(_ seen: Excerpt, _ range: Range<Int>) throws(ReadFailure) -> Int {
        var crc: UInt32 = 0xFFFF_FFFF
        for offset in range {
            crc ^= UInt32(try seen.byte(offset))
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return Int(~crc)
    }
}
