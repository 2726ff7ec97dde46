import MediaFrames

/// The EXIF blocks of a HEIF (ISO/IEC 23008-12). Unlike `HEIFFile`, it refuses no form of the file that libheif reads.
enum HEIFMetadata {
    /// libexif reads no more of a block. Four bytes precede the block: the offset of its TIFF header.
    private static let blockByteCount = 4 + 65_536

    /// Checks every EXIF block of every `meta`, because decoders differ in which one they use.
    static func check(_ bytes: UnsafeRawBufferPointer, _ directories: inout EXIFDirectories) throws(MediaRefused) {
        var file = ISOBoxes(bytes)
        let metas = file.leadingBoxes(in: 0..<bytes.count).boxes.filter { $0.type == "meta" && $0.content.count > 4 }
        for meta in metas {
            let parts = try file.boxes(in: meta.content.lowerBound + 4..<meta.content.upperBound)
            var items: Set<Int> = []
            for part in parts where part.type == "iinf" { items.formUnion(try exifItems(part.content, &file)) }
            guard !items.isEmpty else { continue }
            let idat = parts.first { $0.type == "idat" }?.content
            for part in parts where part.type == "iloc" { try check(items, part.content, idat, bytes, &directories) }
        }
    }

    /// The ids of the items with EXIF (ISO/IEC 14496-12 §8.11.6). libvips ignores the case of their type.
    private static func exifItems(_ list: Range<Int>, _ file: inout ISOBoxes) throws(MediaRefused) -> Set<Int> {
        guard list.count > 8 else { return [] }
        let head = file.number(list.lowerBound, 1) == 0 ? 6 : 8
        var items: Set<Int> = []
        for entry in try file.boxes(in: list.lowerBound + head..<list.upperBound) where entry.type == "infe" && entry.content.count >= 12 {
            let start = entry.content.lowerBound
            let version = file.number(start, 1)
            let idLength = version >= 3 ? 4 : 2
            let type = start + 4 + idLength + 2
            guard version >= 2, type + 4 <= entry.content.upperBound else { continue }
            // Sets the bit of each letter that makes it a small one.
            if ISOBoxes.Code(file.number(type, 4) | 0x2020_2020) == "exif" { items.insert(file.number(start + 4, idLength)) }
        }
        return items
    }

    /// Checks the items' blocks in the order of the list of their places (§8.11.3).
    private static func check(
        _ items: Set<Int>, _ locations: Range<Int>, _ idat: Range<Int>?, _ bytes: UnsafeRawBufferPointer,
        _ directories: inout EXIFDirectories
    ) throws(MediaRefused) {
        var reader = FieldReader(bytes, locations)
        let version = try reader.next(1)
        _ = try reader.next(3)
        let sizes = try reader.next(2)
        let (offset, length, base) = (width(sizes >> 12), width(sizes >> 8), width(sizes >> 4))
        let index = version == 0 ? 0 : width(sizes)
        // Extents that take no bytes could be any number.
        guard offset + length + index > 0 else { return }
        for _ in 0..<(try reader.next(version < 2 ? 2 : 4)) {
            let id = try reader.next(version < 2 ? 2 : 4)
            let method = version == 0 ? 0 : try reader.next(2) & 15
            _ = try reader.next(2)
            let start = try reader.next(base)
            var source = 0..<0
            if method == 0 { source = 0..<bytes.count } else if method == 1, let idat { source = idat }
            var block: [UInt8] = []
            for _ in 0..<(try reader.next(2)) {
                _ = try reader.next(index)
                let from = source.lowerBound + start + (try reader.next(offset))
                let count = min(try reader.next(length), blockByteCount - block.count)
                let end = min(from + count, source.upperBound)
                if items.contains(id), from < end { block += bytes[from..<end] }
            }
            guard block.count > 4 else { continue }
            let isAccepted = block.withUnsafeBytes { directories.accepts(UnsafeRawBufferPointer(rebasing: $0[4...])) }
            guard isAccepted else { throw MediaRefused(.tooManyParts) }
        }
    }

    /// libheif reads numbers of 4 and 8 bytes. For any other width, it reads nothing.
    private static func width(_ bits: Int) -> Int { bits & 15 == 4 || bits & 15 == 8 ? bits & 15 : 0 }
}
