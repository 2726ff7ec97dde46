#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The index (`moov`, ISO/IEC 14496-12 §8.2) of a film that ffmpeg wrote as a single fragment.
enum FilmIndex {
    private static let box = (index: UInt32(0x6D6F_6F76), extends: UInt32(0x6D76_6578), free: UInt32(0x6672_6565))

    /// Renames the box `mvex`, which announces fragments, to `free`, because no fragments follow and players that expect some could wait
    /// for them. Leaves a file without such a box as it is.
    /// - Throws: `MediaFailure.outputLost` when the file cannot be written.
    static func denyFragments(in file: CInt) throws(MediaFailure) {
        var end = Int(lseek(file, 0, SEEK_END))
        var at = 0
        // 64 boxes are enough: the index has a few for each track, and the file has two before the index.
        for _ in 0..<64 {
            guard let (byteCount, type) = header(file, at), byteCount >= 8, at + byteCount <= end else { return }
            switch type {
            case box.index:
                end = at + byteCount
                at += 8
            case box.extends:
                var free = box.free.bigEndian
                guard pwrite(file, &free, 4, off_t(at + 4)) == 4 else { throw .outputLost }
                return
            default: at += byteCount
            }
        }
    }

    private static func header(_ file: CInt, _ at: Int) -> (byteCount: Int, type: UInt32)? {
        var words: (UInt32, UInt32) = (0, 0)
        guard pread(file, &words, 8, off_t(at)) == 8 else { return nil }
        return (Int(UInt32(bigEndian: words.0)), UInt32(bigEndian: words.1))
    }
}
