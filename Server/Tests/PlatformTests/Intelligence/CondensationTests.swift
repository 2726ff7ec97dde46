import Core
import Foundation
import Intelligence
import Testing

@Suite("Condensation")
struct CondensationTests {
    private let zone = TimeZone(identifier: "Europe/Berlin")!

    private func capture(_ id: String, _ minute: Int64, _ text: String?, key: String?, names: [String] = [], themes: [String] = [])
        -> Condensation.Capture
    {
        Condensation.Capture(
            id: id, at: Timestamp(seconds: 1_769_268_600 + 60 * minute), transcription: text, hasPicture: text == nil,
            analysis: CaptureAnalysis(themes: themes, mentionedNames: names, keyMoment: key, engine: "local"))
    }

    @Test("a summary quotes the captures in order, each with its time in the user's zone")
    func quotes() {
        let hour = Condensation(
            [
                capture("b", 10, "It rained. We went home.", key: "We went home.", names: ["john"], themes: ["home"]),
                capture("a", 0, "Met John at noon.", key: "Met John at noon.", names: ["John", "Ada"], themes: ["friends", "home"]),
                capture("c", 20, nil, key: nil),
            ], in: zone, limit: 5)
        #expect(hour.summary == "At 16:30: Met John at noon.\nAt 16:40: We went home.")
        #expect(hour.people == ["John", "Ada"] && hour.themes == ["home", "friends"] && hour.engine == "local")
        #expect(hour.highlights.map(\.capture) == ["a", "b"])
    }

    @Test("every line of a summary stands in its captures or is fixed; an engine that adds a sentence is caught")
    func grounded() {
        let captures = [
            capture("a", 0, "Met John at noon. He was late.", key: "Met John at noon."),
            capture("b", 1, "We had tea.", key: "The tea was poisoned."),
        ]
        let hour = Condensation(captures, in: zone, limit: 5)
        let sources = captures.compactMap(\.transcription)
        #expect(Grounding.ungrounded(hour.summary, sources: sources, frames: SummaryFrame.rest) == [])
        // The made-up key moment is not in the summary.
        #expect(hour.highlights.map(\.capture) == ["a"])
        // Control: two sentences that an engine has invented are found.
        let invented = hour.summary + "\nAt 16:31: The tea was poisoned.\nThey were never seen again."
        #expect(Grounding.ungrounded(invented, sources: sources, frames: SummaryFrame.rest).count == 2)
    }

    @Test("captures without words give a fixed line")
    func wordless() {
        #expect(Condensation([capture("a", 0, nil, key: nil)], in: zone, limit: 5).summary == "1 picture without words.")
        let two = Condensation([capture("a", 0, nil, key: nil), capture("b", 1, "", key: nil)], in: zone, limit: 5).summary
        #expect(two == "2 captures without words." && SummaryFrame.rest(of: two) == "")
    }

    @Test("a time before 1970 is a time of its day")
    func early() {
        // 1969-07-20 20:17:40 UTC, and 0.5 s before 1970.
        let landing = Timestamp(seconds: -14_182_940)
        #expect(SummaryFrame.time(landing, .gmt) == "20:17")
        #expect(SummaryFrame.time(landing, zone) == "21:17")
        #expect(SummaryFrame.time(Timestamp(milliseconds: -500), .gmt) == "23:59")
        #expect(SummaryFrame.time(Timestamp(seconds: 0), .gmt) == "00:00")
    }

    @Test("of many captures the limit keeps those that share most with the others, and equal sentences count once")
    func limit() {
        var captures = (0..<30).map { capture("c\($0)", Int64($0), "Number \($0).", key: "Number \($0).") }
        captures.append(capture("x", 40, "With Ada.", key: "With Ada.", names: ["Ada"], themes: ["friends"]))
        captures.append(capture("y", 41, "With Ada again.", key: "With Ada again.", names: ["Ada"], themes: ["friends"]))
        captures.append(capture("z", 42, "Number 3.", key: "Number 3."))
        let day = Condensation(captures, in: zone, limit: 3)
        #expect(day.highlights.map(\.capture) == ["c0", "x", "y"])
    }
}
