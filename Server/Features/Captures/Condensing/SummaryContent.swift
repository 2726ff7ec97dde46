import Core
import Foundation
import Intelligence

/// The summary of an hour or a day, as it is stored.
struct SummaryContent: Codable, Sendable, Equatable {
    var summary: String
    var themes: [String]
    /// Ids of contacts, the most mentioned first. Names are read with the summary, so that the summary follows every edit of a contact.
    var people: [String]
    var highlights: [Condensation.Highlight]
    /// The captures' ids in the order of time; empty for a day.
    var captures: [String]
    /// The number of captures, including those that are analysed again.
    var captureCount: Int
    /// How many captures the summary counts but does not describe, because they are analysed again; `nil` in summaries of earlier releases.
    var pendingCount: Int?
    /// The ids of those captures, so that a capture that is corrected twice counts once. If there are more than
    /// `Condensation.Draft.pendingLimit`, the rest is only counted. Summaries of earlier releases may hold all ids, or `nil`.
    var pending: [String]?
    var pictureCount: Int
    var engine: String

    /// - Parameters:
    ///   - draft: made from the captures; at least one of them is analysed.
    ///   - captures: the captures' ids in the order of time; empty for a day.
    init(_ draft: Condensation.Draft, captures: [String], people: [String], in zone: TimeZone) {
        let condensation = Condensation(draft, in: zone)
        summary = condensation.summary
        themes = condensation.themes
        self.people = people
        highlights = condensation.highlights
        self.captures = captures
        captureCount = draft.captureCount
        pendingCount = draft.pendingCount
        pending = draft.pending
        pictureCount = draft.pictureCount
        engine = condensation.engine
    }

    /// How many captures the summary describes. A capture that is corrected twice may count twice in `pendingCount` if its id is not in
    /// `pending`, so the captures that are quoted are a lower bound.
    var describedCount: Int { max(captureCount - waitingCount, Set(highlights.map(\.capture)).count) }

    private var waitingCount: Int { pendingCount ?? pending?.count ?? 0 }

    /// Removes what the summary says of captures that are deleted or analysed again. The summary stays like this until the hour or day is
    /// condensed again. Captures that are analysed again still count.
    /// - Parameter ids: ids of captures that the summary counts.
    mutating func unquote(_ ids: Set<String>, areDeleted: Bool, in zone: TimeZone) {
        highlights.removeAll { ids.contains($0.capture) }
        themes = []
        var (waiting, count) = (Set(pending ?? []), waitingCount)
        if areDeleted {
            captures.removeAll { ids.contains($0) }
            captureCount = max(0, captureCount - ids.count)
            count -= waiting.intersection(ids).count
            waiting.subtract(ids)
        } else {
            count += ids.subtracting(waiting).count
            waiting.formUnion(ids)
        }
        pendingCount = min(count, captureCount)
        pending = Array(waiting.sorted().prefix(Condensation.Draft.pendingLimit))
        summary =
            highlights.isEmpty
            ? SummaryFrame.wordless(captures: describedCount, pictures: min(pictureCount, describedCount))
            : highlights.map { SummaryFrame.quote(at: $0.at, $0.text, zone) }.joined(separator: "\n")
    }

    // MARK: The column

    var text: String {
        let encoder = JSONEncoder.withSortedKeys()
        // Texts and numbers always encode.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    init?(text: String?) {
        guard let text, let content = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = content
    }
}
