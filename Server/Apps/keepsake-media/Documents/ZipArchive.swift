import MediaFrames

/// The entries of a ZIP archive (APPNOTE 6.3), as its central directory lists them. Only archives that every reader understands in the same
/// way are accepted: one disk, nothing after the directory, no encryption, entries that are stored or deflated, that do not overlap, and
/// whose own headers agree with the directory.
struct ZipArchive {
    struct Entry {
        /// Where the name is in the file.
        let name: Range<Int>
        let isDeflated: Bool
        /// Where the packed bytes are in the file.
        let packed: Range<Int>
        /// The number that the directory states. `ZipEntryReader` compares it with the unpacked bytes.
        let unpackedByteCount: Int
        let header: Int
    }

    let file: LittleEndian
    /// In the order of the directory.
    private(set) var entries: [Entry] = []
    /// The sum for all entries, as the directory states it.
    private(set) var unpackedByteCount = 0

    private static let entrySignature: [UInt8] = [0x50, 0x4B, 3, 4]
    private static let directorySignature: [UInt8] = [0x50, 0x4B, 1, 2]
    private static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]
    private static let endByteCount = 22
    private static let directoryHeaderByteCount = 46
    private static let entryHeaderByteCount = 30

    static func isArchive(_ bytes: UnsafeRawBufferPointer) -> Bool { LittleEndian(bytes: bytes).has(entrySignature, at: 0) }

    /// Reads the directory, and checks the limits of `DocumentLimits` against the sizes that it states.
    /// - Throws: `.unreadable`, `.tooManyEntries`, `.unpacksTooLarge`, `.unsafePath`.
    init(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        file = LittleEndian(bytes: bytes)
        // An archive may end with a comment. Documents have none, and without one there is exactly one place for the end of the directory.
        let end = bytes.count - Self.endByteCount
        guard end >= 0, file.has(Self.endSignature, at: end), let count = file.short(at: end + 10), file.short(at: end + 8) == count,
            file.short(at: end + 4) == 0, file.short(at: end + 6) == 0, file.short(at: end + 20) == 0,
            let length = file.long(at: end + 12), let start = file.long(at: end + 16), start + length == end
        else { throw MediaRefused(.unreadable) }
        guard count <= DocumentLimits.entries else { throw MediaRefused(.tooManyEntries) }
        var offset = start
        for _ in 0..<count {
            entries.append(try entry(at: &offset, before: end, directory: start))
            unpackedByteCount += entries[entries.count - 1].unpackedByteCount
            guard unpackedByteCount <= DocumentLimits.unpackedByteCount else { throw MediaRefused(.unpacksTooLarge) }
        }
        // An entry that the end record does not count would be visible to some readers only.
        guard offset == end else { throw MediaRefused(.unreadable) }
        guard unpackedByteCount <= DocumentLimits.ratio * bytes.count else { throw MediaRefused(.unpacksTooLarge) }
        try checkOverlap(before: start)
        try checkNames()
    }

    /// The bytes of an entry's name. Names are compared by their bytes, because comparing strings takes milliseconds for a hostile name.
    func name(_ entry: Entry) -> Slice<UnsafeRawBufferPointer> { file.bytes[entry.name] }

    /// The bytes of an entry's name, with A to Z in lower case.
    func lowercaseName(_ entry: Entry) -> [UInt8] { name(entry).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }

    /// Reads one header of the directory and the header of its entry.
    private func entry(at offset: inout Int, before end: Int, directory: Int) throws(MediaRefused) -> Entry {
        let header = offset
        guard file.has(Self.directorySignature, at: header), let system = file.number(at: header + 5, 1),
            let flags = file.short(at: header + 8), let method = file.short(at: header + 10), var packed = file.long(at: header + 20),
            var unpacked = file.long(at: header + 24), let nameLength = file.short(at: header + 28),
            let extraLength = file.short(at: header + 30), let commentLength = file.short(at: header + 32),
            file.short(at: header + 34) == 0, let attributes = file.long(at: header + 38), let local = file.long(at: header + 42)
        else { throw MediaRefused(.unreadable) }
        let name = header + Self.directoryHeaderByteCount
        offset = name + nameLength + extraLength + commentLength
        // Bit 0: encrypted; bit 6 and 13: encrypted in other ways.
        guard offset <= end, nameLength <= DocumentLimits.nameByteCount, flags & 0x2041 == 0, method == 0 || method == 8 else {
            throw MediaRefused(.unreadable)
        }
        try readLongSizes(in: (name + nameLength)..<(name + nameLength + extraLength), &unpacked, &packed)
        // In an archive that was made on Unix (3), the upper half of the attributes is the file's mode, which may be that of a symbolic
        // link.
        if system == 3, (attributes >> 16) & 0xF000 == 0xA000 { throw MediaRefused(.unsafePath) }
        guard file.has(Self.entrySignature, at: local), file.short(at: local + 8) == method, file.short(at: local + 26) == nameLength,
            let localExtra = file.short(at: local + 28), packed <= directory, unpacked <= DocumentLimits.unpackedByteCount
        else { throw MediaRefused(unpacked > DocumentLimits.unpackedByteCount ? .unpacksTooLarge : .unreadable) }
        let localName = local + Self.entryHeaderByteCount
        let data = localName + nameLength + localExtra
        guard data + packed <= directory, method == 8 || packed == unpacked,
            (0..<nameLength).allSatisfy({ file.bytes[name + $0] == file.bytes[localName + $0] })
        else { throw MediaRefused(.unreadable) }
        return Entry(
            name: name..<(name + nameLength), isDeflated: method == 8, packed: data..<(data + packed), unpackedByteCount: unpacked,
            header: local)
    }

    /// Reads sizes of 64 bits, which some writers use for every entry (APPNOTE §4.5.3).
    private func readLongSizes(in extra: Range<Int>, _ unpacked: inout Int, _ packed: inout Int) throws(MediaRefused) {
        guard unpacked == 0xFFFF_FFFF || packed == 0xFFFF_FFFF else { return }
        var offset = extra.lowerBound
        while offset + 4 <= extra.upperBound, let kind = file.short(at: offset), let length = file.short(at: offset + 2) {
            var at = offset + 4
            offset = at + length
            guard kind == 1 else { continue }
            func next() throws(MediaRefused) -> Int {
                guard at + 8 <= min(offset, extra.upperBound), let value = file.number(at: at, 8) else { throw MediaRefused(.unreadable) }
                at += 8
                return value
            }
            if unpacked == 0xFFFF_FFFF { unpacked = try next() }
            if packed == 0xFFFF_FFFF { packed = try next() }
            return
        }
        throw MediaRefused(.unreadable)
    }

    /// Refuses entries that share bytes, because they make a small archive unpack to a large one.
    private func checkOverlap(before directory: Int) throws(MediaRefused) {
        var last = 0
        for entry in entries.sorted(by: { $0.header < $1.header }) {
            guard entry.header >= last else { throw MediaRefused(.unreadable) }
            last = entry.packed.upperBound
        }
        guard last <= directory else { throw MediaRefused(.unreadable) }
    }

    private func checkNames() throws(MediaRefused) {
        var seen: Set<[UInt8]> = []
        for entry in entries {
            let bytes = name(entry)
            // Refuses control characters, and also backslashes and drives, which are paths on some systems.
            guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: ":") }),
                bytes.first != UInt8(ascii: "/")
            else { throw MediaRefused(.unsafePath) }
            let parts = bytes.split(separator: UInt8(ascii: "/"))
            guard !parts.contains(where: { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }), seen.insert(Array(bytes)).inserted
            else {
                throw MediaRefused(.unsafePath)
            }
        }
    }
}
