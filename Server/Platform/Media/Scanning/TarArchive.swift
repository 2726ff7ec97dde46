import NIOCore

/// The part of POSIX ustar that the probe needs.
enum TarArchive {
    /// The size of a member, which fills whole blocks of 512 bytes.
    static func padded(_ byteCount: Int64) -> Int64 { (byteCount + 511) / 512 * 512 }

    /// - Parameter name: at most 99 bytes of ASCII.
    static func header(name: String, byteCount: Int64) -> ByteBuffer {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) { block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8) }
        put(name, at: 0)
        put("0000644", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(octal(byteCount, digits: 11), at: 124)
        put("00000000000", at: 136)
        put("0", at: 156)
        put("ustar\0" + "00", at: 257)
        // The checksum counts its own field as spaces.
        put("        ", at: 148)
        put(octal(block.reduce(0) { $0 + Int64($1) }, digits: 6) + "\0 ", at: 148)
        return ByteBuffer(bytes: block)
    }

    private static func octal(_ number: Int64, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
