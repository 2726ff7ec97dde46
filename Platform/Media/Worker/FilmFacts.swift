/// What a film says of itself.
package struct FilmFacts: Sendable, Equatable {
    /// Pixels, upright.
    package let width: Int
    /// Pixels, upright.
    package let height: Int
    /// `nil` when the film does not say.
    package let duration: Duration?

    /// Reads ffprobe's `key=value` lines; the first of each key counts.
    /// - Returns: `nil` unless it has a picture of a sensible size.
    init?(_ lines: [UInt8]) {
        var values: [Substring: Substring] = [:]
        let text = String(decoding: lines, as: UTF8.self)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
        }
        guard let width = values["width"].flatMap({ Int($0) }), let height = values["height"].flatMap({ Int($0) }),
            (1...16_384).contains(width), (1...16_384).contains(height)
        else { return nil }
        let isLying = values["rotation"].flatMap { Int($0) }.map { abs($0) % 180 == 90 } ?? false
        self.width = isLying ? height : width
        self.height = isLying ? width : height
        duration = values["duration"].flatMap { Double($0) }.flatMap { $0 > 0 && $0 < 1e6 ? .seconds($0) : nil }
    }
}
