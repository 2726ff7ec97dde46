import Core
import Foundation
import Intelligence

/// The summary of an hour or a day, as it is stored.
struct SummaryContent: Codable, Sendable, Equatable {
    var summary: String
    var themes: [String]
    /// Ids of contacts, the most mentioned first. Names are read with the summary, so that it follows every edit of a contact.
    var people: [String]
    var highlights: [Condensation.Highlight]
    /// The captures' ids in the order of time; empty for a day.
    var captures: [String]
    var captureCount: Int
    var pictureCount: Int
    var engine: String

    /// - Parameters:
    ///   - draft: has read the captures; not empty.
    ///   - captures: their ids in the order of time; empty for a day.
    init(_ draft: Condensation.Draft, captures: [String], people: [String], in zone: TimeZone) {
        let condensation = Condensation(draft, in: zone)
        summary = condensation.summary
        themes = condensation.themes
        self.people = people
        highlights = condensation.highlights
        self.captures = captures
        captureCount = draft.captureCount
        pictureCount = draft.pictureCount
        engine = condensation.engine
    }

    /// Removes what it says of captures that are deleted or changed, until it is condensed again.
    mutating func unquote(_ gone: Set<String>, in zone: TimeZone) {
        highlights.removeAll { gone.contains($0.capture) }
        captures.removeAll { gone.contains($0) }
        themes = []
        captureCount = max(0, captureCount - gone.count)
        summary =
            highlights.isEmpty
            ? SummaryFrame.wordless(captures: captureCount, pictures: min(pictureCount, captureCount))
            : highlights.map { SummaryFrame.quote(at: $0.at, $0.text, zone) }.joined(separator: "\n")
    }

    // MARK: The column

    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and numbers always encode.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    init?(text: String?) {
        guard let text, let content = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = content
    }
}
