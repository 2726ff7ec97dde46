import Core
import Database
import FeatureKit
import Media
import Synchronization
import Web

extension MomentStore {
    typealias Filter = EntryFilter

    /// Lists moments by the time of creation.
    /// - Parameter waitForTurn: called with the probable length of the page before the list reads more than `LongWork.byteCount` bytes.
    func list(
        _ kind: Moment.Kind, owner: String, _ filter: Filter, in range: TimeRange = .all, order: Keyset.Direction = .descending,
        _ request: PageRequest<TimeKey>, waitForTurn: (_ byteCount: Int64) async throws -> Void = { _ in }
    ) async throws -> Page<Moment, TimeKey> {
        try await page(request, waitForTurn) { after, limit in
            Self.listStatement(kind, owner: owner, filter, in: range, order: order, after: after, limit: limit)
        } row: {
            try Moment(&$0, of: owner)
        } byteCount: {
            $0.byteCount
        } key: {
            TimeKey(at: $0.createdAt, id: $0.id)
        }
    }

    /// As `list`, but lists moods, and renders them as JSON.
    func moods(
        owner: String, _ filter: Filter, in range: TimeRange = .all, order: Keyset.Direction = .descending,
        _ request: PageRequest<TimeKey>, _ links: LinkSeries, waitForTurn: (_ byteCount: Int64) async throws -> Void = { _ in }
    ) async throws -> Page<MoodRow, TimeKey> {
        try await page(request, waitForTurn) { after, limit in
            Self.listStatement(
                .mood, owner: owner, filter, in: range, order: order, after: after, limit: limit, columns: MoodRow.columns)
        } row: {
            try MoodRow(&$0, links)
        } byteCount: {
            $0.byteCount
        } key: {
            $0.key
        }
    }

    /// Reads a page. Most pages take one statement. A page of long rows takes several: when the rows exceed `LongWork.byteCount`, it calls
    /// `waitForTurn` and begins again. Such a page is not a consistent snapshot: each statement continues after the last row, as the next
    /// page does.
    private func page<Row: Sendable>(
        _ request: PageRequest<TimeKey>, _ waitForTurn: (_ byteCount: Int64) async throws -> Void,
        _ statement: (_ after: TimeKey?, _ limit: Int) -> SQL,
        row: @escaping @Sendable (inout RowReader) throws -> Row,
        byteCount: @escaping @Sendable (Row) -> Int64,
        key: (Row) -> TimeKey
    ) async throws -> Page<Row, TimeKey> {
        let pageByteCount = PageSize.currentByteCount
        var rows: [Row] = []
        var total: Int64 = 0
        var most = LongWork.byteCount
        while rows.count < request.rowLimit, total <= pageByteCount {
            if total > most {
                // The rows so far tell how long the page will be. When the response is made, its length counts.
                let expected = min(pageByteCount, total / Int64(rows.count) * Int64(request.limit))
                // Drop the rows. Otherwise requests that wait for their turn would keep them in memory.
                (rows, total) = ([], 0)
                try await waitForTurn(expected)
                most = pageByteCount
            }
            let limit = min(request.rowLimit - rows.count, Self.rowsAtOnce)
            let allowance = Allowance(most - total)
            let read = try await database.list(statement(rows.last.map(key) ?? request.after, limit)) { (reader: inout RowReader) -> Row? in
                // The engine still reads the remaining rows, but they are not decoded.
                guard !allowance.isExceeded else { return nil }
                let next = try row(&reader)
                allowance.spend(byteCount(next))
                return next
            }
            let taken = read.compactMap { $0 }
            for row in taken { total += byteCount(row) }
            rows += taken
            if taken.count == read.count, read.count < limit { break }
        }
        return Page(inBytes: rows, limit: request.limit, byteCount: byteCount, key: key)
    }

    /// The most rows that one statement reads. PostgreSQL's client holds them all in memory: 3 MB, if each row is as long as the rules
    /// allow.
    private static let rowsAtOnce = 51

    /// Counts bytes while rows are read.
    private final class Allowance: Sendable {
        private let left: Atomic<Int64>

        init(_ byteCount: Int64) { left = Atomic(byteCount) }

        var isExceeded: Bool { left.load(ordering: .relaxed) < 0 }

        func spend(_ byteCount: Int64) { left.subtract(byteCount, ordering: .relaxed) }
    }

