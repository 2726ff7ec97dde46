internal import Foundation
import Synchronization

/// A picture as decoded by a program other than the media worker.
package struct DecodedImage: Sendable {
    package let width: Int
    package let height: Int
    /// All samples as they are stored: not turned upright, and without conversion between colour profiles.
    package let pixels: [UInt8]
    /// Colours at the centres of the four quarters, from the upper left.
    package let quarters: [[Int]]

    private struct Source: Hashable {
        let bytes: [UInt8]
        let suffix: String
    }

    /// The pictures that were decoded last. They are kept because a test decodes the same pictures with each storage pair.
    private static let decoded = Mutex<[Source: DecodedImage]>([:])
    private static let mostDecoded = 64

    /// - Parameter suffix: the file extension of such bytes, for example `webp`.
    package init(_ bytes: [UInt8], _ suffix: String) throws {
        let source = Source(bytes: bytes, suffix: suffix)
        if let known = Self.decoded.withLock({ $0[source] }) {
            self = known
            return
        }
        try self.init(decoding: bytes, suffix)
        let image = self
        Self.decoded.withLock { decoded in
            if decoded.count >= Self.mostDecoded { decoded.removeAll() }
            decoded[source] = image
        }
    }

    private init(decoding bytes: [UInt8], _ suffix: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keepsake-look-\(UUID().uuidString)").path
        let source = "\(path).\(suffix)"
        defer { for name in [source, "\(path).v"] { try? FileManager.default.removeItem(atPath: name) } }
        try Data(bytes).write(to: URL(filePath: source))
        // libvips' own format: 64 bytes with the size, the number of bands and the type of a sample, and then the samples.
        try Tool.run("vips", ["copy", source, "\(path).v"])
        let file = [UInt8](try Data(contentsOf: URL(filePath: "\(path).v")))
        guard file.count >= 64 else { throw Tool.Failed(description: "no header") }
        func number(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
        let (width, height) = (number(4), number(8))
        let sampleByteCounts = [0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4]
        guard let sampleByteCount = sampleByteCounts[number(20)] else { throw Tool.Failed(description: "an unknown type of samples") }
        let bands = number(12) * sampleByteCount
        guard file.count >= 64 + width * height * bands else { throw Tool.Failed(description: "too few samples") }
        let raw = Array(file[64..<64 + width * height * bands])
        (self.width, self.height) = (width, height)
        pixels = raw
        quarters = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            let at = ((height * y / 4) * width + width * x / 4) * bands
            return raw[at..<at + min(3, bands)].map(Int.init)
        }
    }

    /// Whether the quarters are red, green, blue and white, as in the fixtures of every orientation, within JPEG's loss.
    package var isUpright: Bool {
        let expected = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
        return zip(quarters, expected).allSatisfy { zip($0, $1).allSatisfy { abs($0 - $1) < 40 } }
    }
}
