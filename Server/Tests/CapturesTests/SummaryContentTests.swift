import Core
import Foundation
import Intelligence
import Testing

@testable import Captures

@Suite("What is stored of a summary")
struct SummaryContentTests {
    private static let noon = Timestamp(seconds: 1_780_315_200)

    /// An id of the largest allowed length.
    private static func id(_ number: Int) -> String { "c\(100_000 + number)-" + String(repeating: "x", count: 120) }

    /// The summary of a day with `waiting` captures that are being analysed, followed by captures that are quoted.
    private static func day(waiting: Int, quoted: Int) -> SummaryContent {
        let captures = (0..<(waiting + quoted)).map { number in
            Condensation.Capture(
                id: id(number), at: noon + .seconds(Int64(number)), transcription: "Number \(number).", hasPicture: false,
                analysis: CaptureAnalysis(keyMoment: "Number \(number).", engine: "local"), isPending: number < waiting)
        }
        var draft = Condensation.Draft(limit: Condensing.perDay)
        draft.count(captures)
        draft.choose(captures)
        return SummaryContent(draft, captures: [], people: [], in: .gmt)
    }

    private static func ids(_ numbers: Range<Int>) -> Set<String> { Set(numbers.map(id)) }

    @Test("a day in which thousands of captures wait or are corrected is stored in few bytes, and counts them")
    func bytes() {
        var content = Self.day(waiting: 2_000, quoted: 500)
        #expect(content.captureCount == 2_500 && content.describedCount == 500)
        #expect(content.text.utf8.count < 65_536, "\(content.text.utf8.count) bytes")
        content.unquote(Self.ids(2_100..<2_500), areDeleted: false, in: .gmt)
        #expect(content.captureCount == 2_500 && content.describedCount == 100)
        #expect(content.text.utf8.count < 65_536, "\(content.text.utf8.count) bytes")
        // Decoding the stored text gives the same content.
        #expect(SummaryContent(text: content.text) == content)
    }

    @Test("a capture that is corrected twice and then deleted counts once")
    func twice() {
        var content = Self.day(waiting: 3, quoted: 5)
        for _ in 0..<2 {
            content.unquote(Self.ids(3..<5), areDeleted: false, in: .gmt)
            #expect(content.captureCount == 8 && content.describedCount == 3)
        }
        // Deletes three captures: one that has waited for its analysis from the beginning, one that was corrected, and one that is quoted.
        content.unquote([Self.id(0), Self.id(3), Self.id(5)], areDeleted: true, in: .gmt)
        #expect(content.captureCount == 5 && content.describedCount == 2)
        #expect(content.highlights.map(\.capture) == [Self.id(6), Self.id(7)])
        content.unquote(Self.ids(6..<8), areDeleted: false, in: .gmt)
        #expect(content.captureCount == 5 && content.describedCount == 0)
    }

    @Test("what is quoted counts, although corrections beyond the stored ids are repeated")
    func repeated() {
        var content = Self.day(waiting: 400, quoted: 300)
        let quoted = Set(content.highlights.map(\.capture))
        for _ in 0..<3 { content.unquote(Self.ids(400..<700).subtracting(quoted), areDeleted: false, in: .gmt) }
        #expect(content.describedCount == quoted.count && quoted.count == Condensing.perDay)
    }

    @Test("a summary of an earlier release, with all ids, becomes short with its next change")
    func earlier() throws {
        let waiting = (0..<2_000).map(Self.id)
        let fields: [String: Any] = [
            "summary": "", "themes": ["home"], "people": ["p"], "highlights": [Any](), "captures": [Any](), "captureCount": 2_500,
            "pending": waiting, "pictureCount": 0, "engine": "local",
        ]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
        var content = try #require(SummaryContent(text: text))
        #expect(content.describedCount == 500)
        content.unquote([Self.id(0), Self.id(2_000)], areDeleted: false, in: .gmt)
        #expect(content.captureCount == 2_500 && content.describedCount == 499)
        #expect(content.text.utf8.count < 65_536, "\(content.text.utf8.count) bytes")
        content.unquote([Self.id(1)], areDeleted: true, in: .gmt)
        #expect(content.captureCount == 2_499 && content.describedCount == 499)
    }
}
