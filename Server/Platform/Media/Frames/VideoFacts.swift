/// What a film, or a sound in a film's container, says of itself.
package struct VideoFacts: Sendable, Equatable {
    /// Pixels, upright; `nil` when there is only sound.
    package var width: Int?
    /// Pixels, upright; `nil` when there is only sound.
    package var height: Int?
    /// `nil` when it does not say: a film that was written while it was recorded.
    package var milliseconds: Int?
    package var hasSound: Bool
    /// Seconds since 1970, by the camera's clock; `nil` when it did not know the time.
    package var recordedAt: Int?

    package init(width: Int?, height: Int?, milliseconds: Int?, hasSound: Bool, recordedAt: Int? = nil) {
        self.width = width
        self.height = height
        self.milliseconds = milliseconds
        self.hasSound = hasSound
        self.recordedAt = recordedAt
    }

    /// Longest side in pixels that is believed.
    package static let side = 16_384
    /// A year. Nobody's film is longer, whatever its head says.
    package static let longest = 365 * 86_400_000
}
