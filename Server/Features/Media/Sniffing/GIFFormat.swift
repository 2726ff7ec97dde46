/// GIF: CompuServe, Graphics Interchange Format 87a (1987) and 89a (1990). Walks the blocks as far as the excerpt reaches and requires the
/// trailer at the end, followed by nothing but zeros: cameras append nothing to a GIF, attackers append archives.
enum GIFFormat: FileFormat {
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        guard try seen.matches(Array("GIF8".utf8), at: 0), try seen.byte(5) == UInt8(ascii: "a") else { return nil }
        let version = try seen.byte(4)
        guard version == UInt8(ascii: "7") || version == UInt8(ascii: "9") else { return nil }
        guard try seen.little16(6) > 0, try seen.little16(8) > 0 else { return nil }
        // §18 of 89a: the first block has an introducer, which text after the magic letters lacks. It is within the first 781 bytes.
        let introducer = try seen.byte(firstBlock(seen))
        return introducer == 0x21 || introducer == 0x2C ? .gif : nil
    }

    private static func firstBlock(_ seen: Excerpt) throws(ReadFailure) -> Int {
        13 + colorTableByteCount(try seen.byte(10))
    }

    /// §18.c.vi, §20.c.ix: bit 7 says whether a table exists, the low three bits give its size.
    private static func colorTableByteCount(_ packed: UInt8) -> Int {
        packed & 0x80 == 0 ? 0 : 3 << (Int(packed & 7) + 1)
    }

    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        if seen.holdsEnd {
            guard let last = seen.unpaddedByteCount, try seen.byte(last - 1) == 0x3B else { throw .wrong }
        }
        var offset = try firstBlock(seen)
        var hasImage = false
        while true {
            switch try seen.byte(offset) {
            case 0x21:  // §23: extension, label, sub-blocks
                offset = try endOfSubBlocks(seen, from: offset + 2)
            case 0x2C:  // §20: image descriptor, color table, code size, sub-blocks
                guard try seen.little16(offset + 5) > 0, try seen.little16(offset + 7) > 0 else { throw .wrong }
                offset += 10 + colorTableByteCount(try seen.byte(offset + 9))
                guard (1...8).contains(try seen.byte(offset)) else { throw .wrong }
                offset = try endOfSubBlocks(seen, from: offset + 1)
                hasImage = true
            case 0x3B:
                guard hasImage else { throw .wrong }
                if seen.holdsEnd, seen.unpaddedByteCount != offset + 1 { throw .wrong }
                return
            default:
                throw .wrong
            }
        }
    }

    /// §15, §16: each sub-block begins with its size; size 0 ends the chain.
    private static func endOfSubBlocks(_ seen: Excerpt, from start: Int) throws(ReadFailure) -> Int {
        var offset = start
        while true {
            let size = Int(try seen.byte(offset))
            offset += 1 + size
            if size == 0 { return offset }
        }
    }
}
