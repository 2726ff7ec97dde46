import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/timeline`: entries of all kinds or of some, by default latest first.
struct ReadTimeline: Sendable {
    let database: any Database
    let kinds: [EntryKind]
    let cursors: Cursors
    /// Reads the time zone of an account, in which its days begin.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone

    func handle(_ input: TimelineInput, _ context: WebContext) async throws -> TimelineResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        // Only a range needs the time zone.
        let zone = input.from == nil && input.to == nil ? TimeZone.gmt : try await timeZone(owner)
        let range = try TimeRange.parse(from: input.from, to: input.to, in: zone, moment: WireDate.parseMicroseconds)
        let tag = try TextRules.optionalLine(input.tag, field: "tag", max: 64)
        let wanted = try kinds.kinds(named: input.kind)
        let order = try PageOrder.read(input.order)
        var scope = [owner, range.from.map { "\($0.microseconds)" } ?? "", range.to.map { "\($0.microseconds)" } ?? "", tag ?? ""]
        // Without the parameter as it was before the parameter existed: cursors of the last release stay valid.
        if let wanted { scope.append(wanted.sorted().joined(separator: ",")) }
        scope += PageOrder.scope(order)
        let paging = try Paging<TimeKey>("timeline", of: scope, after: input.cursor, limit: limit, cursors)
        let asked = kinds.filter { $0.has(anyOf: wanted) }
        // One kind may fill the whole page, so each kind is asked for a whole page.
        let request = EntryKind.Request(
            owner: owner, from: range.from, to: range.to, tag: tag, kinds: wanted, order: order,
            after: paging.request.after, limit: paging.request.rowLimit)
        let entries = try await database.read { tx in
            try asked.flatMap { kind in try kind.page?(request, tx) ?? [] }.sorted { $0.position.precedes($1.position, in: order) }
        }
        let page = Page(entries, limit: limit, key: \.position)
        return TimelineResponse(items: page.rows.map(\.item), pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
