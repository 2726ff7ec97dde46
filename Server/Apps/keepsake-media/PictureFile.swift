import MediaFrames

/// A picture's file as a sequence of blocks: those that show the picture, and those that only describe it. The parsers that conform to this
/// protocol use no library. They follow no offset twice, and reject a file with parts that they do not understand.
protocol PictureFile {
    /// - Parameter bytes: must outlive the value.
    /// - Returns: `nil` when the file has parts that this parser does not understand.
    init?(_ bytes: UnsafeRawBufferPointer)

    /// Whether some reader could find a position in the file's metadata. What cannot be read counts as a position.
    var mayHavePosition: Bool { get }

    /// The file with the same pixels, colours and orientation, without any other metadata.
    /// - Parameter orientation: EXIF's, 1...8, as the decoder applies it.
    /// - Returns: `nil` when such a file cannot be made.
    func stripped(orientation: Int) -> [UInt8]?
}

extension PictureKind {
    /// - Returns: `nil` when the file has parts that the parser does not understand.
    func file(_ bytes: UnsafeRawBufferPointer) -> (any PictureFile)? {
        switch self {
        case .jpeg: JPEGFile(bytes)
        case .png: PNGFile(bytes)
        case .webp: WebPFile(bytes)
        case .heic, .avif: HEIFFile(bytes)
        case .gif: GIFFile(bytes)
        }
    }

    /// Whether some program could find a position in the file: in its metadata, or in a word anywhere in its bytes. `true` also for a file
    /// that the parser does not understand.
    func mayHavePosition(_ bytes: UnsafeRawBufferPointer) -> Bool {
        PositionWords.areIn(data: bytes) || file(bytes)?.mayHavePosition ?? true
    }

    /// The file without metadata. The result was read again: no reader finds a position in it.
    /// - Throws: `.unreadable` when such a file cannot be made.
    func strip(_ bytes: UnsafeRawBufferPointer, orientation: Int) throws(MediaRefused) -> [UInt8] {
        guard let stripped = file(bytes)?.stripped(orientation: orientation) else { throw MediaRefused(.unreadable) }
        guard stripped.count <= PictureLimits.variantByteCount else { throw MediaRefused(.tooManyBytes) }
        guard !stripped.withUnsafeBytes({ mayHavePosition($0) }) else { throw MediaRefused(.unreadable) }
        return stripped
    }
}

/// One block of a picture's file.
struct PictureBlock {
    enum Content {
        /// Needed to show the picture: its pixels, size and colours.
        case picture
        /// An EXIF block, in this range.
        case exif(Range<Int>)
        /// Text in UTF-8, such as an XMP packet, in this range.
        case text(Range<Int>)
        /// Data of unknown form, such as bytes after the end of the picture.
        case data
        /// Metadata that is not searched, such as compressed or malformed metadata. It counts as if it held a position.
        case unreadable
    }

    let range: Range<Int>
    let content: Content

    /// A file of more blocks counts as one that cannot be read.
    static let maxCount = 100_000
    /// The most EXIF blocks in one block of data; with more, it counts as data that cannot be read.
    private static let maxSignatureCount = 16

    init(_ range: Range<Int>, _ content: Content) {
        self.range = range
        self.content = content
    }

    var isPicture: Bool { if case .picture = content { true } else { false } }

    func mayHavePosition(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch content {
        case .picture: false
        case .exif(let range): EXIF.mayHavePosition(bytes.part(range))
        case .text(let range): XMP.mayHavePosition(bytes.part(range))
        case .data: Self.mayHavePosition(data: bytes.part(range))
        case .unreadable: true
        }
    }

    /// Whether data of unknown form, such as a second picture after the first one, may hold a position. Searches it for the words that name
    /// a position (`PositionWords`), and for the bytes with which an EXIF block begins.
    static func mayHavePosition(data: UnsafeRawBufferPointer) -> Bool {
        if PositionWords.areIn(data: data) || PositionWords.areIn(film: data) { return true }
        let signature = Array("Exif\0\0".utf8)
        var from = 0
        for _ in 0..<maxSignatureCount {
            guard let at = data.firstIndex(of: signature, from: from) else { return false }
            // A block says nowhere how long it is; 64 KB is the most that a JPEG holds.
            let block = data.part(at..<min(data.count, at + 65_536))
            if TIFF(EXIF.body(of: block)) != nil, EXIF.mayHavePosition(block) { return true }
            from = at + signature.count
        }
        return true
    }
}

/// A GIF. It has no EXIF, and only its application extension can hold XMP.
struct GIFFile: PictureFile {
    private let bytes: UnsafeRawBufferPointer

    init?(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var mayHavePosition: Bool {
        bytes.firstIndex(of: Array("XMP DataXMP".utf8)) != nil || PictureBlock.mayHavePosition(data: bytes)
    }

    func stripped(orientation: Int) -> [UInt8]? { nil }
}
