package import Foundation

/// Makes photos whose metadata states when they were taken.
package enum DatedPhoto {
    /// - Parameters:
    ///   - jpeg: a JPEG without EXIF.
    ///   - local: `DateTimeOriginal`, for example `2025:06:14 18:30:12`.
    ///   - offset: `OffsetTimeOriginal`, for example `+02:00`; `nil` for none.
    ///   - fraction: `SubSecTimeOriginal`; `nil` for none.
    package static func make(_ jpeg: Data, taken local: String, offset: String?, fraction: String?) -> Data {
        let texts = [(0x9003, local), (0x9011, offset), (0x9291, fraction)].compactMap { tag, text in text.map { (tag, Data($0.utf8)) } }
        // A directory of one entry, which points to the directory behind this one.
        var tiff = Data("II*\0".utf8)
        tiff.append(long(8))
        tiff.append(short(1))
        tiff.append(entry(0x8769, type: 4, count: 1, long(26)))
        tiff.append(long(0))
        tiff.append(short(texts.count))
        var values = Data()
        let start = 26 + 2 + 12 * texts.count + 4
        for (tag, text) in texts {
            var value = text
            value.append(0)
            let count = value.count
            // A value of at most 4 bytes stands in the entry itself.
            if count <= 4 {
                value.append(Data(count: 4 - count))
                tiff.append(entry(tag, type: 2, count: count, value))
            } else {
                tiff.append(entry(tag, type: 2, count: count, long(start + values.count)))
                values.append(value)
            }
        }
        tiff.append(long(0))
        tiff.append(values)
        let length = 2 + 6 + tiff.count
        var photo = Data(jpeg.prefix(2))
        photo.append(contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)])
        photo.append(Data("Exif\0\0".utf8))
        photo.append(tiff)
        photo.append(jpeg.dropFirst(2))
        return photo
    }

    private static func entry(_ tag: Int, type: Int, count: Int, _ value: Data) -> Data {
        var entry = short(tag)
        entry.append(short(type))
        entry.append(long(count))
        entry.append(value)
        return entry
    }

    private static func short(_ number: Int) -> Data { Data([UInt8(number & 0xFF), UInt8(number >> 8)]) }

    private static func long(_ number: Int) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }) }
}
