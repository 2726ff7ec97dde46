import MediaFrames

/// The directory of a compound file (MS-CFB), the container of Word's older format.
struct CompoundFile {
    static let signature: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
    /// Whether the directory names the stream of a Word document, in the root's folder or below it.
    private(set) var hasWordDocument = false

    private let file: LittleEndian
    private let sectorByteCount: Int
    private var tableSectors: [Int] = []

    /// The most sectors of the directory that are read, of 4 or 32 entries each.
    private static let mostSectors = 8_192
    /// The most sectors that list those of the allocation table; 64 MB take 8 of them. A chain that returns to itself ends at this limit.
    private static let mostListSectors = 128
    private static let lastSector = 0xFFFF_FFFA
    /// The stream's name in UTF-16. Names are compared in these units, because comparing strings takes microseconds for a hostile name.
    private static let wordDocument = "WordDocument".utf16.map { Int($0) }

    /// - Throws: `.unreadable`.
    init(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        file = LittleEndian(bytes: bytes)
        guard file.has(Self.signature, at: 0), let shift = file.short(at: 30), shift == 9 || shift == 12,
            let directory = file.long(at: 48), let further = file.long(at: 68)
        else { throw MediaRefused(.unreadable) }
        sectorByteCount = 1 << shift
        // The first 109 sectors of the allocation table are listed in the header, the others in a chain of their own.
        for index in 0..<109 { if let sector = file.long(at: 76 + 4 * index), sector < Self.lastSector { tableSectors.append(sector) } }
        var list = further
        for _ in 0..<Self.mostListSectors where list < Self.lastSector {
            let start = offset(of: list)
            let count = sectorByteCount / 4 - 1
            for index in 0..<count {
                guard let sector = file.long(at: start + 4 * index) else { throw MediaRefused(.unreadable) }
                if sector < Self.lastSector { tableSectors.append(sector) }
            }
            guard let next = file.long(at: start + 4 * count) else { throw MediaRefused(.unreadable) }
            list = next
        }
        try readDirectory(from: directory)
    }

    private mutating func readDirectory(from first: Int) throws(MediaRefused) {
        var sector = first
        // A chain that is longer than the file returns to itself.
        for _ in 0..<min(Self.mostSectors, file.count / sectorByteCount) {
            guard sector < Self.lastSector else { return }
            let start = offset(of: sector)
            for at in stride(from: start, to: start + sectorByteCount, by: 128) {
                guard let length = file.short(at: at + 64), file.number(at: at + 127, 1) != nil else { throw MediaRefused(.unreadable) }
                // The length is in bytes of UTF-16, with the final zero.
                guard length / 2 - 1 == Self.wordDocument.count else { continue }
                if Self.wordDocument.indices.allSatisfy({ file.short(at: at + 2 * $0) == Self.wordDocument[$0] }) { hasWordDocument = true }
            }
            guard let next = next(after: sector) else { throw MediaRefused(.unreadable) }
            sector = next
        }
        throw MediaRefused(.unreadable)
    }

    private func next(after sector: Int) -> Int? {
        let perSector = sectorByteCount / 4
        guard tableSectors.indices.contains(sector / perSector) else { return nil }
        return file.long(at: offset(of: tableSectors[sector / perSector]) + 4 * (sector % perSector))
    }

    private func offset(of sector: Int) -> Int { (sector + 1) * sectorByteCount }
}
