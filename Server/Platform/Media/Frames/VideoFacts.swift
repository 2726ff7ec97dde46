/// The properties of a film, or of audio in a film's container, from its header.
package struct VideoFacts: Sendable, Equatable {
    /// Pixels, upright; `nil` when there is only sound.
    package var width: Int?
    /// Pixels, upright; `nil` when there is only sound.
    package var height: Int?
    /// `nil` when the header contains no duration, as in a film that was written while it was recorded.
    package var milliseconds: Int?
    package var hasSound: Bool
    /// Seconds since 1970, by the camera's clock; `nil` when the camera did not know the time.
    package var recordedAt: Int?
    /// Whether browsers play the first track of pictures and the first track of sound, by their codecs; `nil` when the header names no
    /// codec of the pictures.
    package var playsInBrowsers: Bool?
    package var range = BrightnessRange.standard

    /// How the brightness of the pictures is coded. The raw values are the numbers of ITU-T H.273, table 3.
    package enum BrightnessRange: Int, Sendable {
        case standard = 1
        /// Perceptual quantization, a high dynamic range.
        case pq = 16
        /// Hybrid log-gamma, a high dynamic range.
        case hlg = 18
    }

    package init(width: Int?, height: Int?, milliseconds: Int?, hasSound: Bool, recordedAt: Int? = nil) {
        self.width = width
        self.height = height
        self.milliseconds = milliseconds
        self.hasSound = hasSound
        self.recordedAt = recordedAt
    }

    /// Longest plausible side in pixels.
    package static let side = 16_384
    /// Longest plausible duration in milliseconds: one year.
    package static let longest = 365 * 86_400_000
}
