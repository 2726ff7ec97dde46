import CMediaVips
import MediaFrames

/// Unpacks one entry, in pieces of at most 64 KB. It never returns more than the directory says.
final class ZipEntryReader {
    private let bytes: UnsafeRawBufferPointer
    private var rest: Range<Int>
    /// `nil` for an entry that is stored.
    private let inflation: OpaquePointer?
    private var unpackedLeft: Int
    private var hasEnded = false
    private var piece: [UInt8]

    static let pieceByteCount = 64 * 1024

    /// - Throws: `.outOfMemory`.
    init(_ entry: ZipArchive.Entry, in archive: ZipArchive) throws(MediaRefused) {
        bytes = archive.file.bytes
        rest = entry.packed
        unpackedLeft = entry.unpackedByteCount
        piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        inflation = entry.isDeflated ? media_inflate_start() : nil
        guard !entry.isDeflated || inflation != nil else { throw MediaRefused(.outOfMemory) }
    }

    deinit { media_inflate_end(inflation) }

    /// Calls `body` with the next bytes. They are valid only during the call.
    /// - Returns: `false` at the end of the entry.
    /// - Throws: `.unreadable` when the bytes are damaged or fewer than the directory says; `.unpacksTooLarge` when they are more.
    func next(_ body: (UnsafeRawBufferPointer) -> Void) throws(MediaRefused) -> Bool {
        guard let inflation else {
            guard !rest.isEmpty else { return false }
            let part = rest.prefix(Self.pieceByteCount)
            rest = part.upperBound..<rest.upperBound
            body(UnsafeRawBufferPointer(rebasing: bytes[part]))
            forget(part)
            return true
        }
        guard !hasEnded else { return false }
        var used = 0
        var ended: CInt = 0
        let input = rest.prefix(1 << 20)
        // The base is not nil: an empty file is refused before.
        let start = bytes.baseAddress!.advanced(by: input.lowerBound).assumingMemoryBound(to: UInt8.self)
        let count = piece.withUnsafeMutableBufferPointer {
            media_inflate(inflation, start, input.count, &used, $0.baseAddress!, $0.count, &ended)
        }
        guard count >= 0 else { throw MediaRefused(.unreadable) }
        forget(rest.lowerBound..<(rest.lowerBound + used))
        rest = (rest.lowerBound + used)..<rest.upperBound
        guard count <= unpackedLeft else { throw MediaRefused(.unpacksTooLarge) }
        unpackedLeft -= count
        hasEnded = ended != 0
        if hasEnded {
            guard unpackedLeft == 0, rest.isEmpty else { throw MediaRefused(.unreadable) }
        } else if count == 0, used == 0 {
            // The packed bytes end too early.
            throw MediaRefused(.unreadable)
        }
        if count > 0 { piece.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
        return true
    }

    /// Unmaps pages that were read, so that they take no memory any more.
    private func forget(_ range: Range<Int>) {
        if range.count > 4_096 { media_forget_pages(bytes.baseAddress!.advanced(by: range.lowerBound), range.count) }
    }
}
