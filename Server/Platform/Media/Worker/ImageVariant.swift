package import MediaFrames

/// A smaller copy of a picture, encoded.
package struct ImageVariant: Sendable, Equatable {
    package let content: MediaResult
    package let format: VariantRequest.Format
    /// Pixels.
    package let width: Int
    /// Pixels.
    package let height: Int

    /// A copy of all bytes.
    /// - Throws: as `MediaResult.bytes`.
    package var bytes: [UInt8] {
        get throws(MediaFailure) { try content.bytes() }
    }
}
