/// TIFF 6.0's directories, in either byte order. It never reads past the end.
struct TIFF {
    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// The offset of the value, or of the value's offset.
        let at: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private let isBigEndian: Bool

    /// - Parameter bytes: must outlive the value.
    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        switch Array(bytes.prefix(4)) {
        case [0x4D, 0x4D, 0, 42]: isBigEndian = true
        case [0x49, 0x49, 42, 0]: isBigEndian = false
        default: return nil
        }
    }

    /// The offset of the first directory.
    var first: Int? { long(at: 4) }

    /// The directory's entries that lie within the file, in order, duplicates included.
    func entries(at offset: Int, atMost limit: Int = .max) -> [Entry] {
        guard let count = short(at: offset) else { return [] }
        var entries: [Entry] = []
        for index in 0..<min(count, limit) {
            let at = offset + 2 + 12 * index
            guard let tag = short(at: at), let type = short(at: at + 2), let count = long(at: at + 4), at + 12 <= bytes.count else { break }
            entries.append(Entry(tag: tag, type: type, count: count, at: at + 8))
        }
        return entries
    }

    /// The offset of the directory after the one at `offset`; `nil` for the last one.
    func next(after offset: Int) -> Int? {
        guard let count = short(at: offset), let next = long(at: offset + 2 + 12 * count), next != 0 else { return nil }
        return next
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

    /// Unsigned rationals; `nil` unless there are exactly `count` of them and no denominator is 0.
    func fractions(_ entry: Entry, count: Int) -> [Double]? {
        guard entry.type == 5, entry.count == count, let start = long(at: entry.at) else { return nil }
        var fractions: [Double] = []
        for index in 0..<count {
            guard let above = long(at: start + 8 * index), let below = long(at: start + 8 * index + 4), below != 0 else { return nil }
            fractions.append(Double(above) / Double(below))
        }
        return fractions
    }

    func short(at offset: Int) -> Int? { value(at: offset, 2) }
    func long(at offset: Int) -> Int? { value(at: offset, 4) }

    private func value(at offset: Int, _ width: Int) -> Int? {
        guard offset >= 0, offset + width <= bytes.count else { return nil }
        let slice = bytes[offset..<offset + width]
        return isBigEndian ? slice.reduce(0) { $0 << 8 | Int($1) } : slice.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
