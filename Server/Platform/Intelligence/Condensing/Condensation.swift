package import Core
package import Foundation

/// The summary of an hour or a day. Its sentences are those of the captures, word for word, each with its time and capture. Pure.
///
/// `Grounding` checks that this holds.
package struct Condensation: Sendable, Equatable {
    /// A processed capture.
    package struct Capture: Sendable, Equatable {
        package var id: String
        package var at: Timestamp
        package var transcription: String?
        package var hasPicture: Bool
        /// `nil` when no analysis could be made at all.
        package var analysis: CaptureAnalysis?

        package init(id: String, at: Timestamp, transcription: String?, hasPicture: Bool, analysis: CaptureAnalysis?) {
            self.id = id
            self.at = at
            self.transcription = transcription
            self.hasPicture = hasPicture
            self.analysis = analysis
        }
    }

    package struct Highlight: Sendable, Equatable, Codable {
        package var at: Timestamp
        /// A sentence of the capture.
        package var text: String
        /// The capture's id.
        package var capture: String
    }

    /// One line a highlight, `At 14:05: Just met with John.`; a fixed line when no capture contains words. Lines are separated by `\n`.
    package let summary: String
    /// At most 8, the most frequent first.
    package let themes: [String]
    /// At most 20, the most frequent first.
    package let people: [String]
    /// In the order of time; at most `limit`.
    package let highlights: [Highlight]
    /// Always `local`: a summary quotes.
    package var engine: String { "local" }

    /// - Parameters:
    ///   - captures: those of one hour or one day, in any order; not empty.
    ///   - zone: the user's, for the times in the summary.
    ///   - limit: highlights at most; 5 suit an hour, 12 a day.
    package init(_ captures: [Capture], in zone: TimeZone, limit: Int) {
        let captures = captures.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        themes = Array(Self.ranked(captures.map { $0.analysis?.themes ?? [] }).prefix(8))
        people = Array(Self.ranked(captures.map { $0.analysis?.mentionedNames ?? [] }).prefix(20))
        let wanted = Set(themes.prefix(4) + people.prefix(4))
        var moments: [(highlight: Highlight, score: Int)] = []
        var seen: Set<String> = []
        for capture in captures {
            guard let text = capture.analysis?.keyMoment, Self.stands(text, in: capture), seen.insert(text.lowercased()).inserted else {
                continue
            }
            let found = Set((capture.analysis?.themes ?? []) + (capture.analysis?.mentionedNames ?? []))
            moments.append((Highlight(at: capture.at, text: text, capture: capture.id), found.intersection(wanted).count))
        }
        // Those that share most themes and people with the rest; of equals, the earlier.
        let chosen = moments.indices.sorted { (moments[$1].score, $0) < (moments[$0].score, $1) }.prefix(max(1, limit)).sorted()
        highlights = chosen.map { moments[$0].highlight }
        let lines = highlights.map { SummaryFrame.quote(at: $0.at, $0.text, zone) }
        summary =
            lines.isEmpty
            ? SummaryFrame.wordless(captures: captures.count, pictures: captures.count { $0.hasPicture })
            : lines.joined(separator: "\n")
    }

    /// A model may have changed the sentence; a summary only quotes.
    private static func stands(_ sentence: String, in capture: Capture) -> Bool {
        Grounding.stands(sentence, in: [capture.transcription, capture.analysis?.imageText].compactMap { $0 })
    }

    /// The texts of all captures, by the number of captures that have them; spellings that differ only in case are one.
    private static func ranked(_ lists: [[String]]) -> [String] {
        var counts: [String: (count: Int, order: Int, text: String)] = [:]
        for list in lists {
            var seen: Set<String> = []
            for text in list where seen.insert(text.lowercased()).inserted {
                let order = counts.count
                counts[text.lowercased(), default: (0, order, text)].count += 1
            }
        }
        return counts.values.sorted { ($1.count, $0.order) < ($0.count, $1.order) }.map(\.text)
    }
}
