import MediaFrames

/// Finds out from the items of a HEIF file (ISO/IEC 23008-12) how its pictures are coded. The brands in the file's header may be wrong, and
/// libvips only reports those brands.
enum HEIFItems {
    static func includeAV1(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) -> Bool {
        var file = ISOBoxes(bytes)
        guard let meta = try file.box("meta", in: 0..<bytes.count), meta.count > 4,
            let list = try file.box("iinf", in: (meta.lowerBound + 4)..<meta.upperBound), list.count > 8
        else { return false }
        // 14496-12 §8.11.6: a count of 16 bits, or of 32 bits in later versions.
        let head = file.number(list.lowerBound, 1) == 0 ? 6 : 8
        for item in try file.boxes(in: (list.lowerBound + head)..<list.upperBound) where item.type == "infe" && item.content.count >= 12 {
            let version = file.number(item.content.lowerBound, 1)
            let type = item.content.lowerBound + (version >= 3 ? 10 : 8)
            if version >= 2, type + 4 <= item.content.upperBound, file.code(type) == "av01" { return true }
        }
        return false
    }
}
