/// Cuts speech into segments that an engine accepts, at the quietest places, so that no word is cut or transcribed twice.
package struct SpeechSegmenter: Sendable {
    package struct Piece: Sendable, Equatable {
        /// The segment's range of bytes in the samples.
        package let bytes: Range<Int>
        /// Whether nothing in it is loud enough to be a voice.
        package let isSilent: Bool
    }

    /// Maximum length of a segment in frames.
    private let longest: Int

    /// Samples of one frame, 20 ms.
    private static let frameSamples = Speech.rate / 50
    /// Length of the quiet gap that a cut needs, in frames: 300 ms.
    private static let gap = 15
    /// Frames with a lower root mean square are not a voice: 50 dB below full scale.
    private static let silence = 104.0

    /// - Parameter longest: maximum length of a segment, half a second or more.
    package init(longest: Duration) { self.longest = max(25, Int(longest / .milliseconds(20))) }

    /// - Parameters:
    ///   - samples: in the format of `Speech`.
    ///   - isEnd: `true` if these are the last samples. If `false`, the samples after the last cut are in no segment: pass them again, at
    ///     the beginning of the next call's samples.
    package func cut(_ samples: [UInt8], isEnd: Bool) -> [Piece] {
        let loudness = Self.loudness(samples)
        var pieces: [Piece] = []
        var start = 0
        while loudness.count - start > longest {
            let cut = quietest(loudness, from: start + longest * 2 / 3, to: start + longest)
            pieces.append(piece(start..<cut, loudness))
            start = cut
        }
        if isEnd, start < loudness.count {
            let last = piece(start..<loudness.count, loudness)
            // Includes the samples after the last whole frame.
            pieces.append(Piece(bytes: last.bytes.lowerBound..<(samples.count & ~1), isSilent: last.isSilent))
        }
        return pieces
    }

    private func piece(_ frames: Range<Int>, _ loudness: [Double]) -> Piece {
        let width = 2 * Self.frameSamples
        return Piece(
            bytes: (frames.lowerBound * width)..<(frames.upperBound * width), isSilent: loudness[frames].allSatisfy { $0 < Self.silence })
    }

    /// The middle of the quietest gap.
    private func quietest(_ loudness: [Double], from: Int, to: Int) -> Int {
        var sum = loudness[from..<min(from + Self.gap, to)].reduce(0, +)
        var (best, at) = (sum, from)
        var first = from
        while first + Self.gap < to {
            sum += loudness[first + Self.gap] - loudness[first]
            first += 1
            // Of two equally quiet gaps, the later one makes the longer segment.
            if sum <= best { (best, at) = (sum, first) }
        }
        return min(at + Self.gap / 2, to)
    }

    /// Root mean square of each frame.
    private static func loudness(_ samples: [UInt8]) -> [Double] {
        samples.withUnsafeBytes { bytes in
            let values = bytes.bindMemory(to: Int16.self)
            return (0..<(values.count / frameSamples)).map { frame in
                var sum: Int64 = 0
                for index in (frame * frameSamples)..<((frame + 1) * frameSamples) {
                    let value = Int64(Int16(littleEndian: values[index]))
                    sum += value * value
                }
                return (Double(sum) / Double(frameSamples)).squareRoot()
            }
        }
    }
}
