/// The RIFF container of a WebP picture.
enum WebPContainer {
    /// Removes all chunks but those of the picture, in place, because libvips 8.14 adds an EXIF block even when told not to.
    /// - Parameter bytes: a WebP file that an encoder just wrote.
    /// - Returns: how many of the bytes remain.
    static func strip(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        let picture: Set<String> = ["VP8X", "ALPH", "VP8 ", "VP8L"]
        guard bytes.count > 12 else { return bytes.count }
        var from = 12
        var to = 12
        while from + 8 <= bytes.count {
            let kind = String(decoding: bytes[from..<from + 4], as: UTF8.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: from + 4, as: UInt32.self).littleEndian)
            let whole = min(8 + length + length % 2, bytes.count - from)
            if picture.contains(kind) {
                // Clear the flags that announce EXIF, XMP and other removed chunks; keep the one for transparency.
                if kind == "VP8X", length > 0 { bytes[from + 8] &= 0x10 }
                bytes.baseAddress!.advanced(by: to).copyMemory(from: bytes.baseAddress!.advanced(by: from), byteCount: whole)
                to += whole
            }
            from += whole
        }
        bytes.storeBytes(of: UInt32(to - 8).littleEndian, toByteOffset: 4, as: UInt32.self)
        return to
    }
}
