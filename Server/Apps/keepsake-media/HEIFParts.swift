import MediaFrames

/// How many items a HEIF (ISO/IEC 23008-12) has, and of how many tiles its pictures are made. Reads every `meta`, because decoders differ
/// in which one they use.
struct HEIFParts {
    /// The number of tiles of the picture with the most tiles, each counted as often as it is decoded; more than `PictureLimits.quickTiles`
    /// are not counted.
    private(set) var tileCount = 0

    private var entryCounts: [Int: Int] = [:]
    /// The items that each derived picture is made of.
    private var parts: [Int: [Int]] = [:]
    private var partCount = 0
    /// How deep pictures of pictures may be: a grid, a rotation of it, and so on. A deeper one counts as a picture with too many tiles.
    private static let maxDepth = 8

    /// - Throws: `.tooManyParts` above `PictureLimits.heifItems`; `.unreadable` for a file without `meta` or with malformed boxes.
    init(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        // 5,000 boxes are enough for the most items and as many references.
        var file = ISOBoxes(bytes, atMost: 5_000)
        // Cameras append records of their own that are not boxes.
        let metas = file.leadingBoxes(in: 0..<bytes.count).boxes.filter { $0.type == "meta" && $0.content.count > 4 }
        guard !metas.isEmpty else { throw MediaRefused(.unreadable) }
        for meta in metas {
            for box in try file.boxes(in: meta.content.lowerBound + 4..<meta.content.upperBound) { try read(box, &file) }
        }
        guard partCount <= PictureLimits.quickTiles else {
            tileCount = PictureLimits.quickTiles + 1
            return
        }
        var known: [Int: Int] = [:]
        for item in parts.keys { tileCount = max(tileCount, tiles(of: item, &known, depth: 0)) }
    }

    /// Every list begins with its version and flags.
    private mutating func read(_ box: ISOBoxes.Box, _ file: inout ISOBoxes) throws(MediaRefused) {
        let list = box.content
        guard list.count >= 4 else { return }
        let isLong = file.number(list.lowerBound, 1) > 0
        switch box.type {
        case "iinf":
            try count(file.field(list, at: 4, width: isLong ? 4 : 2), in: box.type)
            let head = isLong ? 8 : 6
            guard list.count > head else { return }
            try count(file.boxes(in: list.lowerBound + head..<list.upperBound).count, in: "infe")
        case "iloc": try count(file.field(list, at: 6, width: file.number(list.lowerBound, 1) < 2 ? 2 : 4), in: box.type)
        case "iref":
            let references = try file.boxes(in: list.lowerBound + 4..<list.upperBound)
            try count(references.count, in: box.type)
            for reference in references where reference.type == "dimg" { read(reference.content, file, width: isLong ? 4 : 2) }
        case "iprp":
            for entries in try file.boxes(in: list) where entries.type == "ipma" {
                try count(file.field(entries.content, at: 4, width: 4), in: entries.type)
            }
        default: break
        }
    }

    /// Adds to the number of entries of all lists of this type.
    private mutating func count(_ entries: Int, in type: ISOBoxes.Code) throws(MediaRefused) {
        let sum = entryCounts[type.value, default: 0] + entries
        guard sum <= PictureLimits.heifItems else { throw MediaRefused(.tooManyParts) }
        entryCounts[type.value] = sum
    }

    /// Reads the parts of a derived picture: its id, their number, and their ids, each of `width` bytes.
    private mutating func read(_ reference: Range<Int>, _ file: ISOBoxes, width: Int) {
        let start = reference.lowerBound + width + 2
        guard start <= reference.upperBound else { return }
        let count = min(file.number(start - 2, 2), (reference.upperBound - start) / width)
        partCount += count
        guard partCount <= PictureLimits.quickTiles else { return }
        let ids = (0..<count).map { file.number(start + $0 * width, width) }
        parts[file.number(reference.lowerBound, width), default: []] += ids
    }

    private func tiles(of item: Int, _ known: inout [Int: Int], depth: Int) -> Int {
        guard let parts = parts[item] else { return 1 }
        if let count = known[item] { return count }
        guard depth < Self.maxDepth else { return PictureLimits.quickTiles + 1 }
        var count = 0
        for part in parts where count <= PictureLimits.quickTiles { count += tiles(of: part, &known, depth: depth + 1) }
        known[item] = min(count, PictureLimits.quickTiles + 1)
        return min(count, PictureLimits.quickTiles + 1)
    }
}

extension ISOBoxes {
    /// A number in a box; 0 when the box ends before it.
    fileprivate func field(_ content: Range<Int>, at offset: Int, width: Int) -> Int {
        content.count >= offset + width ? number(content.lowerBound + offset, width) : 0
    }
}
