/// A picture's properties, from its header and its metadata.
package struct ImageFacts: Sendable, Equatable {
    package var kind: PictureKind
    /// Pixels, upright.
    package var width: Int
    /// Pixels, upright.
    package var height: Int
    /// Number of frames of an animation or of pictures in a sequence; 1 for a photo.
    package var frames: Int
    package var hasAlpha: Bool
    /// From EXIF; `nil` when the file has no EXIF date.
    package var captureTime: CaptureTime?
    /// Whether the metadata holds a position, or something that cannot be read.
    package var mayHavePosition: Bool

    package init(
        kind: PictureKind, width: Int, height: Int, frames: Int, hasAlpha: Bool, captureTime: CaptureTime? = nil,
        mayHavePosition: Bool = false
    ) {
        self.mayHavePosition = mayHavePosition
        self.kind = kind
        self.width = width
        self.height = height
        self.frames = frames
        self.hasAlpha = hasAlpha
        self.captureTime = captureTime
    }
}
