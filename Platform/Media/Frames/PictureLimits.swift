/// What is refused before a pixel is decoded. They are set above what people's cameras make, and below what hurts.
package enum PictureLimits {
    /// 50 MB, and room for what is not an upload of a person.
    package static let byteCount = 128 << 20
    /// Of a film whose boxes are looked at: what fits into a worker's addresses.
    package static let filmByteCount = 512 << 20
    /// Pixels of one frame: 100 megapixels.
    package static let pixels = 100_000_000
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
