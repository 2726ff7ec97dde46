/// Limits that are checked before audio is decoded.
package enum AudioLimits {
    /// Channels × rate × seconds: two hours and a quarter of stereo at 48 kHz. ffmpeg decodes that in about 5 s.
    package static let samples = 768_000_000
    package static let channels = 8
    /// Length of an MP3: two hours and eleven minutes. The server refuses longer sound of other formats at the latest while it decodes it.
    package static let seconds = 7_864.0
    /// The most frames of a film's video track: four hours at 240 frames a second.
    package static let pictures = 4_000_000
}
