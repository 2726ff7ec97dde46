import MediaFrames

/// Reads headers without any library, so that decompression bombs cost nothing: the size in a PNG, GIF or WebP, the number of frames of a
/// GIF or WebP, the coding of a JPEG, and a PNG's EXIF block, which libvips misses when it follows the pixels. It also refuses headers that
/// take the libraries seconds to read. It reads every block's header once. Of the blocks' contents, it only counts the directories of EXIF
/// and what a PNG's compressed texts and profiles inflate to.
struct HeaderProbe {
    /// `nil` when the libraries must determine it.
    private(set) var kind: PictureKind?
    private(set) var frames: Int?
    private(set) var exif: [UInt8]?
    /// Whether the picture is an interlaced PNG or a progressive JPEG: its rows do not come in order, so the decoder holds all of them.
    private(set) var isHeldWhole = false
    /// How often the decoder passes over all pixels.
    private(set) var scanCount = 1
    /// Whether the picture is a JPEG of four colours, which are converted to three.
    private(set) var isCMYK = false
    /// The tiles of a HEIF's picture; more than `PictureLimits.quickTiles` are not counted.
    private(set) var tileCount = 0
    private var directories = EXIFDirectories()

    init(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            kind = .png
            try png(bytes)
        } else if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
            kind = .gif
            try gif(bytes)
        } else if bytes.starts(with: Array("RIFF".utf8)), bytes.count >= 12, bytes.has("WEBP", at: 8) {
            kind = .webp
            try webp(bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            let coding = JPEGCoding(bytes)
            guard !coding.isArithmetic else { throw MediaRefused(.arithmeticCoding) }
            guard coding.segmentCount <= PictureLimits.jpegSegments else { throw MediaRefused(.tooManyParts) }
            isCMYK = coding.isCMYK
            isHeldWhole = coding.isProgressive
            scanCount = coding.scanCount
            for block in coding.exifBlocks { try directories.check(bytes.part(block)) }
        } else if bytes.has("ftyp", at: 4) {
            tileCount = try HEIFParts(bytes).tileCount
            try HEIFMetadata.check(bytes, &directories)
        }
    }

    static func check(width: Int, height: Int) throws(MediaRefused) {
        guard width > 0, height > 0 else { throw MediaRefused(.unreadable) }
        guard width <= PictureLimits.side, height <= PictureLimits.side else { throw MediaRefused(.sideTooLong) }
        guard width * height <= PictureLimits.pixels else { throw MediaRefused(.tooManyPixels) }
    }

    /// PNG (third edition) §5.3: length, type, data, checksum. An animated PNG counts as its first picture: no decoder here plays it.
    private mutating func png(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        guard bytes.count >= 33, bytes.has("IHDR", at: 12) else { throw MediaRefused(.unreadable) }
        try Self.check(width: bytes.big(16, 4), height: bytes.big(20, 4))
        frames = 1
        isHeldWhole = bytes[28] != 0
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(bytes[25])] ?? 4
        let sampleByteCount = bytes.big(16, 4) * bytes.big(20, 4) * channels * max(1, Int(bytes[24]) / 8)
        guard sampleByteCount <= PictureLimits.pngSampleByteCount else { throw MediaRefused(.tooManyPixels) }
        var at = 8
        var compressed = (count: 0, byteCount: 0)
        var inflatedByteCount = 0
        while at + 12 <= bytes.count {
            let length = bytes.big(at, 4)
            guard length <= 0x7FFF_FFFF, at + 12 + length <= bytes.count else { throw MediaRefused(.unreadable) }
            if let data = PNGInflation.data(bytes, at, length) {
                compressed = (compressed.count + 1, compressed.byteCount + length)
                guard compressed.count <= PictureLimits.pngCompressedChunks, compressed.byteCount <= PictureLimits.pngCompressedByteCount
                else { throw MediaRefused(.tooManyParts) }
                let left = PictureLimits.pngInflatedByteCount - inflatedByteCount
                inflatedByteCount += try PNGInflation.byteCount(bytes.part(data), atMost: left)
                guard inflatedByteCount <= PictureLimits.pngInflatedByteCount else { throw MediaRefused(.tooManyParts) }
            }
            if bytes.has("eXIf", at: at + 4) {
                try directories.check(bytes.part(at + 8..<at + 8 + length))
                if exif == nil { exif = Array(bytes[(at + 8)..<(at + 8 + min(length, 64 * 1024))]) }
            }
            if bytes.has("IEND", at: at + 4) { return }
            at += 12 + length
        }
        throw MediaRefused(.unreadable)
    }

    /// GIF89a §18 to §27.
    private mutating func gif(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        guard bytes.count >= 13 else { throw MediaRefused(.unreadable) }
        try Self.check(width: bytes.little(6, 2), height: bytes.little(8, 2))
        func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
        var at = 13 + colours(bytes[10])
        var count = 0
        blocks: while at < bytes.count {
            switch bytes[at] {
            case 0x2C:
                guard at + 11 <= bytes.count else { break blocks }
                count += 1
                guard count <= PictureLimits.frames else { throw MediaRefused(.tooManyFrames) }
                try Self.check(width: bytes.little(at + 5, 2), height: bytes.little(at + 7, 2))
                at += 10 + colours(bytes[at + 9]) + 1
            case 0x21: at += 2
            // The trailer. Bytes after it do not belong to the GIF.
            default: break blocks
            }
            while at < bytes.count, bytes[at] != 0 { at += 1 + Int(bytes[at]) }
            at += 1
        }
        guard count > 0 else { throw MediaRefused(.unreadable) }
        frames = count
    }

    /// WebP container: RIFF chunks, padded to even lengths.
    private mutating func webp(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) {
        var at = 12
        var count = 0
        while at + 8 <= bytes.count {
            if bytes.has("ANMF", at: at) { count += 1 }
            guard count <= PictureLimits.frames else { throw MediaRefused(.tooManyFrames) }
            let length = bytes.little(at + 4, 4)
            if bytes.has("EXIF", at: at) { try directories.check(bytes.part(at + 8..<min(at + 8 + length, bytes.count))) }
            if let (width, height) = Self.webpSize(bytes, at) { try Self.check(width: width, height: height) }
            at += 8 + length + length % 2
        }
        frames = max(1, count)
    }

    /// The size in the header of the canvas (VP8X), of a lossless picture (RFC 9649 §3.4) or of a lossy one (RFC 6386 §9.1). libvips
    /// allocates the canvas as soon as it reads the header.
    private static func webpSize(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> (Int, Int)? {
        guard at + 18 <= bytes.count else { return nil }
        if bytes.has("VP8X", at: at) { return (bytes.little(at + 12, 3) + 1, bytes.little(at + 15, 3) + 1) }
        if bytes.has("VP8 ", at: at) { return (bytes.little(at + 14, 2) & 0x3FFF, bytes.little(at + 16, 2) & 0x3FFF) }
        guard bytes.has("VP8L", at: at) else { return nil }
        let sides = bytes.little(at + 9, 4)
        return ((sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1)
    }
}
