import MediaFrames
import Testing

@Suite("Measures of pictures as frames")
struct PictureMeasuresTests {
    private func frame(latitude: Int?, longitude: Int?) -> FlatJSON {
        var frame = FlatJSON([
            "answer": .text("measures"), "width": .number(4), "height": .number(3), "blurred": .truth(false), "colours": .text("red blue"),
        ])
        frame.members["latitude"] = latitude.map(FlatJSON.Value.number)
        frame.members["longitude"] = longitude.map(FlatJSON.Value.number)
        return frame
    }

    @Test("a frame gives the measures that it was made from")
    func roundTrip() {
        let measures = PictureMeasures(
            width: 4, height: 3, captureTime: CaptureTime(local: "2025:06:14 18:30:12", offset: "Z", fraction: "25"),
            latitude: -90_000_000, longitude: 180_000_000, colours: [.red, .blue], isBlurred: true)
        #expect(MediaAnswer(MediaAnswer.measures(measures).frame) == .measures(measures))
    }

    @Test("a position outside the earth is refused, the least integer too", arguments: [90_000_001, -90_000_001, Int.min, Int.max])
    func positions(_ number: Int) {
        #expect(MediaAnswer(frame(latitude: number, longitude: 0)) == nil)
        #expect(MediaAnswer(frame(latitude: 0, longitude: number == Int.min || number == Int.max ? number : 2 * number)) == nil)
        #expect(MediaAnswer(frame(latitude: 0, longitude: nil)) == nil)
        #expect(MediaAnswer(frame(latitude: 0, longitude: 0)) != nil)
    }
}
