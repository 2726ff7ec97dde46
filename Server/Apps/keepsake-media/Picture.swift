import CMedia
import CMediaVips
import MediaFrames

/// A picture whose header was read and is within the limits. No pixel is decoded yet.
struct Picture {
    private let kind: PictureKind
    /// Pixels, upright.
    private let width: Int
    /// Pixels, upright.
    private let height: Int
    private let frameCount: Int
    private let hasAlpha: Bool
    private let captureTime: CaptureTime?
    private let position: EXIF.Position?
    /// EXIF orientation, 1...8, that must be applied to the decoded pixels.
    private let orientation: Int
    private let hasProfile: Bool
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter isQuick: refuses a picture whose header says that decoding it takes long.
    init(_ bytes: UnsafeRawBufferPointer, isQuick: Bool = false) throws(MediaRefused) {
        // Our own parser comes first, because it refuses pictures for which the libraries would allocate too much.
        let probe = try HeaderProbe(bytes)
        let (header, vipsEXIF) = try Decoder.header(bytes)
        guard let kind = try Self.kind(header, bytes), probe.kind.map({ $0 == kind }) ?? true else { throw MediaRefused(.unreadable) }
        let exif = EXIF(probe.exif ?? vipsEXIF)
        let (width, height) = (Int(header.width), Int(header.height))
        try HeaderProbe.check(width: width, height: height)
        // Decoding row by row takes little memory; every other kind of decoding holds all pixels.
        if kind != .jpeg && kind != .png || probe.isHeldWhole, width * height > PictureLimits.costlyPixels {
            throw MediaRefused(.tooManyPixels)
        }
        if width * height > PictureLimits.suspiciousPixels, width * height > PictureLimits.suspiciousRatio * bytes.count,
            kind != .jpeg && kind != .png || probe.isHeldWhole
        {
            throw MediaRefused(.tooManyPixels)
        }
        let scannedPixels = width * height * probe.scanCount
        guard probe.scanCount <= PictureLimits.scans, scannedPixels <= PictureLimits.scannedPixels else {
            throw MediaRefused(.tooManyScans)
        }
        let isSlow =
            scannedPixels > PictureLimits.quickScannedPixels || probe.tileCount > PictureLimits.quickTiles
            || probe.isCMYK && width * height > PictureLimits.quickCMYKPixels
        guard !isQuick || !isSlow else { throw MediaRefused(.notQuick) }
        let frames = probe.frames ?? Int(header.pages)
        guard frames <= PictureLimits.frames else { throw MediaRefused(.tooManyFrames) }
        // libheif has already applied the container's own `irot` and `imir`; the EXIF orientation states the same rotation again.
        orientation = kind == .heic || kind == .avif ? 1 : exif.orientation
        hasProfile = header.has_profile != 0
        let isLying = orientation >= 5
        self.kind = kind
        (self.width, self.height) = isLying ? (height, width) : (width, height)
        frameCount = max(1, frames)
        hasAlpha = header.has_alpha != 0
        captureTime = exif.captureTime
        position = exif.position
        self.bytes = bytes
    }

    /// Searches the whole file for a position, which takes 2 ms for a phone's photo. So only an inspection does it.
    var facts: ImageFacts {
        ImageFacts(
            kind: kind, width: width, height: height, frames: frameCount, hasAlpha: hasAlpha, captureTime: captureTime,
            mayHavePosition: kind.mayHavePosition(bytes))
    }

    /// Decodes a copy of at most 1,024 pixels a side and measures it.
    func measures() throws(MediaRefused) -> PictureMeasures {
        let side = 1_024
        let made = try decode(VariantRequest(width: side, height: side, format: .jpeg), as: media_format_pixels)
        defer { media_vips_release(made.bytes.baseAddress) }
        let count = made.width * made.height
        guard count > 0, made.bytes.count == count || made.bytes.count == 3 * count else { throw MediaRefused(.unreadable) }
        let pixels = PixelMeasures(
            UnsafeRawBufferPointer(made.bytes), width: made.width, height: made.height, channels: made.bytes.count / count)
        return PictureMeasures(
            width: width, height: height, captureTime: captureTime, latitude: position?.latitude, longitude: position?.longitude,
            colours: pixels.colours, isBlurred: pixels.isBlurred)
    }

    /// - Returns: a descriptor of sealed memory that contains the file without its metadata. The caller closes it.
    func strip() throws(MediaRefused) -> CInt {
        let stripped = try kind.strip(bytes, orientation: orientation)
        let descriptor = stripped.withUnsafeBytes { media_sealed_memory($0.baseAddress!, $0.count) }
        guard descriptor >= 0 else { throw MediaRefused(.outOfMemory) }
        return descriptor
    }

    /// - Returns: a descriptor of sealed memory that contains the encoded copy, and the copy's size. The caller closes the descriptor.
    func variant(_ request: VariantRequest) throws(MediaRefused) -> (descriptor: CInt, width: Int, height: Int) {
        let format =
            switch request.format {
            case .jpeg: media_format_jpeg
            case .webp: media_format_webp
            case .avif: media_format_avif
            }
        let made = try decode(request, as: format)
        defer { media_vips_release(made.bytes.baseAddress) }
        let count = request.format == .webp ? WebPContainer.strip(made.bytes) : made.bytes.count
        let descriptor = media_sealed_memory(made.bytes.baseAddress!, count)
        guard descriptor >= 0 else { throw MediaRefused(.outOfMemory) }
        return (descriptor, made.width, made.height)
    }

    private func decode(
        _ request: VariantRequest, as format: media_format
    ) throws(MediaRefused) -> (bytes: UnsafeMutableRawBufferPointer, width: Int, height: Int) {
        let box = request.box(forWidth: width, height: height)
        return try Decoder.variant(
            bytes,
            media_variant(
                width: CInt(box.width), height: CInt(box.height), cover: request.fit == .cover ? 1 : 0, orientation: CInt(orientation),
                format: format, quality: CInt(request.quality), is_heif: kind == .heic || kind == .avif ? 1 : 0,
                is_jpeg: kind == .jpeg ? 1 : 0, has_profile: hasProfile ? 1 : 0))
    }

    private static func kind(_ header: media_picture, _ bytes: UnsafeRawBufferPointer) throws(MediaRefused) -> PictureKind? {
        func text<T>(_ characters: T) -> String {
            withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        switch text(header.loader) {
        case "jpegload_buffer": return .jpeg
        case "pngload_buffer": return .png
        case "webpload_buffer": return .webp
        case "gifload_buffer": return .gif
        case "heifload_buffer":
            if try HEIFItems.includeAV1(bytes) { return .avif }
            return text(header.compression) == "hevc" ? .heic : nil
        default: return nil
        }
    }
}
