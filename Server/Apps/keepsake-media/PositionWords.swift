#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The words that name a position in metadata.
enum PositionWords {
    /// Words in XMP and other texts, in lower case: `exif:GPSLatitude`, `drone-dji:Longitude`, `Iptc4xmpExt:LocationCreated`. None of them
    /// occurs by chance in the base64 of a depth map.
    private static let ofText = [":gps", "<gps", "latitude", "longitude", "location", "geo:lat", "geo:long"].map { Array($0.utf8) }
    /// Words in data of an unknown format. They are so long that they do not occur in compressed pixels by chance.
    private static let ofData =
        ["GPSLat", "GPSLon", "Latitude", "latitude", "Longitude", "longitude", "GPSPos", "GPSCoord", "ISO6709"].map { Array($0.utf8) }
    /// The boxes of films that hold a position.
    private static let ofFilms = [[0xA9, 0x78, 0x79, 0x7A], Array("loci".utf8)]

    static func areIn(text: UnsafeRawBufferPointer) -> Bool {
        // A table, because hashing each byte of a long text would take ten times as long.
        var starts = [Bool](repeating: false, count: 256)
        for word in ofText { starts[Int(word[0])] = true }
        for at in text.indices {
            let letter = lower(text[at])
            guard starts[Int(letter)] else { continue }
            for word in ofText where word[0] == letter && at + word.count <= text.count {
                if word.indices.allSatisfy({ lower(text[at + $0]) == word[$0] }) { return true }
            }
        }
        return false
    }

    static func areIn(data: UnsafeRawBufferPointer) -> Bool { ofData.contains { data.firstIndex(of: $0) != nil } }

    static func areIn(film: UnsafeRawBufferPointer) -> Bool { ofFilms.contains { film.firstIndex(of: $0) != nil } }

    private static func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}

/// An XMP packet (ISO 16684-1). It is UTF-8, so the names of its properties can be searched for as bytes.
enum XMP {
    /// Whether some reader could find a position in the packet. A packet in another encoding counts as if it held one.
    static func mayHavePosition(_ packet: UnsafeRawBufferPointer) -> Bool {
        let end = packet.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        let text = UnsafeRawBufferPointer(rebasing: packet[..<end])
        return text.firstIndex(of: [0]) != nil || PositionWords.areIn(text: text)
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first occurrence of `word`, at or after `start`.
    func firstIndex(of word: [UInt8], from start: Int = 0) -> Int? {
        guard let base = baseAddress else { return nil }
        var at = start
        while at + word.count <= count, let found = memchr(base + at, CInt(word[0]), count - at - word.count + 1) {
            let place = UnsafeRawPointer(found) - base
            if memcmp(found, word, word.count) == 0 { return place }
            at = place + 1
        }
        return nil
    }

    /// The bytes in the range, with offsets from 0.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }

    /// Whether the text is at the offset; `false` at the end.
    func has(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { offset + $0.count <= count && self[offset..<offset + $0.count].elementsEqual($0) }
    }

    /// A big-endian number. The caller must have checked the range.
    func big(_ offset: Int, _ width: Int) -> Int { self[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) } }

    /// A little-endian number. The caller must have checked the range.
    func little(_ offset: Int, _ width: Int) -> Int { self[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Int($1) } }
}
