package import Foundation

/// A film without pictures: the boxes of an MP4, right in every length, around bytes that mean nothing.
package enum Film {
    /// - Parameters:
    ///   - byteCount: of the whole file; 200 or more.
    ///   - isRandom: unlike any other film; otherwise films of one length are equal.
    package static func bytes(_ byteCount: Int, isRandom: Bool = false) -> Data {
        let type = box("ftyp", Data("mp42".utf8) + [0, 0, 0, 0] + Data("isom".utf8))
        let index = box("moov", box("mvhd", Data(count: 100)))
        var content = Data(repeating: 0x5A, count: byteCount - type.count - index.count - 8)
        if isRandom {
            var generator = SystemRandomNumberGenerator()
            content.withUnsafeMutableBytes { content in
                for offset in stride(from: 0, to: content.count - 8, by: 8) {
                    content.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
                }
            }
        }
        return type + index + box("mdat", content)
    }

    private static func box(_ name: String, _ content: Data) -> Data {
        let size = UInt32(content.count + 8)
        return Data((0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }) + Data(name.utf8) + content
    }
}
