/// RIFF: Microsoft/IBM Multimedia Programming Interface 1.0, "Resource Interchange File Format". Sizes are little-endian and do not
/// count the eight bytes of their own header; a chunk of odd size is followed by a pad byte.
private enum RIFF {
    struct Chunk {
        let name: FourCC
        let byteCount: Int
        let content: Int
        /// Offset after the pad byte.
        var next: Int { content + byteCount + (byteCount & 1) }
    }

    static func chunk(_ seen: Excerpt, at offset: Int) throws(ReadFailure) -> Chunk {
        let name = try seen.fourCC(offset)
        guard name.isPlausible else { throw .wrong }
        return Chunk(name: name, byteCount: try seen.little32(offset + 4), content: offset + 8)
    }

    /// The declared size must equal the file's size, give or take the pad byte.
    static func checkSize(_ seen: Excerpt, _ declared: Int) throws(ReadFailure) {
        guard let byteCount = seen.byteCount else { return }
        let end = 8 + declared
        guard byteCount == end || (declared & 1 == 1 && byteCount == end + 1) else { throw .wrong }
    }
}

/// WebP: RFC 9649 §2; the bitstreams' first bytes by RFC 6386 §9.1 (VP8) and RFC 9649 §3.4 (VP8L).
enum WebPFormat: FileFormat {
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        guard try seen.fourCC(0) == "RIFF", try seen.fourCC(8) == "WEBP" else { return nil }
        let first = try RIFF.chunk(seen, at: 12)
        let isLegal =
            switch first.name {
            case "VP8 ": try isVP8(seen, first)
            case "VP8L": try isVP8L(seen, first)
            case "VP8X": try isVP8X(seen, first)
            default: false
            }
        return isLegal ? .webp : nil
    }

    /// Whether the chunk is a visible key frame with a start code and a size. The version field has three bits, and four of its values are
    /// defined.
    private static func isVP8(_ seen: Excerpt, _ chunk: RIFF.Chunk) throws(ReadFailure) -> Bool {
        let tag = try seen.little24(chunk.content)
        let isShownKeyFrame = tag & 1 == 0 && tag >> 1 & 7 <= 3 && tag >> 4 & 1 == 1
        let firstPartition = tag >> 5
        let width = try seen.little16(chunk.content + 6) & 0x3FFF
        let height = try seen.little16(chunk.content + 8) & 0x3FFF
        guard try seen.matches([0x9D, 0x01, 0x2A], at: chunk.content + 3) else { return false }
        return isShownKeyFrame && 10 + firstPartition <= chunk.byteCount && width > 0 && height > 0
    }

    /// Whether the chunk has the signature byte, and version 0 in the top three bits of the fifth byte.
    private static func isVP8L(_ seen: Excerpt, _ chunk: RIFF.Chunk) throws(ReadFailure) -> Bool {
        guard try seen.byte(chunk.content) == 0x2F, try seen.byte(chunk.content + 4) >> 5 == 0 else { return false }
        return chunk.byteCount > 5
    }

    /// RFC 9649 §2.7.1: the chunk has ten bytes, and the canvas at most 2³² − 1 pixels. Reserved bits are to be ignored.
    private static func isVP8X(_ seen: Excerpt, _ chunk: RIFF.Chunk) throws(ReadFailure) -> Bool {
        let width = 1 + (try seen.little24(chunk.content + 4))
        let height = 1 + (try seen.little24(chunk.content + 7))
        return chunk.byteCount == 10 && width * height <= 0xFFFF_FFFF
    }

    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        let declared = try seen.little32(4)
        try RIFF.checkSize(seen, declared)
        let end = 8 + declared
        var offset = 12
        var hasImage = false
        while offset < end {
            let chunk = try RIFF.chunk(seen, at: offset)
            if ["VP8 ", "VP8L", "ANMF"].contains(chunk.name) { hasImage = true }
            // Some writers omit the last pad byte.
            guard chunk.content + chunk.byteCount <= end else { throw .wrong }
            offset = chunk.next
        }
        guard hasImage else { throw .wrong }
    }
}

/// WAV: the RIFF document, "Waveform Audio File Format"; Microsoft, mmreg.h (format tags). RF64 and Wave64 are other formats.
enum WAVFormat: FileFormat {
    /// PCM, Microsoft ADPCM, IEEE float, A-law, µ-law, IMA ADPCM, GSM 6.10, extensible.
    private static let formatTags: Set<Int> = [0x0001, 0x0002, 0x0003, 0x0006, 0x0007, 0x0011, 0x0031, 0xFFFE]

    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        guard try seen.fourCC(0) == "RIFF", try seen.fourCC(8) == "WAVE" else { return nil }
        // `fmt ` comes before `data`; JUNK, bext or LIST may come before both. `fmt ` must be in the window.
        var chunk = try RIFF.chunk(seen, at: 12)
        while chunk.name != "fmt " {
            guard chunk.name != "data" else { return nil }
            chunk = try RIFF.chunk(seen, at: chunk.next)
        }
        let tag = try seen.little16(chunk.content)
        let channelCount = try seen.little16(chunk.content + 2)
        let sampleRate = try seen.little32(chunk.content + 4)
        let blockByteCount = try seen.little16(chunk.content + 12)
        let bitsPerSample = try seen.little16(chunk.content + 14)
        guard formatTags.contains(tag), (16...256).contains(chunk.byteCount) else { return nil }
        guard (1...64).contains(channelCount), (1...768_000).contains(sampleRate), blockByteCount > 0 else { return nil }
        if tag == 1 || tag == 3 {
            guard blockByteCount == channelCount * ((bitsPerSample + 7) / 8) else { return nil }
        }
        return .wav
    }

    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        let declared = try seen.little32(4)
        // A recorder that writes to a pipe, or that was killed, cannot go back to fill in the sizes.
        let isStreamed = declared == 0 || declared == 0xFFFF_FFFF
        if !isStreamed { try RIFF.checkSize(seen, declared) }
        var offset = 12
        while true {
            let chunk = try RIFF.chunk(seen, at: offset)
            if !isStreamed, chunk.content + chunk.byteCount > 8 + declared { throw .wrong }
            if chunk.name == "data" { return }
            offset = chunk.next
        }
    }
}
