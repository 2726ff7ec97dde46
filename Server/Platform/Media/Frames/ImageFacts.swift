/// What a picture says of itself in its header.
package struct ImageFacts: Sendable, Equatable {
    package var kind: PictureKind
    /// Pixels, upright.
    package var width: Int
    /// Pixels, upright.
    package var height: Int
    /// Frames of an animation, pictures of a sequence; 1 for a photo.
    package var frames: Int
    package var hasAlpha: Bool
    /// From EXIF; `nil` when there is none, or no date in it.
    package var captureTime: CaptureTime?

    package init(kind: PictureKind, width: Int, height: Int, frames: Int, hasAlpha: Bool, captureTime: CaptureTime? = nil) {
        self.kind = kind
        self.width = width
        self.height = height
        self.frames = frames
        self.hasAlpha = hasAlpha
        self.captureTime = captureTime
    }
}
