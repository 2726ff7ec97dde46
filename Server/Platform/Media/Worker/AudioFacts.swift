/// The properties of decoded audio. The duration is counted from the samples, not taken from the header.
package struct AudioFacts: Sendable, Equatable {
    package let duration: Duration
    /// The peaks of 200 equal parts, 0...255 of full scale; one for each sample if there are fewer than 200.
    package let peaks: [UInt8]

    /// Sample rate in Hz for the peaks; sufficient for a voice.
    static let rate = 4000

    /// - Parameter samples: 16 bits each, little-endian, one channel, `rate` a second.
    /// - Returns: `nil` when there are none.
    init?(_ samples: [UInt8]) {
        let count = samples.count / 2
        guard count > 0 else { return nil }
        duration = .seconds(Double(count) / Double(Self.rate))
        let parts = min(200, count)
        peaks = (0..<parts).map { part in
            var peak = 0
            for index in (part * count / parts)..<((part + 1) * count / parts) {
                peak = max(peak, abs(Int(Int16(truncatingIfNeeded: Int(samples[2 * index]) | Int(samples[2 * index + 1]) << 8))))
            }
            return UInt8(min(255, peak >> 7))
        }
    }
}
