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
    /// Reads the time zone of an account. The account's days begin in it.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone

    func handle(_ input: TimelineInput, _ context: WebContext) async throws -> TimelineResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let range = try await TimeRange.read(from: input.from, to: input.to) { try await timeZone(owner) }
        let tag = try TextRules.optionalLine(input.tag, field: "tag", max: 64)
        let wanted = try kinds.kinds(named: input.kind)
        let order = try PageOrder.read(input.order)
        var scope = [owner, range.from.map { "\($0.microseconds)" } ?? "", range.to.map { "\($0.microseconds)" } ?? "", tag ?? ""]
        // A request without this parameter has the same scope as before the parameter existed, so that cursors of the previous release stay
        // valid.
        if let wanted { scope.append(wanted.sorted().joined(separator: ",")) }
        scope += PageOrder.scope(order)
        let paging = try Paging<TimeKey>("timeline", of: scope, after: input.cursor, limit: limit, cursors)
        let asked = kinds.filter { $0.has(anyOf: wanted) }
        // One kind may fill the whole page, so ask each kind for a whole page.
        let request = EntryKind.Request(
            owner: owner, from: range.from, to: range.to, tag: tag, kinds: wanted, order: order,
            after: paging.request.after, limit: paging.request.rowLimit)
        var read = try await database.read { tx in try Self.read(asked, request, limit: limit, isInTurn: false, tx) }
        if read.entries == nil {
            try await context.waitForTurn(toMake: read.byteCount)
            // The entries may have become longer meanwhile.
            read = try await database.read { tx in try Self.read(asked, request, limit: limit, isInTurn: true, tx) }
        }
        return TimelineResponse(items: (read.entries ?? []).map(\.item), pagination: Pagination(nextCursor: paging.cursor(read.next)))
    }

    private struct Read: Sendable {
        let next: EntryKind.Position?
        /// The approximate length of the entries' texts, in bytes.
        let byteCount: Int64
        /// The entries; `nil` when they are long. Then wait for a turn (`WebContext.waitForTurn`), and read the page again in it.
        let entries: [EntryKind.Entry]?
    }

    /// - Parameter isInTurn: whether the caller holds a turn, so that the entries are read even if they are long.
    private static func read(
        _ kinds: [EntryKind], _ request: EntryKind.Request, limit: Int, isInTurn: Bool, _ tx: ReadTransaction
    ) throws -> Read {
        let listed = try kinds.flatMap { kind in try kind.list?(request, tx) ?? [] }
            .sorted { $0.position.precedes($1.position, in: request.order) }
        let page = Page(inBytes: listed, limit: limit, byteCount: \.byteCount, key: \.position)
        let byteCount: Int64 = page.rows.reduce(0) { $0 + $1.byteCount }
        // Drop the entries that were read already. Otherwise requests that wait for their turn would keep them in memory.
        guard isInTurn || byteCount <= LongWork.byteCount else { return Read(next: page.next, byteCount: byteCount, entries: nil) }
        return Read(next: page.next, byteCount: byteCount, entries: try entries(page.rows, kinds, owner: request.owner, tx))
    }

    /// The entries in the order of the list. Entries that were deleted meanwhile are missing.
    private static func entries(
        _ listed: [EntryKind.Listed], _ kinds: [EntryKind], owner: String, _ tx: ReadTransaction
    ) throws -> [EntryKind.Entry] {
        var read: [[String]: EntryKind.Entry] = [:]
        for kind in kinds {
            let ids = listed.filter { $0.entry == nil && kind.names.contains($0.kind) }.map(\.position.id)
            guard !ids.isEmpty else { continue }
            for entry in try kind.entries(ids, owner, tx) { read[[entry.kind, entry.position.id]] = entry }
        }
        return listed.compactMap { $0.entry ?? read[[$0.kind, $0.position.id]] }
    }
}
