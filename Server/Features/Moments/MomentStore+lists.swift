import Core
import Database
import FeatureKit
import Media
import Web

extension MomentStore {
    typealias Filter = EntryFilter

    /// By the time of creation.
    func list(
        _ kind: Moment.Kind, owner: String, _ filter: Filter, in range: TimeRange = .all, order: Keyset.Direction = .descending,
        _ request: PageRequest<TimeKey>
    ) async throws -> Page<Moment, TimeKey> {
        let statement = Self.listStatement(
            kind, owner: owner, filter, in: range, order: order, after: request.after, limit: request.rowLimit)
        let moments = try await database.list(statement) { try Moment(&$0, of: owner) }
        return Page(moments, limit: request.limit) { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// The same for moods, as JSON.
    func moods(
        owner: String, _ filter: Filter, in range: TimeRange = .all, order: Keyset.Direction = .descending,
        _ request: PageRequest<TimeKey>, _ links: LinkSeries
    ) async throws -> Page<MoodRow, TimeKey> {
        let statement = Self.listStatement(
            .mood, owner: owner, filter, in: range, order: order, after: request.after, limit: request.rowLimit, columns: MoodRow.columns)
        let moods = try await database.list(statement) { try MoodRow(&$0, links) }
        return Page(moods, limit: request.limit) { $0.key }
    }

    /// Each combination of filters has a statement of its own that uses the index made for it. All these indexes continue with the time, so
    /// a range of it costs no rows.
    static func listStatement(
        _ kind: Moment.Kind, owner: String, _ filter: Filter, in range: TimeRange = .all, order: Keyset.Direction = .descending,
        after key: TimeKey?, limit: Int, columns: SQL = Moment.table.columns
    ) -> SQL {
        var range = range
        // The rows after the key lie within this bound already. With two conditions for one end, SQLite may begin at the farther one.
        if key != nil { if order == .ascending { range.from = nil } else { range.to = nil } }
        guard let tag = filter.tag else {
            return """
                SELECT \(sql: columns) FROM moment WHERE \(sql: filter.conditions(of: owner)) AND kind = \(kind.rawValue)
                """ + range.conditions("moment.created_at") + byCreation[order].page(after: key?.sql, limit: limit)
        }
        return """
            SELECT \(sql: columns) FROM moment_tag AS tagged JOIN moment ON moment.id = tagged.moment
            WHERE \(sql: filter.conditions(of: owner, taggedWith: tag)) AND tagged.kind = \(kind.rawValue)
            """ + range.conditions("tagged.created_at") + taggedByCreation[order].page(after: key?.sql, limit: limit)
    }

    private static let byCreation = TwoWayKeyset("moment.created_at", "moment.id")
    private static let taggedByCreation = TwoWayKeyset("tagged.created_at", "tagged.moment")

    // MARK: Timeline and search results

    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [Moment] {
        let statements = Self.timelineStatements(request)
        let moments = try statements.flatMap { try tx.list($0) { try Moment(&$0, of: request.owner) } }
        guard statements.count > 1 else { return moments }
        return Array(moments.sorted { $0.timelineKey.precedes($1.timelineKey, in: request.order) }.prefix(request.limit))
    }

    /// One statement reads all kinds. If only some are wanted, each has a statement of its own: one that skipped the rows of the others
    /// could read all of the owner's rows for an empty page.
    static func timelineStatements(_ request: EntryKind.Request) -> [SQL] {
        let kinds = Moment.Kind.allCases.filter { request.kinds?.contains($0.rawValue) ?? true }
        if kinds.count == Moment.Kind.allCases.count { return [timelineStatement(request)] }
        return kinds.map { kind in
            if kind == .event { return eventStatement(request) }
            // These happened when they were created.
            return listStatement(
                kind, owner: request.owner, Filter(tag: request.tag), in: TimeRange(from: request.from, to: request.to),
                order: request.order, after: request.after, limit: request.limit)
        }
    }

    private static func timelineStatement(_ request: EntryKind.Request) -> SQL {
        guard let tag = request.tag else {
            let range = request.range("moment.happened_at")
            return "\(sql: Moment.table.select) WHERE moment.owner = \(request.owner)\(sql: range)"
                + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
        }
        let range = request.range("moment_tag.happened_at")
        return """
            SELECT \(sql: Moment.table.columns) FROM moment_tag JOIN moment ON moment.id = moment_tag.moment
            WHERE moment_tag.owner = \(request.owner) AND moment_tag.tag = \(tag)\(sql: range)
            """ + taggedByTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    /// Events by their date. The indexes for it hold events only, and a statement must have their condition as a literal.
    private static func eventStatement(_ request: EntryKind.Request) -> SQL {
        guard let tag = request.tag else {
            let range = request.range("moment.happened_at")
            return "\(sql: Moment.table.select) WHERE moment.owner = \(request.owner) AND moment.kind = 'event'\(sql: range)"
                + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
        }
        let range = request.range("moment_tag.happened_at")
        return """
            SELECT \(sql: Moment.table.columns) FROM moment_tag JOIN moment ON moment.id = moment_tag.moment
            WHERE moment_tag.owner = \(request.owner) AND moment_tag.tag = \(tag) AND moment_tag.kind = 'event'\(sql: range)
            """ + taggedByTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    private static let byTime = TwoWayKeyset("moment.happened_at", "moment.id")
    private static let taggedByTime = TwoWayKeyset("moment_tag.happened_at", "moment_tag.moment")

    /// Skips ids that do not exist or belong to another account.
    func moments(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [Moment] {
        guard !ids.isEmpty else { return [] }
        return try tx.list("\(sql: Moment.table.select) WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)") {
            try Moment(&$0, of: owner)
        }
    }
}
