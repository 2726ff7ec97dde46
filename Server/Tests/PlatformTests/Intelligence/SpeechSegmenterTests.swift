import Foundation
import Testing

@testable import Intelligence

@Suite("Speech segmentation")
struct SpeechSegmenterTests {
    /// Half a second of a tone for each `true`, and of silence for each `false`.
    private func samples(_ parts: [Bool]) -> [UInt8] {
        parts.enumerated().flatMap { part, isLoud in
            (0..<Speech.rate / 2).flatMap { index -> [UInt8] in
                let value = isLoud ? Int16(8_000 * sin(Double(index) / 7 + Double(part))) : 0
                return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
    }

    @Test("speech is cut in the middle of pauses, and the segments cover it without gaps or overlaps")
    func pauses() {
        // Sections of speech of two seconds, and pauses of half a second.
        let parts = (0..<12).flatMap { _ in [true, true, true, true, false] }
        let all = samples(parts)
        let pieces = SpeechSegmenter(longest: .seconds(8)).cut(all, isEnd: true)
        let silent = pieces.count { $0.isSilent }
        #expect(pieces.count >= 4 && silent == 0)
        #expect(pieces.first?.bytes.lowerBound == 0 && pieces.last?.bytes.upperBound == all.count)
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            #expect(piece.bytes.upperBound == next.bytes.lowerBound)
            #expect(piece.bytes.count <= 8 * 2 * Speech.rate && piece.bytes.count >= 5 * 2 * Speech.rate)
            // Both sides of the cut are silent for a tenth of a second.
            let edge = (piece.bytes.upperBound - 3_200)..<(piece.bytes.upperBound + 3_200)
            let isSilent = all[edge].allSatisfy { $0 == 0 }
            #expect(isSilent)
        }
    }

    @Test("speech after the last cut is left for the next call")
    func reels() {
        let all = samples((0..<6).flatMap { _ in [true, true, true, true, false] })
        let segmenter = SpeechSegmenter(longest: .seconds(8))
        let first = segmenter.cut(all, isEnd: false)
        let whole = segmenter.cut(all, isEnd: true)
        #expect(whole.count == first.count + 1 && Array(whole.prefix(first.count)) == first)
        #expect(segmenter.cut(samples([true, true]), isEnd: false) == [])
    }

    @Test("speech without pauses is cut too, and silent segments are marked")
    func endless() {
        let segmenter = SpeechSegmenter(longest: .seconds(2))
        let pieces = segmenter.cut(samples(Array(repeating: true, count: 20)), isEnd: true)
        let longest = pieces.map(\.bytes.count).max() ?? 0
        #expect(pieces.count >= 5 && longest <= 4 * Speech.rate)
        let silent = segmenter.cut(samples(Array(repeating: false, count: 10)), isEnd: true)
        let loud = silent.count { !$0.isSilent }
        #expect(!silent.isEmpty && loud == 0)
        #expect(segmenter.cut([], isEnd: true) == [] && segmenter.cut([0, 0, 0], isEnd: true) == [])
    }
}
