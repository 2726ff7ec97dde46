internal import MediaFrames

/// One sentence of measured facts about a picture. Pure.
enum PictureSummary {
    /// For example "A picture of 4032 × 3024 pixels, mostly blue and white, taken on 2025-06-14 at 18:30 near Lisbon, Portugal."
    static func text(_ measures: PictureMeasures) -> String {
        var parts = ["A picture of \(measures.width) × \(measures.height) pixels"]
        let colours = measures.colours.map(\.rawValue)
        if let last = colours.last {
            parts.append("mostly " + (colours.count > 1 ? colours.dropLast().joined(separator: ", ") + " and " : "") + last)
        }
        if measures.isBlurred { parts.append("blurred") }
        var taken: [String] = []
        if let time = measures.captureTime {
            // `2025:06:14 18:30:12`
            let (day, clock) = (time.local.prefix(10).replacing(":", with: "-"), time.local.dropFirst(11).prefix(5))
            taken.append("on \(day) at \(clock)")
        }
        if let place = place(of: measures) { taken.append("near \(place)") }
        if !taken.isEmpty { parts.append("taken " + taken.joined(separator: " ")) }
        return parts.joined(separator: ", ") + "."
    }

    /// The nearest city of the table; `nil` when the picture names no position or no city is near it.
    static func place(of measures: PictureMeasures) -> String? {
        guard let latitude = measures.latitude, let longitude = measures.longitude else { return nil }
        return Places.nearest(latitude: Double(latitude) / 1_000_000, longitude: Double(longitude) / 1_000_000)?.description
    }
}
