import MediaFrames

/// The samples that the tables of one track declare (ISO/IEC 14496-12 §8.6, §8.7), checked against the file: a table of a few bytes can
/// refer to the same bytes again and again, and a decoder would follow it. Nothing is decoded.
struct SampleTable {
    /// Channels of sound, 1 or more.
    private(set) var channels = 1
    /// Whether the sound is uncompressed, so that each entry of the table is one sample.
    private var isPlain = false
    /// Samples of sound in one frame of the table, as encoders usually write it.
    private var samplesPerFrame = 1_024
    /// The most samples × channels that a decoder makes of one frame; `nil` when the codec is not a known one.
    private var mostPerFrame: Int? = 0
    /// How many samples and bytes a packet has, from version 1 of QuickTime's sound description.
    private var packet: (samples: Int, byteCount: Int)?
    private(set) var frames = 0
    /// The sum of the frames' sizes.
    private(set) var byteCount = 0
    /// How often the edit list shows the track.
    private(set) var showings = 1

    /// Channels × rate × seconds.
    var soundSamples: Int { SampleTable.product(frames, samplesPerFrame, channels, showings) }
    /// The most samples × channels that a decoder makes of the track; `nil` when the codec is not a known one.
    var mostSoundSamples: Int? { mostPerFrame.map { SampleTable.product(frames, $0, showings) } }
    var pictures: Int { SampleTable.product(frames, showings) }

    private static let plainSound: [ISOBoxes.Code] = [
        "raw ", "twos", "sowt", "lpcm", "in24", "in32", "fl32", "fl64", "ulaw", "alaw", "NONE", "ipcm", "fpcm",
    ]

    /// - Parameters:
    ///   - track: the contents of the `trak` box.
    ///   - media: the contents of its `mdia` box.
    init(_ file: inout ISOBoxes, track: Range<Int>, media: Range<Int>, isSound: Bool) throws(MediaRefused) {
        if let edits = try file.box("edts", in: track), let list = try file.box("elst", in: edits), list.count >= 8 {
            showings = max(1, file.number(list.lowerBound + 4, 4))
        }
        guard let information = try file.box("minf", in: media), let table = try file.box("stbl", in: information) else { return }
        if isSound, let description = try file.box("stsd", in: table), description.count >= 8,
            let entry = try file.boxes(in: (description.lowerBound + 8)..<description.upperBound).first
        {
            mostPerFrame = nil
            if entry.content.count >= 28 {
                describe(entry, file)
                guard (1...AudioLimits.channels).contains(channels) else { throw MediaRefused(.tooMuchSound) }
                mostPerFrame = Self.largestFrame(of: entry, description, channels, &file)
            }
        }
        let compact = try file.box("stz2", in: table)
        let usual = try file.box("stsz", in: table)
        guard let sizes = usual ?? compact, sizes.count >= 12 else { return }
        let (chunked, size) = (try chunkedFrames(&file, table), file.number(sizes.lowerBound + 4, 4))
        let isCompact = sizes == compact
        let count = file.number(sizes.lowerBound + 8, 4)
        if isCompact {
            // Sizes of 4, 8 or 16 bits: only their number is used.
            guard count <= 2 * sizes.count else { throw MediaRefused(.unreadable) }
            add(frames: count, byteCount: 0)
        } else if size != 0 {
            // All samples have the same size, so the table does not list them; their number follows from the chunks.
            let all = max(count, chunked)
            if size == 1, let packet {
                add(frames: all, byteCount: SampleTable.product(all / packet.samples, packet.byteCount))
            } else {
                add(frames: all, byteCount: SampleTable.product(all, size))
            }
        } else {
            guard count <= (sizes.count - 12) / 4 else { throw MediaRefused(.unreadable) }
            add(frames: count, byteCount: file.sum(of: count, at: sizes.lowerBound + 12))
        }
    }

    mutating func add(frames more: Int, byteCount bytes: Int) {
        frames = min(frames + more, Int(UInt32.max) << 8)
        byteCount = min(byteCount + bytes, Int.max / 4)
    }

