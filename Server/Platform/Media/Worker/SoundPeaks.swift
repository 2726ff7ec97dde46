/// Finds the peaks of sound while it is decoded: 16 bits a sample, little-endian, one channel. It takes 64 KB, however long the sound is.
struct SoundPeaks: Sendable {
    static let mostBlocks = 1 << 16

    /// The peak of each block of samples, from 0 to 255 (full scale). The blocks' length doubles whenever there are `mostBlocks`.
    private(set) var blocks: [UInt8] = []
    /// A block has 2 to the power of this many samples.
    private var shift = 0
    /// Number of samples.
    private(set) var count = 0
    /// The first byte of a sample whose second one follows in the next piece.
    private var half: UInt8?

    mutating func add(_ piece: ArraySlice<UInt8>) {
        for byte in piece {
            guard let low = half else {
                half = byte
                continue
            }
            half = nil
            let sample = Int(Int16(truncatingIfNeeded: Int(low) | Int(byte) << 8))
            add(sample: UInt8(min(255, abs(sample) >> 7)))
        }
    }

    private mutating func add(sample: UInt8) {
        var block = count >> shift
        if block == Self.mostBlocks {
            block /= 2
            for index in 0..<block { blocks[index] = max(blocks[2 * index], blocks[2 * index + 1]) }
            blocks.removeLast(block)
            shift += 1
        }
        if block == blocks.count { blocks.append(sample) } else { blocks[block] = max(blocks[block], sample) }
        count += 1
    }

    /// The peaks of equal parts. A block at the border of two parts counts for both. If there are at most `mostBlocks` samples, each sample
    /// is a block.
    /// - Parameter most: the number of parts; if there are fewer samples, each sample is a part.
    func parts(_ most: Int) -> [UInt8] {
        let parts = min(most, count)
        return (0..<parts).map { part in
            let (first, end) = (part * count / parts, (part + 1) * count / parts)
            return blocks[(first >> shift)...((end - 1) >> shift)].max() ?? 0
        }
    }
}
