package import MediaFrames

/// A smaller copy of a picture, encoded.
package struct ImageVariant: Sendable, Equatable {
    package let bytes: [UInt8]
    package let format: VariantRequest.Format
    /// Pixels.
    package let width: Int
    /// Pixels.
    package let height: Int
}
