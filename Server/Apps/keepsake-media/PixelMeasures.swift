import MediaFrames

/// Measures decoded pixels: which colours cover most of a picture, and whether it is blurred.
struct PixelMeasures {
    /// At most 3, the largest first; each covers an eighth of the picture or more.
    let colours: [PictureMeasures.Colour]
    /// Whether the picture has contrast, but even its sharpest edges are soft.
    let isBlurred: Bool

    /// A picture whose brightness varies less than this (of 255) has nothing that could be sharp.
    private static let leastContrast = 40
    /// In a picture that is in focus, the sharpest half per cent reaches this second difference of brightness (of 1,020).
    private static let sharpEdge = 10

    /// - Parameters:
    ///   - samples: 8 bits each, row by row.
    ///   - channels: 1 or 3.
    init(_ samples: UnsafeRawBufferPointer, width: Int, height: Int, channels: Int) {
        var counts = [Int](repeating: 0, count: PictureMeasures.Colour.allCases.count)
        var brightness = [UInt8](repeating: 0, count: width * height)
        for index in 0..<(width * height) {
            let at = index * channels
            let red = Int(samples[at])
            let (green, blue) = channels == 3 ? (Int(samples[at + 1]), Int(samples[at + 2])) : (red, red)
            brightness[index] = UInt8((299 * red + 587 * green + 114 * blue) / 1_000)
            counts[Self.colour(red, green, blue)] += 1
        }
        let all = Array(PictureMeasures.Colour.allCases.enumerated())
        colours = all.filter { counts[$0.offset] * 8 >= width * height }.sorted { counts[$0.offset] > counts[$1.offset] }
            .prefix(3).map(\.element)
        isBlurred = Self.isBlurred(brightness, width, height)
    }

    private static func isBlurred(_ brightness: [UInt8], _ width: Int, _ height: Int) -> Bool {
        guard width >= 64, height >= 64 else { return false }
        var levels = [Int](repeating: 0, count: 256)
        var edges = [Int](repeating: 0, count: 1_021)
        for y in 1..<(height - 1) {
            for x in 1..<(width - 1) {
                let at = y * width + x
                let here = Int(brightness[at])
                levels[here] += 1
                let around =
                    Int(brightness[at - 1]) + Int(brightness[at + 1]) + Int(brightness[at - width]) + Int(brightness[at + width])
                edges[abs(4 * here - around)] += 1
            }
        }
        let contrast = percentile(levels, 0.95) - percentile(levels, 0.05)
        return contrast >= leastContrast && percentile(edges, 0.995) < sharpEdge
    }

    private static func percentile(_ counts: [Int], _ share: Double) -> Int {
        var left = Int(Double(counts.reduce(0, +)) * share)
        for (value, count) in counts.enumerated() {
            left -= count
            if left < 0 { return value }
        }
        return counts.count - 1
    }

    /// The index of the colour's name, by hue, saturation and brightness.
    private static func colour(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        let spread = most - least
        let name: PictureMeasures.Colour
        if most < 48 {
            name = .black
        } else if spread * 100 < most * 15 || spread < 20 {
            name = most > 215 ? .white : most < 64 ? .black : .grey
        } else {
            let part =
                most == red
                ? (green - blue) * 60 / spread : most == green ? 120 + (blue - red) * 60 / spread : 240 + (red - green) * 60 / spread
            let hue = (part + 360) % 360
            switch hue {
            case ..<15, 345...: name = most > 200 && spread * 100 < most * 55 ? .pink : .red
            case ..<45: name = most < 170 ? .brown : .orange
            case ..<70: name = most < 110 ? .brown : .yellow
            case ..<165: name = .green
            case ..<195: name = .turquoise
            case ..<255: name = .blue
            case ..<300: name = .purple
            default: name = .pink
            }
        }
        return PictureMeasures.Colour.allCases.firstIndex(of: name) ?? 0
    }
}
