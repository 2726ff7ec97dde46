import CMediaVips
import MediaFrames

/// The worker's interface to libvips.
enum Decoder {
    static func start() -> Bool { media_vips_start("keepsake-media") == 0 }

    /// Reads the header.
    static func header(_ bytes: UnsafeRawBufferPointer) throws(MediaRefused) -> (picture: media_picture, exif: [UInt8]) {
        var picture = media_picture()
        var length = 0
        var code: CInt = -1
        // A JPEG's EXIF block fits in 64 KB; in other formats, only thumbnails come after that.
        let exif = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
            code = media_vips_header(bytes.baseAddress!, bytes.count, &picture, buffer.baseAddress!, buffer.count, &length)
            count = length
        }
        guard code == 0 else { throw failure() }
        return (picture, exif)
    }

    /// - Returns: the encoded bytes; the caller releases them.
    static func variant(
        _ bytes: UnsafeRawBufferPointer, _ variant: media_variant
    ) throws(MediaRefused) -> (bytes: UnsafeMutableRawBufferPointer, width: Int, height: Int) {
        var output: UnsafeMutableRawPointer?
        var length = 0
        var width: CInt = 0
        var height: CInt = 0
        guard media_vips_variant(bytes.baseAddress!, bytes.count, variant, &output, &length, &width, &height) == 0, let output else {
            throw failure()
        }
        return (UnsafeMutableRawBufferPointer(start: output, count: length), Int(width), Int(height))
    }

    private static func failure() -> MediaRefused {
        defer { media_vips_forget() }
        return MediaRefused(media_vips_is_out_of_memory() != 0 ? .outOfMemory : .unreadable)
    }
}
