import MediaFrames

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The items of a HEIF file (ISO/IEC 23008-12), such as HEIC. Removing metadata overwrites it in place, so no pixel moves and no
/// offset changes: every byte that no kept item uses becomes 0.
struct HEIFFile: PictureFile {
    private struct Item {
        let type: ISOBoxes.Code
        /// Whether the entry of a MIME item names a content encoding, such as `deflate`: its data is then compressed.
        var isEncoded = false
        /// Where its data is in the file.
        var extents: [Range<Int>] = []
    }

    private let bytes: UnsafeRawBufferPointer
    /// The boxes of the file and those of its first `meta`.
    private let boxes: [ISOBoxes.Box]
    private let metaBoxes: [ISOBoxes.Box]
    /// The offset after the last box.
    private let end: Int
    private let items: [Item]
    /// The boxes that contain the items' data.
    private let dataBoxes: [Range<Int>]

    /// Types of pictures that are coded in HEVC or made of other pictures. A JPEG item is not one of them: it could have metadata of its
    /// own.
    private static let ofPicture: [ISOBoxes.Code] = ["hvc1", "hev1", "lhv1", "grid", "iovl", "iden", "tmap", "mski"]
    private static let unknownPictures: [ISOBoxes.Code] = ["jpeg", "avc1", "av01", "j2k1", "unci", "vvc1", "evc1"]
    private static let metaParts: [ISOBoxes.Code] = ["hdlr", "pitm", "iinf", "iloc", "iref", "iprp", "grpl", "dinf"]
    /// The most boxes of data in a file; no camera writes as many. A file with more is encoded again.
    private static let maxDataBoxCount = 16
    private static let maxExtentCount = 10_000
    private static let emptyPacket = Array(#"<x:xmpmeta xmlns:x="adobe:ns:meta/"/>"#.utf8)

    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        do throws(MediaRefused) {
            var file = ISOBoxes(bytes)
            // Cameras append records of their own that are not boxes.
            (boxes, end) = file.leadingBoxes(in: 0..<bytes.count)
            guard let meta = boxes.first(where: { $0.type == "meta" })?.content, meta.count > 4 else { return nil }
            let parts = try file.boxes(in: meta.lowerBound + 4..<meta.upperBound)
            func part(_ type: ISOBoxes.Code) -> Range<Int>? { parts.first { $0.type == type }?.content }
            metaBoxes = parts
            guard let list = part("iinf"), let locations = part("iloc"), var items = try Self.items(&file, in: list),
                try Self.locate(&items, locations, idat: part("idat"), bytes)
            else { return nil }
            self.items = items.sorted { $0.key < $1.key }.map(\.value)
            dataBoxes = boxes.filter { $0.type == "mdat" }.map(\.content) + [part("idat")].compactMap { $0 }
        } catch {
            return nil
        }
    }

    var mayHavePosition: Bool {
        // The first search finds words in any box, and positions in bytes that belong to no item.
        PictureBlock.mayHavePosition(data: bytes) || items.contains { mayHavePosition($0) }
    }

    private func mayHavePosition(_ item: Item) -> Bool {
        guard !Self.ofPicture.contains(item.type) else { return false }
        let data = item.extents.flatMap { bytes[$0] }
        return data.withUnsafeBytes { data in
            switch item.type {
            case "Exif":
                // ISO/IEC 23008-12, Annex A.2.1: the first four bytes are the offset of the TIFF header, counted from the byte after them.
                guard data.count >= 4, case let start = 4 + data.big(0, 4), start <= data.count else { return !data.isEmpty }
                let rest = data.part(4..<data.count)
                return EXIF.mayHavePosition(data.part(start..<data.count)) || TIFF(rest) != nil && EXIF.mayHavePosition(rest)
            case "mime": return item.isEncoded && data.contains { $0 != 0 } || XMP.mayHavePosition(data)
            default: return false
            }
        }
    }

    func stripped(orientation: Int) -> [UInt8]? {
        guard !boxes.contains(where: { $0.type == "moov" }), !items.contains(where: { Self.unknownPictures.contains($0.type) }) else {
            return nil
        }
        let kept = Self.merged(items.filter { Self.ofPicture.contains($0.type) }.flatMap(\.extents))
        guard dataBoxes.count <= Self.maxDataBoxCount, kept.count <= Self.maxExtentCount,
            kept.allSatisfy({ extent in dataBoxes.contains { $0.lowerBound <= extent.lowerBound && extent.upperBound <= $0.upperBound } })
        else { return nil }
        var stripped = Array(bytes)
        for box in boxes where box.type != "ftyp" && box.type != "mdat" && box.start != metaStart { Self.empty(box, in: &stripped) }
        for box in metaBoxes where box.type != "idat" && !Self.metaParts.contains(box.type) { Self.empty(box, in: &stripped) }
        for box in dataBoxes {
            var from = box.lowerBound
            for extent in kept where box.lowerBound <= extent.lowerBound && extent.upperBound <= box.upperBound {
                Self.clear(from..<max(from, extent.lowerBound), in: &stripped)
                from = max(from, extent.upperBound)
            }
            Self.clear(from..<box.upperBound, in: &stripped)
        }
        stripped.removeSubrange(end...)
        for item in items { fill(item, kept, in: &stripped) }
        return stripped
    }

    private var metaStart: Int? { boxes.first { $0.type == "meta" }?.start }

