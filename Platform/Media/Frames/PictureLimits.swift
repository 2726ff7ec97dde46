/// What is refused before a pixel is decoded. They are set above what people's cameras make, and below what hurts.
package enum PictureLimits {
    /// 50 MB, and room for what is not an upload of a person.
    package static let byteCount = 128 << 20
    /// Pixels of one frame: 100 megapixels.
    package static let pixels = 100_000_000
    /// Pixels of one side.
    package static let side = 30_000
    package static let frames = 500
    /// Bytes of a variant.
    package static let variantByteCount = 32 << 20
    /// Longest edge of a variant that can be asked for, in pixels.
    package static let variantSide = 8192
}
