/// Apple's metadata of a film (QuickTime File Format, "Metadata"): a table of keys, and values by the number of their key. What is damaged here
/// is ignored, because players ignore it too.
enum FilmMetadata {
    private static let key = "com.apple.quicktime.creationdate"
    /// The most entries of the table of keys that are read.
    private static let mostKeys = 100

    /// When the film was recorded. An edited or exported film keeps this time, whereas its `mvhd` has that of the export.
    /// - Returns: seconds since 1970; `nil` if the film does not state it.
    static func recordedAt(_ file: inout ISOBoxes, movie: Range<Int>) -> Int? {
        guard let box = metadata(&file, movie), box.count >= 8 else { return nil }
        // ISO/IEC 14496-12 begins the box with a version, QuickTime does not.
        let hasVersion = file.code(box.lowerBound + 4) != "hdlr"
        let content = (box.lowerBound + (hasVersion ? 4 : 0))..<box.upperBound
        guard let keys = try? file.box("keys", in: content), let number = number(of: key, in: keys, file),
            let values = try? file.box("ilst", in: content), let value = try? file.box(ISOBoxes.Code(number), in: values),
            let data = try? file.box("data", in: value), data.count > 8
        else { return nil }
        // The first eight bytes are the type and the language of the text.
        return seconds(Array(file.bytes[(data.lowerBound + 8)..<data.upperBound].prefix(64)))
    }

    /// Phones write the box into the movie's, ffmpeg into the user data there.
    private static func metadata(_ file: inout ISOBoxes, _ movie: Range<Int>) -> Range<Int>? {
        if let box = try? file.box("meta", in: movie) { return box }
        guard let user = try? file.box("udta", in: movie) else { return nil }
        return try? file.box("meta", in: user)
    }

    /// - Returns: the key's number in the table, from 1.
    private static func number(of key: String, in keys: Range<Int>, _ file: ISOBoxes) -> Int? {
        guard keys.count >= 8 else { return nil }
        var at = keys.lowerBound + 8
        for index in 0..<min(file.number(keys.lowerBound + 4, 4), mostKeys) {
            guard at + 8 <= keys.upperBound else { return nil }
            let size = file.number(at, 4)
            guard size >= 8, size <= keys.upperBound - at else { return nil }
            if file.bytes[(at + 8)..<(at + size)].elementsEqual(key.utf8) { return index + 1 }
            at += size
        }
        return nil
    }

    /// - Parameter text: `2024-07-01T09:00:02-0800`; the offset may have a colon or be `Z`.
    private static func seconds(_ text: [UInt8]) -> Int? {
        func number(_ range: Range<Int>) -> Int? {
            var number = 0
            for byte in text[range] {
                guard 0x30...0x39 ~= byte else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return number
        }
        let separators: [(at: Int, byte: UInt8)] = [(4, 0x2D), (7, 0x2D), (10, 0x54), (13, 0x3A), (16, 0x3A)]
        guard text.count >= 20, separators.allSatisfy({ text[$0.at] == $0.byte }),
            let year = number(0..<4), let month = number(5..<7), 1...12 ~= month, let day = number(8..<10), 1...31 ~= day,
            let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60, let second = number(17..<19), second <= 60,
            let offset = offset(text[19...])
        else { return nil }
        // Days since 1970, by years that begin in March.
        let shifted = month > 2 ? year : year - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day - 719_469
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return seconds > 0 && seconds < 4_102_444_800 ? seconds : nil
    }

    /// Seconds east of Greenwich.
    private static func offset(_ zone: ArraySlice<UInt8>) -> Int? {
        if zone.elementsEqual("Z".utf8) { return 0 }
        let digits = zone.dropFirst().filter { $0 != 0x3A }.map { Int($0) - 0x30 }
        guard let sign = zone.first, sign == 0x2B || sign == 0x2D, digits.count == 4, digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
        let seconds = (digits[0] * 10 + digits[1]) * 3_600 + (digits[2] * 10 + digits[3]) * 60
        return sign == 0x2B ? seconds : -seconds
    }
}
