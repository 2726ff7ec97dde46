import MediaFrames

/// The few fields of an EXIF block (JEITA CP-3451, which contains a TIFF) that the server uses. It reads at most 3 directories of at most
/// 1,000 entries and never past the end; a malformed field counts as absent.
struct EXIF {
    /// 1...8; 1 when absent or out of range.
    private(set) var orientation = 1
    private(set) var captureTime: CaptureTime?

    private static let orientationTag = 0x0112
    private static let directoryTag = 0x8769
    private static let originalTimeTag = 0x9003
    private static let digitizedTimeTag = 0x9004
    private static let originalOffsetTag = 0x9011
    private static let digitizedOffsetTag = 0x9012

    /// - Parameter block: with or without "Exif\0\0" before it.
    init(_ block: [UInt8]) {
        let tiff = TIFF(block.starts(with: Array("Exif\0\0".utf8)) ? block[6...] : block[...])
        guard let tiff, let first = tiff.long(at: 4) else { return }
        let entries = tiff.entries(at: first)
        if let value = entries[Self.orientationTag].flatMap(tiff.number), (1...8).contains(value) { orientation = value }
        guard let directory = entries[Self.directoryTag].flatMap(tiff.number) else { return }
        let details = tiff.entries(at: directory)
        func time(_ tag: Int, _ offset: Int) -> CaptureTime? {
            guard let local = details[tag].flatMap(tiff.text) else { return nil }
            return CaptureTime(local: local, offset: details[offset].flatMap(tiff.text))
        }
        captureTime = time(Self.originalTimeTag, Self.originalOffsetTag) ?? time(Self.digitizedTimeTag, Self.digitizedOffsetTag)
    }
}

/// TIFF 6.0's directories, in either byte order.
private struct TIFF {
    struct Entry {
        let type: Int
        let count: Int
        /// The offset of the value, or of the value's offset.
        let at: Int
    }

    private let bytes: [UInt8]
    private let isBigEndian: Bool

    init?(_ slice: ArraySlice<UInt8>) {
        bytes = Array(slice)
        switch bytes.prefix(4) {
        case [0x4D, 0x4D, 0, 42]: isBigEndian = true
        case [0x49, 0x49, 42, 0]: isBigEndian = false
        default: return nil
        }
    }

    func entries(at offset: Int) -> [Int: Entry] {
        guard let count = short(at: offset) else { return [:] }
        var entries: [Int: Entry] = [:]
        for index in 0..<min(count, 1000) {
            let at = offset + 2 + 12 * index
            guard let tag = short(at: at), let type = short(at: at + 2), let count = long(at: at + 4), at + 12 <= bytes.count else { break }
            // Of entries with the same tag the first one counts, as in libexif.
            if entries[tag] == nil { entries[tag] = Entry(type: type, count: count, at: at + 8) }
        }
        return entries
    }

    func number(_ entry: Entry) -> Int? {
        guard entry.count == 1 else { return nil }
        return entry.type == 3 ? short(at: entry.at) : entry.type == 4 ? long(at: entry.at) : nil
    }

    /// At most 64 bytes.
    func text(_ entry: Entry) -> String? {
        guard entry.type == 2, (1...64).contains(entry.count), let start = entry.count <= 4 ? entry.at : long(at: entry.at),
            start + entry.count <= bytes.count
        else { return nil }
        return String(validating: bytes[start..<start + entry.count].prefix { $0 != 0 }, as: UTF8.self)
    }

    func short(at offset: Int) -> Int? { value(at: offset, 2) }
    func long(at offset: Int) -> Int? { value(at: offset, 4) }

    private func value(at offset: Int, _ width: Int) -> Int? {
        guard offset >= 0, offset + width <= bytes.count else { return nil }
        let slice = bytes[offset..<offset + width]
        return isBigEndian ? slice.reduce(0) { $0 << 8 | Int($1) } : slice.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
