/// MP3: ISO/IEC 11172-3 §2.4.1.3 and 13818-3 (frame headers), and the preceding tag, ID3v2 (id3.org, 2.2 to 2.4, §3).
///
/// A frame has no magic number, only eleven set bits, so two consecutive frames are required. A file that begins with ID3v2 is accepted
/// while it arrives, because its tag may contain cover art that is longer than the bytes that are checked by then. When the file is
/// complete, frames must follow the tag or stand at the end of the file. A truncated file is accepted, because it is a shorter recording.
enum MPEGAudioFormat: FileFormat {
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        if let tag = try ID3(seen, at: 0) {
            return try tag.hasPlausibleContent(seen) ? .mp3 : nil
        }
        return try hasTwoFrames(seen, at: 0) ? .mp3 : nil
    }

    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        var offset = 0
        while let tag = try ID3(seen, orUnseenAt: offset) {
            offset = tag.end
            try seen.expectLength(atLeast: offset + 4)
        }
        do throws(ReadFailure) {
            // Some writers put the padding after the tag instead of inside it.
            while try seen.byte(offset) == 0 { offset += 1 }
            guard let first = try Frame(seen, at: offset) else { throw .wrong }
            offset += first.byteCount
            try seen.expectLength(atLeast: offset)
            // A recording of one frame ends here or continues with a tag.
            if seen.byteCount == offset { return }
            if try isTag(seen, at: offset) { return }
            guard let second = try Frame(seen, at: offset), first.isSameStream(as: second) else { throw .wrong }
        } catch .unseen {
            guard !seen.holdsEnd || hasFramesAtEnd(seen) else { throw .wrong }
        }
    }

    /// Tags that players append after the frames: ID3v1, APEv2, Lyrics3.
    private static func isTag(_ seen: Excerpt, at offset: Int) throws(ReadFailure) -> Bool {
        for name in ["TAG", "APETAGEX", "LYRICSBEGIN"] where try seen.matches(Array(name.utf8), at: offset) { return true }
        return false
    }

    private static func hasTwoFrames(_ seen: Excerpt, at offset: Int) throws(ReadFailure) -> Bool {
        guard let first = try Frame(seen, at: offset) else { return false }
        guard let second = try Frame(seen, at: offset + first.byteCount) else { return false }
        return first.isSameStream(as: second)
    }

    /// Whether the tail holds two consecutive frames, or a tag at its fixed offset: the last 128 bytes (ID3v1) or the last 32 (APEv2).
    private static func hasFramesAtEnd(_ seen: Excerpt) -> Bool {
        guard let byteCount = seen.byteCount else { return false }
        if (try? seen.matches(Array("TAG".utf8), at: byteCount - 128)) == true { return true }
        if (try? seen.matches(Array("APETAGEX".utf8), at: byteCount - 32)) == true { return true }
        return (byteCount - seen.tail.count..<byteCount).contains { (try? hasTwoFrames(seen, at: $0)) == true }
    }
}

private struct ID3 {
    let start: Int
    let majorVersion: UInt8
    let flags: UInt8
    let end: Int

    /// `nil` when there is no tag at `offset`.
    /// - Throws: `.wrong` for a tag that breaks the rules.
    init?(_ seen: Excerpt, at offset: Int) throws(ReadFailure) {
        guard try seen.matches(Array("ID3".utf8), at: offset) else { return nil }
        start = offset
        majorVersion = try seen.byte(offset + 3)
        flags = try seen.byte(offset + 5)
        guard (2...4).contains(majorVersion), try seen.byte(offset + 4) != 0xFF, flags & 0x0F == 0 else { throw .wrong }
        var byteCount = 0
        for index in 6..<10 {  // "synchsafe": the top bit is never set
            let byte = try seen.byte(offset + index)
            guard byte & 0x80 == 0 else { throw .wrong }
            byteCount = byteCount << 7 | Int(byte)
        }
        guard byteCount > 0 else { throw .wrong }
        let footer = majorVersion == 4 && flags & 0x10 != 0 ? 10 : 0
        end = offset + 10 + byteCount + footer
    }

    /// Like `init(_:at:)`, but also `nil` when the excerpt does not hold the bytes at `offset`.
    init?(_ seen: Excerpt, orUnseenAt offset: Int) throws(ReadFailure) {
        do throws(ReadFailure) {
            guard let tag = try Self(seen, at: offset) else { return nil }
            self = tag
        } catch .unseen {
            return nil
        }
    }

    /// Whether the header is followed by a frame's name (three letters or digits in 2.2, else four), padding, or an extended header.
    func hasPlausibleContent(_ seen: Excerpt) throws(ReadFailure) -> Bool {
        let hasExtendedHeader = majorVersion > 2 && flags & 0x40 != 0
        if hasExtendedHeader { return try seen.big32(start + 10) < end - start }
        if try seen.byte(start + 10) == 0 { return true }
        for index in 0..<(majorVersion == 2 ? 3 : 4) {
            switch try seen.byte(start + 10 + index) {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            default: return false
            }
        }
        return true
    }
}

/// The header of a layer III frame.
private struct Frame {
    /// kbit/s; index 0 is "free format", which phones and common encoders do not write; 15 is forbidden.
    private static let bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let sampleRates = [44_100, 48_000, 32_000]

    let version: UInt8
    let sampleRate: Int
    /// Including the header.
    let byteCount: Int

    /// `nil` when the four bytes at `offset` are not such a header.
    init?(_ seen: Excerpt, at offset: Int) throws(ReadFailure) {
        let second = try seen.byte(offset + 1)
        let third = try seen.byte(offset + 2)
        let fourth = try seen.byte(offset + 3)
        // Sync; version, which is not the reserved one (3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5); layer III (AAC's ADTS has layer 0 here).
        version = second >> 3 & 3
        guard try seen.byte(offset) == 0xFF, second >> 5 == 7, version != 1, second >> 1 & 3 == 1 else { return nil }
        let bitRateIndex = Int(third >> 4)
        let sampleRateIndex = Int(third >> 2 & 3)
        guard (1...14).contains(bitRateIndex), sampleRateIndex < 3, fourth & 3 != 2 else { return nil }
        let isVersion1 = version == 3
        sampleRate = Self.sampleRates[sampleRateIndex] / (isVersion1 ? 1 : version == 2 ? 2 : 4)
        let bitRate = (isVersion1 ? Self.bitRates1 : Self.bitRates2)[bitRateIndex] * 1000
        byteCount = (isVersion1 ? 144 : 72) * bitRate / sampleRate + Int(third >> 1 & 1)
    }

    func isSameStream(as other: Frame) -> Bool { version == other.version && sampleRate == other.sampleRate }
}
