import CMediaVips
import MediaFrames

/// The compressed texts and colour profiles of a PNG (third edition, §11.3).
enum PNGInflation {
    private static let pieceByteCount = 64 * 1024

    /// Where the compressed data of a chunk is; `nil` for a chunk that is not compressed. A chunk whose data cannot be found has none.
    /// - Parameter at: the offset of the chunk's length.
    static func data(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ length: Int) -> Range<Int>? {
        let isInternational = bytes.has("iTXt", at: at + 4)
        guard isInternational || bytes.has("zTXt", at: at + 4) || bytes.has("iCCP", at: at + 4) else { return nil }
        let end = at + 8 + length
        let none = end..<end
        // The keyword has at most 79 bytes. In an international text, these follow: whether it is compressed, how, its language, and the
        // translated keyword.
        guard let keyword = bytes[at + 8..<end].prefix(80).firstIndex(of: 0) else { return isInternational ? nil : none }
        guard isInternational else { return min(keyword + 2, end)..<end }
        guard keyword + 1 < end, bytes[keyword + 1] != 0 else { return nil }
        guard keyword + 3 < end, let language = bytes[keyword + 3..<end].firstIndex(of: 0),
            let translation = bytes[language + 1..<end].firstIndex(of: 0)
        else { return none }
        return translation + 1..<end
    }

    /// How many bytes the data inflates to, up to the first damage; counted until there are more than `limit`.
    /// - Throws: `.outOfMemory`.
    static func byteCount(_ data: UnsafeRawBufferPointer, atMost limit: Int) throws(MediaRefused) -> Int {
        // zlib's header has two bytes (RFC 1950 §2.2).
        guard data.count > 2, let base = data.baseAddress else { return 0 }
        guard let inflation = media_inflate_start() else { throw MediaRefused(.outOfMemory) }
        defer { media_inflate_end(inflation) }
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        var at = 2
        var total = 0
        var ended: CInt = 0
        while total <= limit, ended == 0 {
            var used = 0
            let input = base.advanced(by: at).assumingMemoryBound(to: UInt8.self)
            let inputCount = data.count - at
            let count = piece.withUnsafeMutableBufferPointer {
                media_inflate(inflation, input, inputCount, &used, $0.baseAddress!, $0.count, &ended)
            }
            guard count > 0 || count == 0 && used > 0 else { break }
            at += used
            total += count
        }
        return total
    }
}
