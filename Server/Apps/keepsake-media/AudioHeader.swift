import MediaFrames

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How much sound a WAV, MP3 or MP4 file declares. It is checked before a decoder is started. Nothing is decoded.
struct AudioHeader {
    /// The most samples that a decoder may make of the file (channels × rate × seconds), if it has the longest frames that a decoder
    /// accepts.
    let most: Int

    /// - Throws: `.unknownSound` when decoding may yield far more than the header says; `.tooManyParts` for a WAV with more chunks than
    ///   `AudioLimits.chunks`.
    init(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        // The number of samples if frames have the length that encoders usually write.
        let samples: Int
        if bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual(Array("WAVE".utf8)) {
            samples = try Self.wave(bytes)
            most = samples
        } else if bytes.count >= 8, Self.boxes.contains(ISOBoxes(bytes).code(4)) {
            let header = try VideoHeader(bytes)
            guard let longest = header.mostSoundSamples, longest <= AudioLimits.samples else { throw MediaRefused(.unknownSound) }
            samples = header.soundSamples
            most = longest
        } else {
            let sound = MPEGAudio.sound(bytes)
            guard sound.seconds <= AudioLimits.seconds else { throw MediaRefused(.tooMuchSound) }
            samples = sound.samples
            most = samples
        }
        guard samples <= AudioLimits.samples else { throw MediaRefused(.tooMuchSound) }
    }

    /// The boxes that such a file may begin with.
    private static let boxes: [ISOBoxes.Code] = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]

    /// The number of samples in RIFF's chunks. ADPCM and GSM are assumed to compress as tightly as GSM does.
    private static func wave(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) -> Int {
        func little(_ at: Int, _ count: Int) -> Int { (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) } }
        var at = 12
        var bits: Int?
        // The sum over all chunks of sound, because a decoder may use any of them.
        var byteCount: Int?
        var chunkCount = 0
        var isUnfinished = false
        while !isUnfinished, at + 8 <= bytes.count {
            chunkCount += 1
            guard chunkCount <= AudioLimits.chunks else { throw MediaRefused(.tooManyParts) }
            let length = min(little(at + 4, 4), bytes.count - at - 8)
            switch ISOBoxes(bytes).code(at) {
            // Decoders use the first such chunk.
            case "fmt " where length >= 16 && bits == nil:
                guard (1...AudioLimits.channels).contains(little(at + 10, 2)) else { throw MediaRefused(.tooMuchSound) }
                var tag = little(at + 8, 2)
                // In the extended form the tag is the beginning of a GUID.
                if tag == 0xFFFE, length >= 40 { tag = little(at + 32, 4) }
                // PCM, floats, A-law, µ-law.
                let isPlain = [1, 3, 6, 7, 0xFFFE].contains(tag)
                guard isPlain || [2, 0x11, 0x31].contains(tag) else { throw MediaRefused(.unknownSound) }
                bits = isPlain ? max(8, little(at + 22, 2)) : 2
            case "data":
                guard bits != nil else { throw MediaRefused(.unreadable) }
                // A recorder that was interrupted leaves a length of 0 or all ones. Then the rest of the file counts.
                if byteCount == nil, length == 0 { isUnfinished = true } else { byteCount = (byteCount ?? 0) + length }
            default: break
            }
            at += 8 + length + length % 2
        }
        if isUnfinished { byteCount = (byteCount ?? 0) + max(0, bytes.count - at) }
        guard let bits, let byteCount else { throw MediaRefused(.unreadable) }
        return byteCount * 8 / bits
    }
}

/// Counts the frames of an MP3 file by their headers (ISO/IEC 11172-3 §2.4.2.3, 13818-3 §2.4.2.3).
private enum MPEGAudio {
    /// - Returns: channels × samples of all frames, and how long they last.
    static func sound(_ bytes: UnsafeRawBufferPointer) -> (samples: Int, seconds: Double) {
        var at = 0
        var total = (samples: 0, seconds: 0.0)
        // An ID3v2 tag stores its length as four groups of seven bits.
        if bytes.count >= 10, bytes.starts(with: Array("ID3".utf8)) {
            at = 10 + (6..<10).reduce(0) { $0 << 7 | Int(bytes[$1] & 0x7F) }
        }
        while at + 4 <= bytes.count {
            if let frame = frame(bytes, at) {
                total.samples += frame.samples
                total.seconds += frame.seconds
                at += frame.length
            } else {
                guard let next = memchr(bytes.baseAddress! + at + 1, 0xFF, bytes.count - at - 1) else { break }
                at = UnsafeRawPointer(next) - bytes.baseAddress!
            }
        }
        return total
    }

    private static func frame(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> (length: Int, samples: Int, seconds: Double)? {
        guard bytes[at] == 0xFF, bytes[at + 1] & 0xE0 == 0xE0 else { return nil }
        // 0 is MPEG 2.5, 2 is MPEG 2, 3 is MPEG 1.
        let version = Int(bytes[at + 1] >> 3 & 3)
        let layer = 4 - Int(bytes[at + 1] >> 1 & 3)
        let (rateIndex, frequencyIndex) = (Int(bytes[at + 2] >> 4), Int(bytes[at + 2] >> 2 & 3))
        guard version != 1, layer != 4, frequencyIndex != 3, 1...14 ~= rateIndex else { return nil }
        let isFirst = version == 3
        let rate = 1_000 * kilobits[isFirst ? layer - 1 : layer == 1 ? 3 : 4][rateIndex - 1]
        let frequency = [44_100, 48_000, 32_000][frequencyIndex] >> (isFirst ? 0 : version == 2 ? 1 : 2)
        let padding = Int(bytes[at + 2] >> 1 & 1)
        let samples = layer == 1 ? 384 : layer == 3 && !isFirst ? 576 : 1_152
        let length = layer == 1 ? (12 * rate / frequency + padding) * 4 : samples / 8 * rate / frequency + padding
        guard length >= 4 else { return nil }
        return (length, samples * (bytes[at + 3] >> 6 == 3 ? 1 : 2), Double(samples) / Double(frequency))
    }

    /// Bit rates for the three layers of MPEG 1, then for MPEG 2's first layer, then for its other two.
    private static let kilobits = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
}
