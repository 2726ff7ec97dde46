/// Limits that are checked before audio is decoded.
package enum AudioLimits {
    /// The most samples of a file, counted as channels × rate × seconds: two hours and a quarter of stereo at 48 kHz. ffmpeg decodes that
    /// in about 5 s.
    package static let samples = 768_000_000
    package static let channels = 8
    /// The most chunks of a WAV: ffmpeg reads 800,000 empty ones in a second. Programs write some ten.
    package static let chunks = 10_000
    /// The most seconds of an MP3: two hours and eleven minutes. In other formats, the server refuses longer sound before or while it
    /// decodes the file.
    package static let seconds = 7_864.0
    /// The most frames of a film's video track: four hours at 240 frames a second.
    package static let pictures = 4_000_000
}
