import MediaFrames

/// A document that is a ZIP archive: which kind it is, and whether it is safe to open.
struct ArchivedDocument {
    let archive: ZipArchive
    let kind: DocumentKind

    /// The folder of a Word document in which other documents are embedded.
    private static let embeddings = Array("/embeddings/".utf8)

    /// - Parameter isQuick: refuses a document whose directory says that it unpacks to much.
    /// - Throws: as `ZipArchive.init`; `.unreadable` for an archive that is not a document; `.notQuick`.
    init(_ bytes: UnsafeRawBufferPointer, isQuick: Bool) throws(MediaRefused) {
        archive = try ZipArchive(bytes)
        guard let kind = Self.kind(of: archive) else { throw MediaRefused(.unreadable) }
        guard !isQuick || archive.unpackedByteCount <= DocumentLimits.quickUnpackedByteCount else { throw MediaRefused(.notQuick) }
        self.kind = kind
    }

    private static func kind(of archive: ZipArchive) -> DocumentKind? {
        var isPackage = false
        var isWord = false
        var isScene = false
        for entry in archive.entries {
            let name = archive.lowercaseName(entry)
            // Word refuses macros in a .docx.
            if name.ends(with: "vbaproject.bin") { return nil }
            isPackage = isPackage || name.elementsEqual("[content_types].xml".utf8)
            isWord = isWord || isMainPart(name)
            isScene = isScene || [".usd", ".usda", ".usdc"].contains { name.ends(with: $0) }
        }
        if isPackage { return isWord && !isScene ? .docx : nil }
        return isScene && !isWord ? .usdz : nil
    }

    /// Word names the main part `word/document.xml`; some other programs name it `word/document2.xml`.
    private static func isMainPart(_ name: [UInt8]) -> Bool { name.starts(with: "word/document".utf8) && name.ends(with: ".xml") }

    /// Unpacks every entry, without keeping it, and compares it with what the directory says of it. Finds archives within the archive.
    /// - Throws: `.unreadable`, `.unpacksTooLarge`, `.nestedArchive`.
    func check() throws(MediaRefused) {
        for entry in archive.entries {
            let reader = try ZipEntryReader(entry, in: archive)
            var head: [UInt8] = []
            while try reader.next({ piece in if head.count < Self.headByteCount { head += piece.prefix(Self.headByteCount - head.count) } })
            {}
            try checkNesting(head, archive.lowercaseName(entry))
        }
    }

    private func checkNesting(_ head: [UInt8], _ name: [UInt8]) throws(MediaRefused) {
        guard let found = Self.archive(head) else { return }
        switch kind {
        // Embedded documents count as entries like any other, and nothing here opens them. A metafile of Windows may be compressed.
        case .docx where found == .zip && name.indices.contains(where: { name[$0...].starts(with: Self.embeddings) }): return
        case .docx where found == .gzip && (name.ends(with: ".emz") || name.ends(with: ".wmz")): return
        default: throw MediaRefused(.nestedArchive)
        }
    }

    private enum Packing { case zip, gzip, other }

    /// The signature of a tar archive begins at byte 257.
    private static let headByteCount = 262

    private static func archive(_ head: [UInt8]) -> Packing? {
        func starts(_ signature: [UInt8]) -> Bool { head.starts(with: signature) }
        if starts([0x50, 0x4B, 3, 4]) || starts([0x50, 0x4B, 5, 6]) || starts([0x50, 0x4B, 7, 8]) { return .zip }
        if starts([0x1F, 0x8B, 8]) { return .gzip }
        let others: [[UInt8]] = [
            Array("Rar!".utf8), [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], [0x28, 0xB5, 0x2F, 0xFD],
            Array("MSCF".utf8), Array("xar!".utf8),
        ]
        let isBzip2 = starts(Array("BZh".utf8)) && head.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        let isTar = head.count >= 262 && head[257..<262].elementsEqual("ustar".utf8)
        return isBzip2 || isTar || others.contains(where: starts) ? .other : nil
    }

    /// The text of a Word document.
    /// - Throws: `.unreadable`, `.unpacksTooLarge`, `.outOfMemory`.
    func text() throws(MediaRefused) -> [UInt8] {
        let parts = archive.entries.filter { Self.isMainPart(archive.lowercaseName($0)) }
        guard let part = parts.first(where: { archive.name($0).elementsEqual("word/document.xml".utf8) }) ?? parts.first else {
            throw MediaRefused(.unreadable)
        }
        let reader = try ZipEntryReader(part, in: archive)
        var words = WordText()
        while !words.isFull, !words.isBroken, try reader.next({ words.read($0) }) {}
        guard !words.isBroken else { throw MediaRefused(.unreadable) }
        return words.text
    }
}

extension [UInt8] {
    fileprivate func ends(with end: String) -> Bool { suffix(end.utf8.count).elementsEqual(end.utf8) }
}
