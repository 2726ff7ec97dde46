package import Core
package import Foundation

/// The summary of an hour or a day. Its sentences are those of the captures, word for word, each with its time and capture. Pure.
///
/// `Grounding` checks that this holds.
package struct Condensation: Sendable, Equatable {
    /// A capture of the hour or the day.
    package struct Capture: Sendable, Equatable {
        package var id: String
        package var at: Timestamp
        package var transcription: String?
        package var hasPicture: Bool
        /// `nil` when no analysis could be made at all.
        package var analysis: CaptureAnalysis?
        /// Whether the capture is still being analysed: it counts, but the summary says nothing of it yet.
        package var isPending: Bool

        package init(
            id: String, at: Timestamp, transcription: String?, hasPicture: Bool, analysis: CaptureAnalysis?, isPending: Bool = false
        ) {
            self.id = id
            self.at = at
            self.transcription = transcription
            self.hasPicture = hasPicture
            self.analysis = analysis
            self.isPending = isPending
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
    /// Always `local`, because a summary only quotes.
    package var engine: String { "local" }

    /// - Parameters:
    ///   - captures: those of one hour or one day, in any order; not empty.
    ///   - zone: the user's, for the times in the summary.
    ///   - limit: the most highlights; 5 suit an hour, 12 suit a day.
    package init(_ captures: [Capture], in zone: TimeZone, limit: Int) {
        let captures = captures.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        var draft = Draft(limit: limit)
        draft.count(captures)
        draft.choose(captures)
        self.init(draft, in: zone)
    }

    /// - Parameter draft: has counted and chosen from all captures, in the order of time.
    package init(_ draft: Draft, in zone: TimeZone) {
        themes = draft.themes
        people = draft.people
        highlights = draft.highlights
        let lines = highlights.map { SummaryFrame.quote(at: $0.at, $0.text, zone) }
        summary =
            lines.isEmpty
            ? SummaryFrame.wordless(captures: draft.captureCount - draft.pendingCount, pictures: draft.pictureCount)
            : lines.joined(separator: "\n")
    }
}
