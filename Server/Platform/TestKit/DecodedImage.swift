internal import Foundation

/// A picture as decoded by a program other than the media worker.
package struct DecodedImage: Sendable {
    package let width: Int
    package let height: Int
    /// All samples as they are stored: not turned upright, and without conversion between colour profiles.
    package let pixels: [UInt8]
    /// Colours at the centres of the four quarters, from the upper left.
    package let quarters: [[Int]]

    /// - Parameter suffix: the file extension of such bytes, for example `webp`.
    package init(_ bytes: [UInt8], _ suffix: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keepsake-look-\(UUID().uuidString)").path
        let source = "\(path).\(suffix)"
        defer { for name in [source, "\(path).raw"] { try? FileManager.default.removeItem(atPath: name) } }
        try Data(bytes).write(to: URL(filePath: source))
        let size = try Tool.run("vipsheader", ["-f", "width", source]) + " " + Tool.run("vipsheader", ["-f", "height", source])
        let numbers = size.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 2 else { throw Tool.Failed(description: "no size") }
        try Tool.run("vips", ["rawsave", source, "\(path).raw"])
        let raw = [UInt8](try Data(contentsOf: URL(filePath: "\(path).raw")))
        let (width, height) = (numbers[0], numbers[1])
        let bands = raw.count / (width * height)
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
