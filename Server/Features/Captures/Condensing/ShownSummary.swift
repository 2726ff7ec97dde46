import Foundation
import Intelligence

/// What responses show of a stored summary. Decoding leaves out the ids of captures that are analysed again. It also leaves out the ids of
/// an hour's captures beyond those that a response lists: 4,000 may be stored.
struct ShownSummary: Decodable, Sendable {
    /// The most captures whose ids a response lists, for an hour and for a day.
    static let captureLimit = 1_000

    let summary: String
    let themes: [String]
    /// As `SummaryContent.people`.
    let people: [String]
    let highlights: [Condensation.Highlight]
    /// The ids of at most `captureLimit` of an hour's captures, the first ones; empty for a day.
    let captures: [String]
    let captureCount: Int
    let engine: String

    private enum CodingKeys: String, CodingKey {
        case summary, themes, people, highlights, captures, captureCount, engine
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        summary = try values.decode(String.self, forKey: .summary)
        themes = try values.decode([String].self, forKey: .themes)
        people = try values.decode([String].self, forKey: .people)
        highlights = try values.decode([Condensation.Highlight].self, forKey: .highlights)
        var ids = try values.nestedUnkeyedContainer(forKey: .captures)
        var captures: [String] = []
        while !ids.isAtEnd, captures.count < Self.captureLimit { captures.append(try ids.decode(String.self)) }
        self.captures = captures
        captureCount = try values.decode(Int.self, forKey: .captureCount)
        engine = try values.decode(String.self, forKey: .engine)
    }

    /// - Parameter text: the column of a `SummaryContent`.
    init?(text: String?) {
        guard let text, let shown = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = shown
    }
}
