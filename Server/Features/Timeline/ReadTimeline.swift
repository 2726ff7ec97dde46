import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/timeline`: everything of all kinds, the latest first.
struct ReadTimeline: Sendable {
    let database: any Database
    let kinds: [EntryKind]
    let cursors: Cursors
    let timeZone: TimeZone

    func handle(_ input: TimelineInput, _ context: WebContext) async throws -> TimelineResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let range = try TimeRange.parse(from: input.from, to: input.to, in: timeZone, moment: WireDate.parseMicroseconds)
        let tag = try TextRules.optionalLine(input.tag, field: "tag", max: 64)
        let scope = [owner, range.from.map { "\($0.microseconds)" } ?? "", range.to.map { "\($0.microseconds)" } ?? "", tag ?? ""]
        let after = try input.cursor.map { try EntryKind.Position($0, cursors, purpose: Self.purpose, scope: scope) }
        // One more than asked for says whether there is another page. Each kind may have all of it.
        let request = EntryKind.Request(owner: owner, from: range.from, to: range.to, tag: tag, after: after, limit: limit + 1)
        let entries = try await database.read { [kinds] tx in
            try kinds.flatMap { kind in try kind.page?(request, tx) ?? [] }.sorted { $0.position.isLater(than: $1.position) }
        }
        let page = entries.prefix(limit)
        let next = entries.count > limit ? page.last?.position : nil
        return TimelineResponse(
            items: page.map(\.item), pagination: Pagination(nextCursor: next?.cursor(cursors, purpose: Self.purpose, scope: scope)))
    }

    private static let purpose = "timeline"
}

extension EntryKind.Position {
    /// As the rooms' statements order: by the moment, then by the id's bytes.
    fileprivate func isLater(than other: Self) -> Bool {
        at != other.at ? at > other.at : other.id.utf8.lexicographicallyPrecedes(id.utf8)
    }
}
