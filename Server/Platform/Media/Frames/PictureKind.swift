/// What a picture is by its content.
package enum PictureKind: String, Sendable, CaseIterable {
    case jpeg, png, webp, gif
    /// HEIF with HEVC inside: what an iPhone shoots.
    case heic
    /// HEIF with AV1 inside.
    case avif
}
