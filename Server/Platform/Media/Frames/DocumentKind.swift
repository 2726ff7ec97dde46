/// Documents that the worker recognises by their content.
package enum DocumentKind: String, Sendable, CaseIterable {
    /// Text in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252, without control characters.
    case text
    case pdf
    /// Word's format since 2007: XML in a ZIP archive.
    case docx
    /// Word's format from 1997 to 2003: a compound file.
    case doc
    /// A scene of Universal Scene Description in a ZIP archive.
    case usdz
}

/// Limits of documents and of the archives that some of them are.
package enum DocumentLimits {
    /// The most bytes of a document; uploads are limited to 100 MB.
    package static let byteCount = 128 << 20
    /// The most entries of an archive, including folders.
    package static let entries = 10_000
    /// The most bytes of all entries of an archive, unpacked: 1 GB.
    package static let unpackedByteCount = 1 << 30
    /// The most unpacked bytes for each byte of the archive.
    package static let ratio = 200
    /// The most unpacked bytes of an archive that a worker reads as short work (`PictureLimits`). Reading the text of so many bytes takes
    /// less than a second.
    package static let quickUnpackedByteCount = 16 << 20
    /// The most bytes of a Word document's XML that are read for its text: 300 bytes for each character of the longest text.
    package static let wordByteCount = 32 << 20
    /// The most bytes of an entry's name.
    package static let nameByteCount = 1_024
    /// The most Unicode scalars of an extracted text.
    package static let characters = 100_000
}
