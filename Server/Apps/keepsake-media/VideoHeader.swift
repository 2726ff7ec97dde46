import MediaFrames

/// The few boxes of an MP4 or QuickTime file (ISO/IEC 14496-12) that contain its size and duration. Nothing is decoded.
struct VideoHeader {
    private(set) var facts = VideoFacts(width: nil, height: nil, milliseconds: nil, hasSound: false)
    /// The samples of the track with the most sound: channels × rate × seconds.
    private(set) var soundSamples = 0
    /// The most samples × channels that a decoder makes of any track; `nil` when a track has an unknown codec.
    private(set) var mostSoundSamples: Int? = 0
    /// The codecs of the first track of pictures and of the first track of sound; `nil` without such a track or its description.
    private var pictureCodec: FilmCodec?
    private var soundCodec: FilmCodec?
    private var file: ISOBoxes
    private let fragments: Fragments

    init(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        file = ISOBoxes(bytes)
        // Reads all boxes, although only one is needed: a valid film has nothing but boxes up to its end.
        let all = try file.boxes(in: 0..<bytes.count)
        guard let movie = all.first(where: { $0.type == "moov" }) else { throw MediaRefused(.unreadable) }
        fragments = try Fragments(bytes, movie: movie.content, fragments: all.filter { $0.type == "moof" }.map(\.content))
        let boxes = try file.boxes(in: movie.content)
        if let header = boxes.first(where: { $0.type == "mvhd" }) { readHeader(header.content) }
        if let seconds = FilmMetadata.recordedAt(&file, movie: movie.content) { facts.recordedAt = seconds }
        for box in boxes {
            if box.type == "trak" { try readTrack(box.content) }
            if box.type == "mvex" { try readExtension(box.content) }
        }
        guard facts.width != nil || facts.hasSound else { throw MediaRefused(.unreadable) }
        if let pictureCodec {
            facts.playsInBrowsers = pictureCodec.playsInBrowsers && soundCodec?.playsInBrowsers != false
            facts.range = pictureCodec.range
        }
    }

    // MARK: What they say

    /// `mvhd`, §8.2.2: creation time, ticks per second, and duration in ticks.
    private mutating func readHeader(_ range: Range<Int>) {
        let isLong = !range.isEmpty && file.bytes[range.lowerBound] == 1
        guard range.count >= (isLong ? 32 : 20) else { return }
        let width = isLong ? 8 : 4
        let at = range.lowerBound + 4
        timescale = file.number(at + 2 * width, 4)
        let ticks = at + 2 * width + 4
        setLength(ticks, width)
        // Seconds since 1904. Cameras without a clock write 0, or a time soon after.
        guard !isLong || file.bytes[at] == 0 else { return }
        let seconds = file.number(at, width) - 2_082_844_800
        if seconds > 0, seconds < 4_102_444_800 { facts.recordedAt = seconds }
    }

    private var timescale = 0

    /// Sets the film's duration, unless all its bits are set, which means that the duration is unknown.
    private mutating func setLength(_ at: Int, _ width: Int) {
        guard timescale > 0, file.bytes[at..<at + width].contains(where: { $0 != 0xFF }), file.bytes[at] < 0x80 else { return }
        let (whole, rest) = file.number(at, width).quotientAndRemainder(dividingBy: timescale)
        guard whole < VideoFacts.longest / 1_000, whole > 0 || rest > 0 else { return }
        facts.milliseconds = whole * 1_000 + rest * 1_000 / timescale
    }

    /// `mehd`, §8.8.2: the duration of a fragmented film, if the writer added it.
    private mutating func readExtension(_ range: Range<Int>) throws(MediaRefused) {
        guard facts.milliseconds == nil, let length = try file.box("mehd", in: range), !length.isEmpty else { return }
        let width = file.bytes[length.lowerBound] == 1 ? 8 : 4
        if length.count >= 4 + width { setLength(length.lowerBound + 4, width) }
    }