    /// Writes empty metadata in place of the item's, so that a reader that looks for it finds some.
    private func fill(_ item: Item, _ kept: [Range<Int>], in stripped: inout [UInt8]) {
        guard item.extents.count == 1, case let extent = item.extents[0], !kept.contains(where: { $0.overlaps(extent) }),
            dataBoxes.contains(where: { $0.lowerBound <= extent.lowerBound && extent.upperBound <= $0.upperBound })
        else { return }
        var content: [UInt8]
        if item.type == "Exif" {
            guard extent.count > 4 else { return }
            let start = min(extent.lowerBound + 4 + bytes.big(extent.lowerBound, 4), extent.upperBound)
            // Readers take the orientation from the property `irot` and ignore EXIF's, so EXIF keeps the value that it had.
            content = [0, 0, 0, 0] + EXIF.block(orientation: EXIF(bytes.part(start..<extent.upperBound)).orientation)
        } else if item.type == "mime", !item.isEncoded {
            content = Self.emptyPacket + [UInt8](repeating: 0x20, count: max(0, extent.count - Self.emptyPacket.count))
        } else {
            return
        }
        guard content.count <= extent.count else { return }
        stripped.replaceSubrange(extent.lowerBound..<extent.lowerBound + content.count, with: content)
    }

    /// Turns a box into free space of the same size.
    private static func empty(_ box: ISOBoxes.Box, in stripped: inout [UInt8]) {
        stripped.replaceSubrange(box.start + 4..<box.start + 8, with: Array("free".utf8))
        clear(box.content, in: &stripped)
    }

    private static func clear(_ range: Range<Int>, in stripped: inout [UInt8]) {
        guard !range.isEmpty else { return }
        stripped.withUnsafeMutableBytes { _ = memset($0.baseAddress! + range.lowerBound, 0, range.count) }
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    // MARK: Reading

    /// The items by their id (ISO/IEC 14496-12 §8.11.6).
    /// - Returns: `nil` for entries of an unknown form, and for two with the same id.
    private static func items(_ file: inout ISOBoxes, in list: Range<Int>) throws(MediaRefused) -> [Int: Item]? {
        guard list.count > 8 else { return nil }
        let head = file.number(list.lowerBound, 1) == 0 ? 6 : 8
        var items: [Int: Item] = [:]
        for entry in try file.boxes(in: list.lowerBound + head..<list.upperBound) {
            guard entry.type == "infe", entry.content.count >= 12, case let version = file.number(entry.content.lowerBound, 1), version >= 2
            else { return nil }
            let idLength = version == 2 ? 2 : 4
            let id = file.number(entry.content.lowerBound + 4, idLength)
            let type = entry.content.lowerBound + 4 + idLength + 2
            guard version <= 3, type + 4 <= entry.content.upperBound, items[id] == nil else { return nil }
            // An entry of a MIME item ends with its name, its content type and its encoding.
            let texts = file.bytes[type + 4..<entry.content.upperBound].split(
                separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
            items[id] = Item(type: file.code(type), isEncoded: texts.count > 2 && !texts[2].isEmpty)
        }
        return items
    }

    /// Reads where each item's data is (§8.11.3).
    /// - Returns: `false` for data that is not in this file or not directly in it, and when the data overlaps so much that it is larger
    ///   than the file.
    private static func locate(
        _ items: inout [Int: Item], _ locations: Range<Int>, idat: Range<Int>?, _ bytes: UnsafeRawBufferPointer
    ) throws(MediaRefused) -> Bool {
        var reader = FieldReader(bytes, locations)
        let version = try reader.next(1)
        _ = try reader.next(3)
        let sizes = try reader.next(2)
        let (offset, length, base, index) = (sizes >> 12 & 15, sizes >> 8 & 15, sizes >> 4 & 15, sizes & 15)
        guard version <= 2, [offset, length, base, index].allSatisfy({ [0, 4, 8].contains($0) }) else { return false }
        var total = 0
        for _ in 0..<(try reader.next(version < 2 ? 2 : 4)) {
            let id = try reader.next(version < 2 ? 2 : 4)
            let method = version == 0 ? 0 : try reader.next(2) & 15
            let reference = try reader.next(2)
            let start = try reader.next(base)
            for _ in 0..<(try reader.next(2)) {
                if version > 0 { _ = try reader.next(index) }
                let from = start + (try reader.next(offset))
                let count = try reader.next(length)
                total += count
                guard reference == 0, method <= 1, let source = method == 0 ? 0..<bytes.count : idat, count > 0,
                    from + count <= source.count, total <= bytes.count
                else { return false }
                items[id]?.extents.append(source.lowerBound + from..<source.lowerBound + from + count)
            }
        }
        return true
    }
}

/// Reads big-endian numbers one after the other.
struct FieldReader {
    private let bytes: UnsafeRawBufferPointer
    private var at: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = range.upperBound
    }

    /// - Throws: `.unreadable` when fewer than `width` bytes are left, or when the number is 2⁴⁸ or more: no file is that long.
    mutating func next(_ width: Int) throws(MediaRefused) -> Int {
        guard at + width <= end, width <= 4 || bytes.big(at, width - 4) < 1 << 16 else { throw MediaRefused(.unreadable) }
        defer { at += width }
        return bytes.big(at, width)
    }
}
