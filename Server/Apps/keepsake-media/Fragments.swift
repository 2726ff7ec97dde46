import MediaFrames

/// The samples of a fragmented film (ISO/IEC 14496-12 §8.8), which its `moov` does not list.
struct Fragments {
    /// Frames and bytes by the number of their track.
    private(set) var tracks: [Int: (frames: Int, byteCount: Int)] = [:]

    private static let mostTracks = 64
    /// The most boxes that are read in one file. A film of one hour in fragments of half a second has 90,000 boxes.
    private static let mostBoxes = 400_000

    init(_ bytes: UnsafeRawBufferPointer, movie: Range<Int>, fragments: [Range<Int>]) throws(MediaRefused) {
        var file = ISOBoxes(bytes, atMost: Self.mostBoxes)
        var sizes: [Int: Int] = [:]
        if let extends = try file.box("mvex", in: movie) {
            for box in try file.boxes(in: extends) where box.type == "trex" && box.content.count >= 24 {
                sizes[file.number(box.content.lowerBound + 4, 4)] = file.number(box.content.lowerBound + 16, 4)
                guard sizes.count <= Self.mostTracks else { throw MediaRefused(.unreadable) }
            }
        }
        for fragment in fragments {
            for track in try file.boxes(in: fragment) where track.type == "traf" { try read(track.content, sizes, &file) }
        }
    }

    private mutating func read(_ range: Range<Int>, _ sizes: [Int: Int], _ file: inout ISOBoxes) throws(MediaRefused) {
        let boxes = try file.boxes(in: range)
        guard let header = boxes.first(where: { $0.type == "tfhd" })?.content, header.count >= 8 else { return }
        let number = file.number(header.lowerBound + 4, 4)
        guard tracks[number] != nil || tracks.count < Self.mostTracks else { throw MediaRefused(.unreadable) }
        let flags = file.number(header.lowerBound, 4)
        let at = header.lowerBound + 8 + (flags & 1 != 0 ? 8 : 0) + (flags & 2 != 0 ? 4 : 0) + (flags & 8 != 0 ? 4 : 0)
        let size = flags & 0x10 != 0 && at + 4 <= header.upperBound ? file.number(at, 4) : sizes[number] ?? 0
        var track = tracks[number] ?? (0, 0)
        for run in boxes where run.type == "trun" && run.content.count >= 8 {
            let (frames, bytes) = try self.run(run.content, size, file)
            track.frames = min(track.frames + frames, Int(UInt32.max) << 8)
            track.byteCount = min(track.byteCount + bytes, Int.max / 4)
        }
        tracks[number] = track
    }

    /// `trun`, §8.8.8: a row of numbers for each sample. The flags say which numbers a row has. If it has no size, all samples have the
    /// default size.
    private func run(_ range: Range<Int>, _ size: Int, _ file: ISOBoxes) throws(MediaRefused) -> (Int, Int) {
        let flags = file.number(range.lowerBound, 4)
        let count = file.number(range.lowerBound + 4, 4)
        let row = 4 * ((flags >> 8) & 0xF).nonzeroBitCount
        let rows = range.lowerBound + 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
        guard SampleTable.product(count, row) <= max(0, range.upperBound - rows) else { throw MediaRefused(.unreadable) }
        guard flags & 0x200 != 0 else { return (count, SampleTable.product(count, size)) }
        let first = rows + (flags & 0x100 != 0 ? 4 : 0)
        return (count, file.sum(of: count, at: first, every: row))
    }
}