    /// `trak`, §8.3 and below. The first track with a picture is the film's.
    private mutating func readTrack(_ range: Range<Int>) throws(MediaRefused) {
        guard let media = try file.box("mdia", in: range) else { return }
        guard let handler = try file.box("hdlr", in: media), handler.count >= 12 else { return try checkSilence(media) }
        let kind = file.code(handler.lowerBound + 8)
        if kind != "soun" { try checkSilence(media) }
        if kind == "soun" || kind == "vide" { try checkSamples(range, media, isSound: kind == "soun") }
        switch kind {
        case "soun":
            if !facts.hasSound { soundCodec = try codec(of: media, isSound: true) }
            facts.hasSound = true
        case "vide":
            guard facts.width == nil, let header = try file.box("tkhd", in: range), let size = try pixels(media, header) else { return }
            guard size.width * size.height <= PictureLimits.filmPixels else { throw MediaRefused(.tooManyPixels) }
            (facts.width, facts.height) = isOnItsSide(header) ? (size.height, size.width) : size
            pictureCodec = try codec(of: media, isSound: false)
        default: return
        }
    }

    /// Checks every track, since a decoder may choose any of them.
    private mutating func checkSamples(_ track: Range<Int>, _ media: Range<Int>, isSound: Bool) throws(MediaRefused) {
        var table = try SampleTable(&file, track: track, media: media, isSound: isSound)
        // §8.3.2: the track's number follows two times of 32 or 64 bits.
        if let header = try file.box("tkhd", in: track), header.count >= 24 {
            let number = file.number(header.lowerBound + (file.bytes[header.lowerBound] == 1 ? 20 : 12), 4)
            if let more = fragments.tracks[number] { table.add(frames: more.frames, byteCount: more.byteCount) }
        }
        try table.check(isSound: isSound, fileByteCount: file.bytes.count)
        guard isSound else { return }
        soundSamples = max(soundSamples, table.soundSamples)
        if let most = table.mostSoundSamples { mostSoundSamples = mostSoundSamples.map { max($0, most) } } else { mostSoundSamples = nil }
    }

    /// Treats a track whose codec is not certainly silent as sound of an unknown codec. ffmpeg decodes a track as sound if its codec is one
    /// of sound, whatever the track says that it is.
    private mutating func checkSilence(_ media: Range<Int>) throws(MediaRefused) {
        guard let information = try file.box("minf", in: media), let table = try file.box("stbl", in: information),
            let description = try file.box("stsd", in: table), description.count >= 16
        else { return }
        if !Self.silentCodecs.contains(file.code(description.lowerBound + 12)) { mostSoundSamples = nil }
    }

    /// The codecs of pictures, text, time codes and measurements that audio files and films usually have.
    private static let silentCodecs: [ISOBoxes.Code] = [
        "avc1", "avc3", "hvc1", "hev1", "vp08", "vp09", "av01", "mp4v", "jpeg", "mjpa", "png ", "text", "tx3g", "wvtt", "stpp", "c608",
        "c708", "tmcd", "mebx", "mett", "metx", "gpmd", "camm", "rtp ", "mp4s",
    ]

    private mutating func codec(of media: Range<Int>, isSound: Bool) throws(MediaRefused) -> FilmCodec? {
        guard let information = try file.box("minf", in: media), let table = try file.box("stbl", in: information),
            let description = try file.box("stsd", in: table)
        else { return nil }
        return FilmCodec(&file, description: description, isSound: isSound)
    }

    /// The size of the decoded pictures (`stsd`, §12.1.3), or else the size at which the track is shown.
    private mutating func pixels(_ media: Range<Int>, _ header: Range<Int>) throws(MediaRefused) -> (width: Int, height: Int)? {
        if let information = try file.box("minf", in: media), let table = try file.box("stbl", in: information),
            let description = try file.box("stsd", in: table), description.count >= 8,
            let entry = try file.boxes(in: (description.lowerBound + 8)..<description.upperBound).first, entry.content.count >= 28,
            let size = believable(file.number(entry.content.lowerBound + 24, 2), file.number(entry.content.lowerBound + 26, 2))
        {
            return size
        }
        guard header.count >= 84 else { return nil }
        return believable(file.number(header.upperBound - 8, 2), file.number(header.upperBound - 4, 2))
    }

    private func believable(_ width: Int, _ height: Int) -> (width: Int, height: Int)? {
        (1...VideoFacts.side).contains(width) && (1...VideoFacts.side).contains(height) ? (width, height) : nil
    }

    /// `tkhd`'s matrix, §6.2.2: a quarter turn has zeros in its diagonal.
    private func isOnItsSide(_ header: Range<Int>) -> Bool {
        guard header.count >= 84 else { return false }
        let matrix = header.upperBound - 44
        return file.number(matrix, 4) == 0 && file.number(matrix + 16, 4) == 0 && file.number(matrix + 4, 4) != 0
            && file.number(matrix + 12, 4) != 0
    }
}