    /// - Throws: `.unreadable` when the samples are larger than the file, `.tooMuchSound`, `.tooManyFrames`.
    func check(isSound: Bool, fileByteCount: Int) throws(MediaRefused) {
        guard byteCount <= fileByteCount else { throw MediaRefused(.unreadable) }
        guard !isSound || soundSamples <= AudioLimits.samples else { throw MediaRefused(.tooMuchSound) }
        guard isSound || pictures <= AudioLimits.pictures else { throw MediaRefused(.tooManyFrames) }
    }

    /// `AudioSampleEntry`, §12.2.3, and QuickTime's own versions 1 and 2 of it.
    private mutating func describe(_ entry: ISOBoxes.Box, _ file: ISOBoxes) {
        let at = entry.content.lowerBound
        let version = file.number(at + 8, 2)
        channels = max(1, file.number(at + 16, 2))
        if version == 2, entry.content.count >= 64 { channels = max(1, file.number(at + 40, 4)) }
        if version == 1, entry.content.count >= 44 {
            let (samples, bytes) = (file.number(at + 28, 4), file.number(at + 36, 4))
            if samples > 1, bytes > 0 { packet = (samples, bytes) }
        }
        switch entry.type {
        case "alac": samplesPerFrame = 4_096
        case "ac-3", "ec-3": samplesPerFrame = 1_536
        case ".mp3": samplesPerFrame = 1_152
        default: isPlain = packet != nil || Self.plainSound.contains(entry.type)
        }
        if isPlain { samplesPerFrame = 1 }
    }

    /// - Returns: samples × channels; `nil` for a codec that is not listed here.
    private static func largestFrame(
        of entry: ISOBoxes.Box, _ description: Range<Int>, _ channels: Int, _ file: inout ISOBoxes
    ) -> Int? {
        switch entry.type {
        // RFC 9639 §9.1: the decoder follows the frame, which may also have more channels than the description.
        case "fLaC": return 65_535 * AudioLimits.channels
        // RFC 6716 §3.2.5: 120 ms.
        case "Opus": return 5_760 * channels
        case "ac-3", "ec-3": return 1_536 * channels
        case ".mp3": return 1_152 * channels
        case "alac": return hasUsualFrames(alac: entry, file) ? 4_096 * channels : nil
        // AAC and MP3 only. Other codecs of MPEG-4 have longer frames.
        case "mp4a": return FilmCodec(&file, description: description, isSound: true)?.playsInBrowsers == true ? 1_024 * channels : nil
        default: return plainSound.contains(entry.type) ? channels : nil
        }
    }

    /// Whether the decoder's configuration, which comes first in the description, allows no frames of more than 4,096 samples.
    private static func hasUsualFrames(alac entry: ISOBoxes.Box, _ file: ISOBoxes) -> Bool {
        let at = entry.content.lowerBound
        guard entry.content.count >= 64, file.number(at + 8, 2) == 0, file.number(at + 28, 4) >= 36, file.code(at + 32) == "alac" else {
            return false
        }
        return file.number(at + 40, 4) <= 4_096
    }

    /// `stsc` and `stco`, §8.7.4 and §8.7.5: how many frames the chunks contain in total.
    private func chunkedFrames(_ file: inout ISOBoxes, _ table: Range<Int>) throws(MediaRefused) -> Int {
        let (short, long) = (try file.box("stco", in: table), try file.box("co64", in: table))
        guard let runs = try file.box("stsc", in: table), runs.count >= 8, let offsets = short ?? long, offsets.count >= 8 else { return 0 }
        let chunks = min(file.number(offsets.lowerBound + 4, 4), (offsets.count - 8) / 4)
        let count = min(file.number(runs.lowerBound + 4, 4), (runs.count - 8) / 12)
        var total = 0
        for index in 0..<count {
            let at = runs.lowerBound + 8 + 12 * index
            let first = file.number(at, 4)
            let next = index + 1 < count ? file.number(at + 12, 4) : chunks + 1
            let held = min(max(0, next - first), chunks)
            total = min(total + Self.product(held, file.number(at + 4, 4)), Int(UInt32.max) << 8)
        }
        return total
    }

    /// The product of the factors. It saturates at a value that is far above every limit and below overflow.
    static func product(_ factors: Int...) -> Int {
        factors.reduce(1) { product, factor in
            let (result, overflows) = product.multipliedReportingOverflow(by: factor)
            return overflows ? Int.max / 4 : min(result, Int.max / 4)
        }
    }
}
