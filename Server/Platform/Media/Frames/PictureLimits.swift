/// Limits that are checked before any pixel is decoded. They are above what cameras produce and below what exhausts a worker.
///
/// Long work may occupy a worker for seconds. All long jobs together leave one worker free for short work (`WorkerTurns`).
package enum PictureLimits {
    /// The most bytes of a picture: the largest size that the operator may allow for an upload (`KEEPSAKE_MAX_FILE_MB`).
    package static let byteCount = 512 << 20
    /// The most bytes of a film whose boxes are read: what fits into a worker's address space.
    package static let filmByteCount = 512 << 20
    /// The most pixels of one frame of any format: 100 megapixels. This limit suits formats that decode row by row: reducing a baseline
    /// JPEG of 98 megapixels to 300 pixels takes 0.4 s and 43 MB.
    package static let pixels = 100_000_000
    /// The most pixels of one frame of more expensive formats: HEIC takes 2.7 s of processor time and 440 MB for a phone's 48 megapixels, a
    /// progressive JPEG 3.3 to 6 bytes of memory a pixel, lossless WebP 7.5. A phone's 48-megapixel mode produces 48.8 million pixels.
    package static let costlyPixels = 50_000_000
    /// The most bytes of decoded samples of one PNG: 100 megapixels of 8-bit RGB, or half as many of 16 bits.
    package static let pngSampleByteCount = 300_000_000
    /// The most pixels of a film's frame: 8K has 33 million.
    package static let filmPixels = 36_000_000
    /// The most pixels of one frame that must be decoded as a whole and has more than `suspiciousRatio` pixels a byte. No photo compresses
    /// that well, and a drawing that does can be made smaller.
    package static let suspiciousPixels = 24_000_000
    package static let suspiciousRatio = 100
    /// The most scans of a JPEG. The decoder passes over all pixels for each scan; cameras and programs write about 10.
    package static let scans = 100
    /// The most pixels of a JPEG times its scans: 24 scans of 50 megapixels, which take a second if they are empty.
    package static let scannedPixels = 1_200_000_000
    /// A JPEG whose pixels times its scans are more than this is decoded as long work: 12 scans of 48 megapixels.
    package static let quickScannedPixels = 576_000_000
    /// A CMYK JPEG with more pixels than this is decoded as long work: the conversion of its colours takes 150 ns a pixel.
    package static let quickCMYKPixels = 3_000_000
    /// A HEIF with more tiles than this is decoded as long work: each tile takes 0.35 ms, however small it is. 48 megapixels in tiles of
    /// 512 pixels a side, which phones write, have 192.
    package static let quickTiles = 500
    /// The most compressed texts and colour profiles of a PNG. Reading the header inflates each of them, up to 8 MB. Programs write a few:
    /// ImageMagick up to five.
    package static let pngCompressedChunks = 16
    /// The most bytes of all these chunks together. Inflating compressed data takes time even if it yields no bytes.
    package static let pngCompressedByteCount = 4 << 20
    /// The most bytes that all these chunks inflate to. 8 MB take 0.08 s, because libvips inflates them several times. Large colour
    /// profiles have 3 MB.
    package static let pngInflatedByteCount = 16 << 20
    /// The most directories that are read in one EXIF block; a directory that two pointers name counts twice. Cameras write five. libexif
    /// follows 20 pointers to the directory that they are in for 1.1 s.
    package static let exifDirectories = 16
    /// The most entries of all directories of EXIF in a file. Cameras write some hundred. 5,400 take a few milliseconds, so the limit is
    /// higher than what a directory at a wrong offset seems to have.
    package static let exifEntries = 10_000
    /// The most EXIF blocks in a file. Decoders use one.
    package static let exifBlocks = 1_000
    /// The most segments of a JPEG. The time in which libjpeg reads the header grows with the square of their number: 40,000 take 1.7 s.
    /// 1,000 segments hold 65 MB of metadata.
    package static let jpegSegments = 1_000
    /// The most items of a HEIF, and entries of each list about them. The time in which libheif reads the header grows with the square of
    /// their number: 2,000 take 0.15 s, 3,000 take 0.28 s. Every tile is an item: 200 megapixels in tiles of 512 pixels a side have 768.
    package static let heifItems = 2_000
    /// The most pixels of one side.
    package static let side = 30_000
    package static let frames = 500
    /// The most bytes of a variant.
    package static let variantByteCount = 32 << 20
    /// Longest edge of a requested variant, in pixels.
    package static let variantSide = 8192
}
