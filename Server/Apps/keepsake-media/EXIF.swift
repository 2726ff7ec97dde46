import MediaFrames

/// The few fields of an EXIF block (JEITA CP-3451, which contains a TIFF) that the server uses. It reads at most 3 directories of at most
/// 1,000 entries and never past the end; a malformed field counts as absent.
struct EXIF {
    /// 1...8; 1 when absent or out of range.
    private(set) var orientation = 1
    private(set) var captureTime: CaptureTime?
    private(set) var position: Position?

    /// Where a picture was taken, in millionths of a degree.
    struct Position {
        /// -90,000,000...90,000,000; north is positive.
        let latitude: Int
        /// -180,000,000...180,000,000; east is positive.
        let longitude: Int
    }

    private static let orientationTag = 0x0112
    private static let directoryTag = 0x8769
    private static let originalTimeTag = 0x9003
    private static let digitizedTimeTag = 0x9004
    private static let originalOffsetTag = 0x9011
    private static let digitizedOffsetTag = 0x9012
    private static let originalFractionTag = 0x9291
    private static let digitizedFractionTag = 0x9292

    /// - Parameter block: with or without "Exif\0\0" before it.
    init(_ block: [UInt8]) {
        block.withUnsafeBytes { read($0) }
    }

    /// - Parameter block: with or without "Exif\0\0" before it.
    init(_ block: UnsafeRawBufferPointer) { read(block) }

    private mutating func read(_ block: UnsafeRawBufferPointer) {
        guard let tiff = TIFF(Self.body(of: block)), let first = tiff.first else { return }
        let entries = Self.byTag(tiff.entries(at: first, atMost: 1_000))
        if let value = entries[Self.orientationTag].flatMap(tiff.number), (1...8).contains(value) { orientation = value }
        position = entries[Self.positionTag].flatMap(tiff.number).flatMap { Self.position(tiff, at: $0) }
        guard let directory = entries[Self.directoryTag].flatMap(tiff.number) else { return }
        let details = Self.byTag(tiff.entries(at: directory, atMost: 1_000))
        func time(_ tag: Int, _ offset: Int, _ fraction: Int) -> CaptureTime? {
            guard let local = details[tag].flatMap(tiff.text) else { return nil }
            return CaptureTime(
                local: local, offset: details[offset].flatMap(tiff.text), fraction: details[fraction].flatMap(tiff.text))
        }
        captureTime =
            time(Self.originalTimeTag, Self.originalOffsetTag, Self.originalFractionTag)
            ?? time(Self.digitizedTimeTag, Self.digitizedOffsetTag, Self.digitizedFractionTag)
    }

    /// GPSLatitudeRef, GPSLatitude, GPSLongitudeRef and GPSLongitude.
    private static func position(_ tiff: TIFF, at directory: Int) -> Position? {
        let entries = byTag(tiff.entries(at: directory, atMost: 100))
        func angle(_ value: Int, _ reference: Int, _ negative: String, _ positive: String, limit: Double) -> Int? {
            guard let parts = entries[value].flatMap({ tiff.fractions($0, count: 3) }), let side = entries[reference].flatMap(tiff.text),
                side == negative || side == positive
            else { return nil }
            let degrees = parts[0] + parts[1] / 60 + parts[2] / 3_600
            guard degrees.isFinite, (0...limit).contains(degrees) else { return nil }
            return Int((degrees * 1_000_000).rounded()) * (side == negative ? -1 : 1)
        }
        guard let latitude = angle(2, 1, "S", "N", limit: 90), let longitude = angle(4, 3, "W", "E", limit: 180) else { return nil }
        // Cameras without a signal write zeros.
        return latitude == 0 && longitude == 0 ? nil : Position(latitude: latitude, longitude: longitude)
    }

    /// Of entries with the same tag the first one counts, as in libexif.
    private static func byTag(_ entries: [TIFF.Entry]) -> [Int: TIFF.Entry] {
        Dictionary(entries.map { ($0.tag, $0) }) { first, _ in first }
    }

    static func body(of block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        block.starts(with: Array("Exif\0\0".utf8)) ? UnsafeRawBufferPointer(rebasing: block[6...]) : block
    }

    /// A block that contains only the orientation.
    static func block(orientation: Int) -> [UInt8] {
        Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0, 0]
    }
}

// MARK: The position

extension EXIF {
    private static let positionTag = 0x8825
    private static let textTag = 0x02BC
    /// The directories of EXIF, of interoperability and of further pictures.
    private static let directoryTags = [directoryTag, 0xA005, 0x014A]
    /// GPSVersionID, GPSTimeStamp and GPSDateStamp hold no position.
    private static let tagsWithoutPosition: Set = [0, 7, 29]
    private static let maxDirectoryCount = 64
    /// A block with more entries counts as one that cannot be read. A camera writes some hundred.
    private static let maxEntryCount = 10_000

    /// Whether some reader could find a position in the block. It follows every pointer to a directory, also of duplicate entries, because
    /// readers differ in which one they believe. What it cannot read counts as a position.
    /// - Parameter block: with or without "Exif\0\0" before it.
    static func mayHavePosition(_ block: UnsafeRawBufferPointer) -> Bool {
        let body = body(of: block)
        guard body.contains(where: { $0 != 0 }) else { return false }
        guard let tiff = TIFF(body), let first = tiff.first, !PositionWords.areIn(data: body) else { return true }
        var waiting = [first]
        var seen: Set<Int> = []
        var left = maxEntryCount
        // Entries may share their text. Without this limit, each of them would cost a search of the whole block.
        var textLeft = body.count
        while let directory = waiting.popLast() {
            guard seen.insert(directory).inserted else { continue }
            guard seen.count <= maxDirectoryCount else { return true }
            for entry in tiff.entries(at: directory) {
                left -= 1
                if entry.tag == positionTag {
                    for target in targets(entry, tiff) {
                        let position = tiff.entries(at: target, atMost: left)
                        left -= position.count
                        if isPosition(position) { return true }
                    }
                }
                guard left > 0 else { return true }
                if entry.tag == textTag, let packet = text(entry, tiff, body) {
                    textLeft -= packet.count
                    guard textLeft >= 0, !XMP.mayHavePosition(packet) else { return true }
                }
                if directoryTags.contains(entry.tag) { waiting += targets(entry, tiff) }
            }
            if let next = tiff.next(after: directory) { waiting.append(next) }
        }
        return false
    }

    /// The offsets that an entry holds. A single offset is in the entry itself; for several, the entry holds the offset of their list.
    private static func targets(_ entry: TIFF.Entry, _ tiff: TIFF) -> [Int] {
        var targets = [tiff.long(at: entry.at), tiff.short(at: entry.at)].compactMap { $0 }
        if entry.count > 1, let start = tiff.long(at: entry.at) {
            targets += (0..<min(entry.count, maxDirectoryCount)).compactMap { tiff.long(at: start + 4 * $0) }
        }
        return targets
    }

    private static func isPosition(_ entries: [TIFF.Entry]) -> Bool { entries.contains { !tagsWithoutPosition.contains($0.tag) } }

    /// An XMP packet, for which TIFF has a tag of its own.
    private static func text(_ entry: TIFF.Entry, _ tiff: TIFF, _ body: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let start = entry.count <= 4 ? entry.at : tiff.long(at: entry.at), start < body.count else { return nil }
        let end = min(body.count, start + min(entry.count * 8, body.count))
        return UnsafeRawBufferPointer(rebasing: body[start..<end])
    }
}
