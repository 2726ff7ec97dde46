/// MP4, MOV, M4A, HEIC and HEIF, which consist of boxes. Sources: ISO/IEC 14496-12 (§4.2 boxes, §4.3 `ftyp`, §8.11 `meta`), 14496-14 (MP4),
/// 23008-12 (HEIF); for videos that begin without `ftyp`, Apple's QuickTime File Format Specification (2001). For the brands see
/// ISOMediaBrands.swift.
///
/// The check goes from one top-level box to the next, and reads at most the beginning of an index. It skips a box that is larger than the
/// window: if the next box begins in the tail, the check continues there. A box that exceeds the file's end reveals a truncated file.
enum ISOMediaFormat: FileFormat {
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType? {
        let first = try Box(seen, at: 0)
        guard first.name == "ftyp" else { return try claimWithoutBrand(seen, first) }
        guard let type = try brandedType(seen, first) else { return nil }
        switch type.kind {
        case .image:
            guard try hasPictures(seen, from: first.end) else { return nil }
        case .video, .audio:
            // If the excerpt holds the box after `ftyp`, it must be one that may stand there; text or markup is not.
            if let second = try Box(seen, orUnseenAt: first.end), !topLevel.contains(second.name) { return nil }
        }
        return type
    }

    /// Boxes that may come first or directly after `ftyp`. Later boxes may have any printable name: vendors define their own.
    private static let topLevel: Set<FourCC> = [
        "moov", "mdat", "free", "skip", "wide", "uuid", "meta", "moof", "sidx", "ssix", "styp", "prft", "pdin", "emsg", "udta", "mfra",
        "pnot", "PICT",
    ]

    // MARK: - With ftyp

    /// §4.3: major brand, minor version, then compatible brands to the end of the box. The window must hold all of it.
    private static func brandedType(_ seen: Excerpt, _ box: Box) throws(ReadFailure) -> MediaType? {
        guard box.byteCount >= 16, box.byteCount % 4 == 0, box.end <= seen.head.count else { return nil }
        var brands = [try seen.fourCC(box.content)]
        for offset in stride(from: box.content + 8, to: box.end, by: 4) { brands.append(try seen.fourCC(offset)) }
        return ISOMediaBrands.type(of: brands)
    }

    /// A HEIF picture has a `meta` box whose handler is `pict` (23008-12 §6.2), a sequence has a `moov` (§7.2). Decoders need one of them
    /// first, so it must begin in the window.
    private static func hasPictures(_ seen: Excerpt, from start: Int) throws(ReadFailure) -> Bool {
        var box = try Box(seen, at: start)
        while true {
            if box.name == "moov" { return true }
            if box.name == "meta" {
                guard try seen.fourCC(box.content + 8) == "hdlr" else { return false }
                return try seen.fourCC(box.content + 20) == "pict"
            }
            box = try Box(seen, at: box.end)
        }
    }

    // MARK: - Videos

    private static func claimWithoutBrand(_ seen: Excerpt, _ first: Box) throws(ReadFailure) -> MediaType? {
        guard ["moov", "mdat", "wide", "free", "skip", "pnot"].contains(first.name) else { return nil }
        // Four letters prove nothing. Either the next box or the beginning of the index must confirm them; otherwise only a large `mdat` is
        // accepted, and `check` requires that boxes follow it.
        if first.name == "moov" { return indexBoxes.contains(try seen.fourCC(first.content + 4)) ? .mov : nil }
        if let second = try Box(seen, orUnseenAt: first.end) {
            return topLevel.contains(second.name) ? .mov : nil
        }
        return first.name == "mdat" ? .mov : nil
    }

    private static let indexBoxes: Set<FourCC> = [
        "mvhd", "trak", "mvex", "iods", "udta", "meta", "cmov", "rmra", "prfl", "clip", "uuid", "free", "skip",
    ]

    // MARK: - The walk

    /// An index (`moov`; for a picture also `meta`) and media (`mdat`, or `moof` of a fragment) must exist, and every box must lie within
    /// the file. Once both are found, the first unknown box name ends the walk: cameras append records of their own, not always as boxes.
    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure) {
        var offset = 0
        var hasIndex = false
        var hasMedia = false
        while !isEnd(seen, offset) {
            if hasIndex, hasMedia, !topLevel.contains(try seen.fourCC(offset + 4)) { return }
            let box = try Box(seen, at: offset)
            switch box.name {
            case "moov":
                if let child = try? seen.fourCC(box.content + 4), !indexBoxes.contains(child) { throw .wrong }
                hasIndex = true
            case "meta":
                if type.kind == .image { hasIndex = true }
            case "mdat", "moof":
                hasMedia = true
                // The index must still follow.
                if !hasIndex { try seen.expectLength(atLeast: box.end + 16) }
            default: break
            }
            offset = box.end
        }
        guard hasIndex, hasMedia else { throw .missing }
    }

    /// Whether fewer bytes remain than a box header has, or only padding.
    private static func isEnd(_ seen: Excerpt, _ offset: Int) -> Bool {
        if let byteCount = seen.byteCount, byteCount - offset < 8 { return true }
        return (try? seen.big32(offset)) == 0 && (try? seen.big32(offset + 4)) == 0
    }
}

private struct Box {
    let name: FourCC
    let byteCount: Int
    /// Offset of the content, after the header.
    let content: Int
    let end: Int

    /// §4.2.2: size, name, and a 64-bit size if size is 1; size 0 extends to the end of the file.
    init(_ seen: Excerpt, at offset: Int) throws(ReadFailure) {
        let size = try seen.big32(offset)
        name = try seen.fourCC(offset + 4)
        guard name.isPlausible else { throw .wrong }
        switch size {
        case 0:
            guard let fileByteCount = seen.byteCount else { throw .unseen }
            content = offset + 8
            byteCount = fileByteCount - offset
        case 1:
            let high = try seen.big32(offset + 8)
            guard high < 1 << 20 else { throw .wrong }
            content = offset + 16
            byteCount = high << 32 | (try seen.big32(offset + 12))
        default:
            content = offset + 8
            byteCount = size
        }
        end = offset + byteCount
        guard end >= content, end <= Excerpt.farthest else { throw .wrong }
        try seen.expectLength(atLeast: end)
    }

    /// `nil` when the excerpt does not hold the offset.
    init?(_ seen: Excerpt, orUnseenAt offset: Int) throws(ReadFailure) {
        do throws(ReadFailure) {
            self = try Self(seen, at: offset)
        } catch .unseen {
            return nil
        }
    }
}
