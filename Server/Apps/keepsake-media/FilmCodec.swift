import MediaFrames

/// What the sample description of a track (`stsd`, ISO/IEC 14496-12 §8.5.2) says about its codec. Nothing is decoded.
struct FilmCodec {
    /// Whether current browsers play the codec. They play H.264 of 8 bits and 4:2:0 (14496-15 §5.3), VP8, VP9 of profile 0, AV1 of profile
    /// 0, AAC, MP3 and Opus.
    private(set) var playsInBrowsers = false
    private(set) var range = VideoFacts.BrightnessRange.standard

    /// - Parameter description: the contents of the `stsd` box.
    init?(_ file: inout ISOBoxes, description: Range<Int>, isSound: Bool) {
        guard description.count >= 8,
            let entry = file.leadingBoxes(in: (description.lowerBound + 8)..<description.upperBound).boxes.first
        else { return nil }
        // With several descriptions, the codec may change within the track, so the defaults stay.
        guard file.number(description.lowerBound + 4, 4) == 1 else { return }
        if isSound { readSound(entry, &file) } else { readPictures(entry, &file) }
    }

    /// `VisualSampleEntry`, §12.1.3: 78 bytes, and then boxes.
    private mutating func readPictures(_ entry: ISOBoxes.Box, _ file: inout ISOBoxes) {
        guard entry.content.count >= 78 else { return }
        let boxes = file.leadingBoxes(in: (entry.content.lowerBound + 78)..<entry.content.upperBound).boxes
        /// A number of one byte in the box of this type.
        func byte(_ type: ISOBoxes.Code, _ offset: Int) -> Int? {
            guard let box = boxes.first(where: { $0.type == type })?.content, box.count > offset else { return nil }
            return file.number(box.lowerBound + offset, 1)
        }
        switch entry.type {
        // Baseline, Main and High have 8 bits and 4:2:0, or no colour.
        case "avc1": playsInBrowsers = [66, 77, 100].contains(byte("avcC", 1))
        case "vp08": playsInBrowsers = true
        case "vp09": playsInBrowsers = byte("vpcC", 4) == 0
        case "av01": playsInBrowsers = byte("av1C", 1).map { $0 >> 5 } == 0
        default: break
        }
        // `ColourInformationBox`, §12.1.5, and QuickTime's own form of it: the second of three numbers is the transfer function.
        if let colour = boxes.first(where: { $0.type == "colr" })?.content, colour.count >= 10,
            ["nclx", "nclc"].contains(file.code(colour.lowerBound)),
            let found = VideoFacts.BrightnessRange(rawValue: file.number(colour.lowerBound + 6, 2))
        {
            range = found
        }
    }

    /// `AudioSampleEntry`, §12.2.3: 28 bytes, and then boxes. QuickTime's versions 1 and 2 of it have more fields.
    private mutating func readSound(_ entry: ISOBoxes.Box, _ file: inout ISOBoxes) {
        guard entry.content.count >= 28 else { return }
        switch entry.type {
        case ".mp3", "Opus": playsInBrowsers = true
        case "mp4a":
            let further = [0, 16, 36]
            let version = file.number(entry.content.lowerBound + 8, 2)
            guard further.indices.contains(version), entry.content.count >= 28 + further[version] else { return }
            let start = entry.content.lowerBound + 28 + further[version]
            var boxes = file.leadingBoxes(in: start..<entry.content.upperBound).boxes
            // QuickTime puts the boxes of MPEG-4 into one of its own.
            if let wave = boxes.first(where: { $0.type == "wave" }) { boxes += file.leadingBoxes(in: wave.content).boxes }
            guard let stream = boxes.first(where: { $0.type == "esds" })?.content else { return }
            // AAC of MPEG-4 and of MPEG-2, and MP3.
            playsInBrowsers = [0x40, 0x66, 0x67, 0x68, 0x69, 0x6B].contains(Self.objectType(file, stream))
        default: break
        }
    }

    /// The object type of an elementary stream (14496-1 §7.2.6.5 and §7.2.6.6).
    private static func objectType(_ file: ISOBoxes, _ box: Range<Int>) -> Int? {
        var at = box.lowerBound + 4
        /// - Returns: the next byte, or `nil` at the end.
        func byte() -> Int? {
            guard at < box.upperBound else { return nil }
            defer { at += 1 }
            return file.number(at, 1)
        }
        /// Reads a descriptor's tag and length.
        func begin(_ tag: Int) -> Bool {
            guard byte() == tag else { return false }
            for _ in 0..<4 {
                guard let length = byte() else { return false }
                if length & 0x80 == 0 { return true }
            }
            return false
        }
        guard begin(3) else { return nil }
        at += 2
        guard let flags = byte() else { return nil }
        if flags & 0x80 != 0 { at += 2 }
        if flags & 0x40 != 0 {
            guard let length = byte() else { return nil }
            at += length
        }
        if flags & 0x20 != 0 { at += 2 }
        return begin(4) ? byte() : nil
    }
}
