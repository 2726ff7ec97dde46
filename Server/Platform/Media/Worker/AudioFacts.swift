/// The properties of decoded audio. The duration is counted from the samples, not taken from the header.
package struct AudioFacts: Sendable, Equatable {
    package let duration: Duration
    /// The peaks of 200 equal parts, each from 0 to 255 (full scale); one for each sample if there are fewer than 200.
    package let peaks: [UInt8]

    /// Sample rate in Hz for the peaks; sufficient for a voice.
    static let rate = 4000

    /// - Parameter found: the peaks of sound with `rate` samples a second.
    /// - Returns: `nil` when the sound has no samples.
    init?(_ found: SoundPeaks) {
        guard found.count > 0 else { return nil }
        duration = .seconds(Double(found.count) / Double(Self.rate))
        peaks = found.parts(200)
    }
}
