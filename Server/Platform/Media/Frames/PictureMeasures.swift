/// What can be measured of a picture without understanding it.
package struct PictureMeasures: Sendable, Equatable {
    /// A colour that covers a good part of a picture.
    package enum Colour: String, Sendable, CaseIterable {
        case black, white, grey, red, orange, yellow, green, turquoise, blue, purple, pink, brown
    }

    /// Pixels, upright.
    package var width: Int
    /// Pixels, upright.
    package var height: Int
    package var captureTime: CaptureTime?
    /// Millionths of a degree, -90,000,000...90,000,000; `nil` when the file names no position.
    package var latitude: Int?
    /// Millionths of a degree, -180,000,000...180,000,000.
    package var longitude: Int?
    /// At most 3, the largest first.
    package var colours: [Colour]
    /// Whether it has contrast but no sharp edge.
    package var isBlurred: Bool

    package init(
        width: Int, height: Int, captureTime: CaptureTime?, latitude: Int?, longitude: Int?, colours: [Colour], isBlurred: Bool
    ) {
        self.width = width
        self.height = height
        self.captureTime = captureTime
        self.latitude = latitude
        self.longitude = longitude
        self.colours = colours
        self.isBlurred = isBlurred
    }

    var frame: FlatJSON {
        var frame = FlatJSON([
            "answer": .text("measures"), "width": .number(width), "height": .number(height), "blurred": .truth(isBlurred),
            "colours": .text(colours.map(\.rawValue).joined(separator: " ")),
        ])
        frame.members["taken"] = captureTime.map { .text($0.local) }
        frame.members["offset"] = captureTime?.offsetMinutes.map(FlatJSON.Value.number)
        frame.members["fraction"] = captureTime.map { .number($0.milliseconds) }
        frame.members["latitude"] = latitude.map(FlatJSON.Value.number)
        frame.members["longitude"] = longitude.map(FlatJSON.Value.number)
        return frame
    }

    /// - Returns: `nil` for a frame that violates the protocol.
    init?(_ frame: FlatJSON) {
        guard let width = frame.number("width"), let height = frame.number("height"), (1...PictureLimits.side).contains(width),
            (1...PictureLimits.side).contains(height), let isBlurred = frame.truth("blurred"), let colours = frame.text("colours")
        else { return nil }
        let names = colours.split(separator: " ").map { Colour(rawValue: String($0)) }
        guard names.count <= 3, !names.contains(nil) else { return nil }
        self.init(
            width: width, height: height, captureTime: nil, latitude: frame.number("latitude"), longitude: frame.number("longitude"),
            colours: names.compactMap { $0 }, isBlurred: isBlurred)
        // This compares with ranges because abs() traps for the least integer, which a compromised worker may send.
        guard (latitude == nil) == (longitude == nil), (-90_000_000...90_000_000).contains(latitude ?? 0),
            (-180_000_000...180_000_000).contains(longitude ?? 0)
        else { return nil }
        if let taken = frame.text("taken") {
            guard
                let time = CaptureTime(
                    local: taken, offsetMinutes: frame.number("offset"), milliseconds: frame.number("fraction") ?? 0)
            else { return nil }
            captureTime = time
        }
    }
}
