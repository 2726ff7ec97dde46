internal import MediaFrames

extension VideoFacts {
    /// Parses ffprobe's `key=value` lines; the first of each key counts.
    /// - Returns: `nil` unless the output contains a video size within the limits.
    init?(_ lines: [UInt8]) {
        var values: [Substring: Substring] = [:]
        let text = String(decoding: lines, as: UTF8.self)
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
        }
        guard let width = values["width"].flatMap({ Int($0) }), let height = values["height"].flatMap({ Int($0) }),
            (1...Self.side).contains(width), (1...Self.side).contains(height)
        else { return nil }
        // This takes the remainder before abs(), which traps for the least integer. A film that has taken over ffprobe may print that
        // number.
        let isLying = values["rotation"].flatMap { Int($0) }.map { abs($0 % 180) == 90 } ?? false
        let milliseconds = values["duration"].flatMap { Double($0) }.flatMap { $0 > 0 && $0 < 1e6 ? Int($0 * 1_000) : nil }
        self.init(width: isLying ? height : width, height: isLying ? width : height, milliseconds: milliseconds, hasSound: false)
    }
}
