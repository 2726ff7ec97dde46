/// A picture's format, detected from its content.
package enum PictureKind: String, Sendable, CaseIterable {
    case jpeg, png, webp, gif
    /// HEIF with HEVC, the format of iPhone photos.
    case heic
    /// HEIF with AV1.
    case avif
}
