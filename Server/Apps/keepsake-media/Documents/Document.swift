import CMedia
import CMediaVips
import MediaFrames

/// What a file is, if it is a document, and its text.
enum Document {
    /// - Parameter isQuick: as for `ArchivedDocument.init`.
    /// - Throws: `.unreadable` for a file that is not a document; the errors of `ArchivedDocument` for an unsafe archive.
    static func kind(of bytes: UnsafeRawBufferPointer, isQuick: Bool) throws(MediaRefused) -> DocumentKind {
        let file = LittleEndian(bytes: bytes)
        if ZipArchive.isArchive(bytes) {
            let document = try ArchivedDocument(bytes, isQuick: isQuick)
            try document.check()
            return document.kind
        }
        if file.has(CompoundFile.signature, at: 0) {
            guard try CompoundFile(bytes).hasWordDocument else { throw MediaRefused(.unreadable) }
            return .doc
        }
        if file.has(Array("%PDF-".utf8), at: 0) { return .pdf }
        guard PlainText.form(of: bytes) != media_text_none else { throw MediaRefused(.unreadable) }
        return .text
    }

    /// - Parameter isQuick: as for `ArchivedDocument.init`.
    /// - Returns: a descriptor of sealed memory that contains the text. The caller closes it.
    /// - Throws: `.empty` when there is no text.
    static func text(of bytes: UnsafeRawBufferPointer, _ kind: DocumentKind, isQuick: Bool) throws(MediaRefused) -> CInt {
        let text: [UInt8]
        switch kind {
        case .text: text = try PlainText.text(of: bytes)
        case .docx: text = try ArchivedDocument(bytes, isQuick: isQuick).text()
        case .pdf, .doc, .usdz: throw MediaRefused(.unreadable)
        }
        guard !text.isEmpty else { throw MediaRefused(.empty) }
        let descriptor = text.withUnsafeBytes { media_sealed_memory($0.baseAddress!, $0.count) }
        guard descriptor >= 0 else { throw MediaRefused(.outOfMemory) }
        return descriptor
    }
}

enum PlainText {
    static func form(of bytes: UnsafeRawBufferPointer) -> media_text {
        media_text_form(bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// The beginning of a text, in UTF-8, without a byte order mark.
    /// - Throws: `.unreadable` when it is not text.
    static func text(of bytes: UnsafeRawBufferPointer) throws(MediaRefused) -> [UInt8] {
        let most = DocumentLimits.characters
        switch form(of: bytes) {
        case media_text_utf8:
            let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            return scalars(String(decoding: bytes.dropFirst(start).prefix(4 * most), as: UTF8.self))
        case media_text_utf16_little: return scalars(String(decoding: units(bytes, high: 1), as: UTF16.self))
        case media_text_utf16_big: return scalars(String(decoding: units(bytes, high: 0), as: UTF16.self))
        case media_text_windows_1252:
            var text = String.UnicodeScalarView()
            for byte in bytes.prefix(most) { text.append(Windows1252.scalar(byte)) }
            return Array(String(text).utf8)
        default: throw MediaRefused(.unreadable)
        }
    }

    private static func units(_ bytes: UnsafeRawBufferPointer, high: Int) -> [UInt16] {
        stride(from: 2, to: min(bytes.count - 1, 2 + 4 * DocumentLimits.characters), by: 2).map { at in
            UInt16(bytes[at + high]) << 8 | UInt16(bytes[at + 1 - high])
        }
    }

    /// The first characters of `text`. It may end with a part of a character, which became U+FFFD, but that is beyond what is kept.
    private static func scalars(_ text: String) -> [UInt8] { Array(String(text.unicodeScalars.prefix(DocumentLimits.characters)).utf8) }
}

enum Windows1252 {
    /// The characters of 0x80...0x9F, where Windows-1252 differs from Latin-1. Zero marks a byte that is not defined.
    private static let high: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        guard 0x80...0x9F ~= byte else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(high[Int(byte) - 0x80]) ?? "\u{FFFD}"
    }
}