    /// Each combination of filters has its own statement, which uses an index made for it. In all these indexes the time comes next, so a
    /// statement reads no rows outside of the time range.
    static func listStatement(
        _ kind: Moment.Kind, owner: String, _ filter: Filter, in range: TimeRange = .all, order: Keyset.Direction = .descending,
        after key: TimeKey?, limit: Int, columns: SQL = Moment.table.columns
    ) -> SQL {
        var range = range
        // The rows after the key lie within this bound already. If one end had two conditions, SQLite might begin at the one that is
        // farther away.
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

    /// The entries of a timeline. Reads whole rows if the limit is small. If the limit is larger, or only positions are requested, it reads
    /// no texts.
    func listed(_ request: EntryKind.Request, _ presenter: MomentPresenter, _ tx: ReadTransaction) throws -> [EntryKind.Listed] {
        if !request.positionsOnly, request.limit <= Self.entriesAtOnce {
            return try timeline(request, tx).map { EntryKind.Listed(presenter.entry($0)) }
        }
        let statements = Self.timelineStatements(request, columns: request.positionsOnly ? Self.positions : Self.lengths)
        let entries = try statements.flatMap { try tx.list($0, Self.readListed) }
        guard statements.count > 1 else { return entries }
        return Array(entries.sorted { $0.position.precedes($1.position, in: request.order) }.prefix(request.limit))
    }

    /// The largest limit for which whole rows are read: a page of the default size, and one row more. If the rows are as long as the rules
    /// allow, they take a megabyte.
    private static let entriesAtOnce = 21

    /// The columns that `listed` reads when only positions are requested.
    static let positions: SQL = "moment.id, moment.kind, moment.happened_at, 0 AS length"
    /// The columns with the length of the texts. A row that is older than `row_bytes` has the length 0 until it is counted.
    static let lengths: SQL = """
        moment.id, moment.kind, moment.happened_at,
        (COALESCE(moment.row_bytes, 0) - \(RowBytes.row)) / \(RowBytes.searchable) AS length
        """

    private static func readListed(_ row: inout RowReader) throws -> EntryKind.Listed {
        let id: String = try row.next("id")
        let kind: String = try row.next("kind")
        let at: Timestamp = try row.next("happened_at")
        let length: Int64 = try row.next("length")
        return EntryKind.Listed(position: EntryKind.Position(at: at, id: id), kind: kind, byteCount: max(0, length))
    }

    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [Moment] {
        let statements = Self.timelineStatements(request)
        let moments = try statements.flatMap { try tx.list($0) { try Moment(&$0, of: request.owner) } }
        guard statements.count > 1 else { return moments }
        return Array(moments.sorted { $0.timelineKey.precedes($1.timelineKey, in: request.order) }.prefix(request.limit))
    }

    /// One statement reads all kinds. If only some kinds are wanted, each has a statement of its own: a statement that skipped the rows of
    /// other kinds might read all of the owner's rows for an empty page.
    static func timelineStatements(_ request: EntryKind.Request, columns: SQL = Moment.table.columns) -> [SQL] {
        let kinds = Moment.Kind.allCases.filter { request.kinds?.contains($0.rawValue) ?? true }
        if kinds.count == Moment.Kind.allCases.count { return [timelineStatement(request, columns)] }
        return kinds.map { kind in
            if kind == .event { return eventStatement(request, columns) }
            // Moods and memories are sorted by their creation time.
            return listStatement(
                kind, owner: request.owner, Filter(tag: request.tag), in: TimeRange(from: request.from, to: request.to),
                order: request.order, after: request.after, limit: request.limit, columns: columns)
        }
    }

    private static func timelineStatement(_ request: EntryKind.Request, _ columns: SQL) -> SQL {
        guard let tag = request.tag else {
            let range = request.range("moment.happened_at")
            return "SELECT \(sql: columns) FROM moment WHERE moment.owner = \(request.owner)\(sql: range)"
                + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
        }
        let range = request.range("moment_tag.happened_at")
        return """
            SELECT \(sql: columns) FROM moment_tag JOIN moment ON moment.id = moment_tag.moment
            WHERE moment_tag.owner = \(request.owner) AND moment_tag.tag = \(tag)\(sql: range)
            """ + taggedByTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    /// Reads events by their date. The indexes for this hold events only, and an engine uses them only if the statement contains their
    /// condition as a literal.
    private static func eventStatement(_ request: EntryKind.Request, _ columns: SQL) -> SQL {
        guard let tag = request.tag else {
            let range = request.range("moment.happened_at")
            return "SELECT \(sql: columns) FROM moment WHERE moment.owner = \(request.owner) AND moment.kind = 'event'\(sql: range)"
                + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
        }
        let range = request.range("moment_tag.happened_at")
        return """
            SELECT \(sql: columns) FROM moment_tag JOIN moment ON moment.id = moment_tag.moment
            WHERE moment_tag.owner = \(request.owner) AND moment_tag.tag = \(tag) AND moment_tag.kind = 'event'\(sql: range)
            """ + taggedByTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    private static let byTime = TwoWayKeyset("moment.happened_at", "moment.id")
    private static let taggedByTime = TwoWayKeyset("moment_tag.happened_at", "moment_tag.moment")

    /// The approximate length of each moment's texts in bytes, by the moment's id.
    func lengths(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [String: Int64] {
        guard !ids.isEmpty else { return [:] }
        let moments = try tx.list(Self.lengthsStatement(ids, owner: owner), Self.readListed)
        return Dictionary(moments.map { ($0.position.id, $0.byteCount) }) { first, _ in first }
    }

    static func lengthsStatement(_ ids: [String], owner: String) -> SQL {
        "SELECT \(sql: lengths) FROM moment WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }

    /// The moments with these ids. Skips ids that do not exist or belong to another account.
    func moments(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [Moment] {
        guard !ids.isEmpty else { return [] }
        return try tx.list(Self.momentsStatement(ids, owner: owner)) { try Moment(&$0, of: owner) }
    }

    static func momentsStatement(_ ids: [String], owner: String) -> SQL {
        "\(sql: Moment.table.select) WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }
}
