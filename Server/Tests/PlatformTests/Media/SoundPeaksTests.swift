import TestKit
import Testing

@testable import MediaTools

@Suite("Peaks of sound")
struct SoundPeaksTests {
    /// The expected peaks of 200 equal parts, computed from all samples together.
    private static func reference(_ samples: [Int16]) -> [UInt8] {
        let parts = min(200, samples.count)
        return (0..<parts).map { part in
            let range = (part * samples.count / parts)..<((part + 1) * samples.count / parts)
            let peak = samples[range].reduce(0) { max($0, abs(Int($1))) }
            return UInt8(min(255, peak >> 7))
        }
    }

    /// - Parameter pieceLength: the bytes of each piece. An odd number splits samples.
    private static func peaks(_ samples: [Int16], pieceLength: Int) -> SoundPeaks {
        let bytes = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        var peaks = SoundPeaks()
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            peaks.add(bytes[start..<min(start + pieceLength, bytes.count)])
        }
        return peaks
    }

    @Test("peaks found piece by piece are those of the whole sound", arguments: [1, 2, 199, 200, 201, 12_345, 65_536])
    func exact(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        var samples = (0..<count).map { _ in Int16.random(in: -20_000...20_000, using: &random) >> Int16.random(in: 0...7, using: &random) }
        samples[count / 2] = .min
        for pieceLength in [1, 4_095, 65_536] {
            let facts = try #require(AudioFacts(Self.peaks(samples, pieceLength: pieceLength)))
            #expect(facts.peaks == Self.reference(samples), "\(count), \(pieceLength)")
            #expect(facts.duration == .seconds(Double(count) / 4_000))
        }
    }

    @Test("a long sound takes no more memory, and its peaks are exact to a block")
    func long() throws {
        let count = 1_000_000
        let samples = (0..<count).map { Int16($0 * 32_767 / count) }
        let peaks = Self.peaks(samples, pieceLength: 4_095)
        #expect(peaks.count == count && peaks.blocks.count <= SoundPeaks.mostBlocks)
        let facts = try #require(AudioFacts(peaks))
        let reference = Self.reference(samples)
        #expect(facts.peaks.count == 200 && zip(facts.peaks, reference).allSatisfy { 0...1 ~= Int($0) - Int($1) })
    }

    @Test("there are no peaks without a whole sample")
    func none() {
        var peaks = SoundPeaks()
        #expect(AudioFacts(peaks) == nil)
        peaks.add(ArraySlice([7]))
        #expect(AudioFacts(peaks) == nil)
    }
}
