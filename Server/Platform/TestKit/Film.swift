package import Foundation

/// A video whose pictures cannot be decoded: the boxes of an MP4 of 64 × 48 pixels and 2.5 s, with correct lengths, around meaningless
/// bytes.
package enum Film {
    /// - Parameters:
    ///   - byteCount: size of the whole file; at least 400.
    ///   - isRandom: makes each video unique; otherwise videos of the same size are equal.
    package static func bytes(_ byteCount: Int, isRandom: Bool = false) -> Data {
        let type = box("ftyp", Data("mp42".utf8) + [0, 0, 0, 0] + Data("isom".utf8))
        let header = box("mvhd", Data(count: 12) + number(1_000) + number(2_500) + Data(count: 80))
        let shown = box(
            "tkhd",
            Data(count: 40) + number(0x1_0000) + Data(count: 12) + number(0x1_0000) + Data(count: 12) + number(0x4000_0000)
                + number(64 << 16) + number(48 << 16))
        let media = box("mdia", box("hdlr", Data(count: 8) + Data("vide".utf8) + Data(count: 13)))
        let index = box("moov", header + box("trak", shown + media))
        var content = Data(repeating: 0x5A, count: byteCount - type.count - index.count - 8)
        if isRandom {
            // The system's generator would make a system call for each eight bytes: 3 s for 64 MB.
            var generator = SplitMix64(seed: .random(in: .min ... .max))
            content.withUnsafeMutableBytes { content in
                for offset in stride(from: 0, to: content.count - 8, by: 8) {
                    content.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
                }
            }
        }
        return type + index + box("mdat", content)
    }

    private static func number(_ value: UInt32) -> Data { Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }) }

    private static func box(_ name: String, _ content: Data) -> Data {
        number(UInt32(content.count + 8)) + Data(name.utf8) + content
    }
}
