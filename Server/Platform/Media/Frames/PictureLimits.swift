/// What is refused before a pixel is decoded. They are set above what people's cameras make, and below what hurts.
package enum PictureLimits {
    /// 50 MB, and room for what is not an upload of a person.
    package static let byteCount = 128 << 20
    /// Of a film whose boxes are looked at: what fits into a worker's addresses.
    package static let filmByteCount = 512 << 20
    /// Pixels of one frame, of any kind: 100 megapixels. It is the limit of what decodes row by row: a baseline JPEG of 98 megapixels
    /// becomes 300 pixels within 0.4 s and 43 MB.
    package static let pixels = 100_000_000
    /// Pixels of one frame of what costs more: HEIC takes 2.7 s of processor time and 440 MB for a phone's 48 megapixels, a progressive JPEG
    /// 3.3 to 6 bytes of memory a pixel, lossless WebP 7.5. A phone's 48-megapixel mode makes 48.8 million.
    package static let costlyPixels = 50_000_000
    /// Bytes of decoded samples of one PNG: 100 megapixels of 8-bit RGB, or half as many of 16 bits.
    package static let pngSampleByteCount = 300_000_000
    /// Pixels of a film's frame: 8K has 33 million.
    package static let filmPixels = 36_000_000
    /// Pixels of one frame of a picture whose decoder must hold all of it at once, and that says little of so many: nobody's photo has
    /// more than `suspiciousRatio` pixels a byte, and whoever draws one that has can draw it smaller.
    package static let suspiciousPixels = 24_000_000
    package static let suspiciousRatio = 100
    /// Pixels of one side.
    package static let side = 30_000
    package static let frames = 500
    /// Bytes of a variant.
    package static let variantByteCount = 32 << 20
    /// Longest edge of a variant that can be asked for, in pixels.
    package static let variantSide = 8192
}
