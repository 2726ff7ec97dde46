import Accounts
import Core
import Database
import FeatureKit
import Jobs
import KeepsakeWire
import Live
import Media
import Search
import Web

/// All SQL of captures, their contacts and their summaries, in this file and its extensions.
struct CaptureStore: Sendable {
    let database: any Database
    var library: MediaLibrary
    let accounts: AccountsFeature
    let search = SearchIndex()
    let events: EventLog
    let jobs: JobQueue
    let identifiers: Identifiers
    /// Whether a socket takes over what the account `anonymous` uploaded.
    let allowsAnonymous: Bool
    /// `false` leaves summaries as they are when a capture is deleted. Only for the test that must then fail.
    var forgetsInSummaries = true
    var maxTombstones = CaptureRules.maxTombstones

    var clock: WallClock { identifiers.clock }

    // MARK: Reading

    /// A capture with the files that were uploaded for it.
    typealias Whole = (capture: StoredCapture, files: [CaptureFileRow])

    /// - Returns: `nil` when there is none, or it belongs to another account.
    func whole(_ id: String, owner: String) async throws -> Whole? {
        try await database.read { tx in try whole(id, owner: owner, tx) }
    }

    func whole(_ id: String, owner: String, _ tx: ReadTransaction) throws -> Whole? {
        guard let capture = try capture(id, owner: owner, tx) else { return nil }
        return (capture, try files(of: [id], owner: owner, tx)[id] ?? [])
    }

    func capture(_ id: String, owner: String, _ tx: ReadTransaction) throws -> StoredCapture? {
        try tx.first("\(sql: StoredCapture.table.select) WHERE owner = \(owner) AND id = \(id)", StoredCapture.init)
    }

    /// The captures among `ids` that exist.
    func wholes(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [Whole] {
        guard !ids.isEmpty else { return [] }
        let captures = try tx.list(
            "\(sql: StoredCapture.table.select) WHERE owner = \(owner) AND id IN (\(sql: .list(ids)))", StoredCapture.init)
        return try with(captures, owner: owner, tx)
    }

    func with(_ captures: [StoredCapture], owner: String, _ tx: ReadTransaction) throws -> [Whole] {
        let files = try files(of: captures.map(\.id), owner: owner, tx)
        return captures.map { ($0, files[$0.id] ?? []) }
    }

    /// The files that were uploaded for captures, by capture id.
    func files(of captures: [String], owner: String, _ tx: ReadTransaction) throws -> [String: [CaptureFileRow]] {
        guard !captures.isEmpty else { return [:] }
        return Dictionary(grouping: try tx.list(Self.files(of: captures, owner: owner), CaptureFileRow.init), by: \.capture)
    }

    /// Which captures a list shows.
    struct Filter: Sendable {
        var day: String?
        /// A contact that is not merged into another one.
        var contact: String?
    }

    /// A capture's place in a list.
    struct Listed: Sendable {
        let key: TimeKey
        /// The approximate length of the capture's texts, in bytes.
        let byteCount: Int64

        init(_ row: inout RowReader) throws {
            let id: String = try row.next("id")
            let at: Timestamp = try row.next("at")
            key = TimeKey(at: at, id: id)
            byteCount = max(0, try row.next("length"))
        }
    }

    /// A page of captures, whose texts together fit in one response.
    struct ListedPage: Sendable {
        let page: Page<Listed, TimeKey>
        /// `nil` when their texts are long. Then wait for a turn (`WebContext.waitForTurn`), and read the page again in it.
        let captures: [Whole]?
    }

    /// A page of captures, the latest first.
    /// - Parameter isInTurn: whether the caller holds a turn, so that the captures are read even if their texts are long. The lengths are
    ///   read again, because the texts may have become longer while the caller waited.
    func page(
        owner: String, _ filter: Filter, _ request: PageRequest<TimeKey>, isInTurn: Bool = false
    ) async throws -> ListedPage {
        try await database.read { tx in
            let listed = try listed(after: request.after, limit: request.rowLimit, tx) { after, limit in
                Self.page(owner: owner, filter, after: after, limit: limit)
            }
            let page = Page(inBytes: listed, limit: request.limit, byteCount: \.byteCount, key: \.key)
            let byteCount: Int64 = page.rows.reduce(0) { $0 + $1.byteCount }
            guard isInTurn || byteCount <= LongWork.byteCount else { return ListedPage(page: page, captures: nil) }
            return ListedPage(page: page, captures: try captures(page.rows, owner: owner, tx))
        }
    }

    /// Reads the listed captures, in the order of the list.
    private func captures(_ listed: [Listed], owner: String, _ tx: ReadTransaction) throws -> [Whole] {
        var captures: [String: Whole] = [:]
        for whole in try wholes(listed.map(\.key.id), owner: owner, tx) { captures[whole.capture.id] = whole }
        return listed.compactMap { captures[$0.key.id] }
    }

    /// Lists captures until their texts are longer than a page. Reads the lengths alone, because an engine materializes the texts of all
    /// rows that it returns. Reads a few at a time, because SQLite reads a row's texts to know their length.
    private func listed(
        after key: TimeKey?, limit: Int, _ tx: ReadTransaction, _ statement: (_ after: TimeKey?, _ limit: Int) -> SQL
    ) throws -> [Listed] {
        var listed: [Listed] = []
        var byteCount: Int64 = 0
        while listed.count < limit, byteCount <= PageSize.currentByteCount {
            let count = min(limit - listed.count, Self.lengthsAtOnce)
            let rows = try tx.list(statement(listed.last?.key ?? key, count), Listed.init)
            byteCount += rows.reduce(0) { $0 + $1.byteCount }
            listed += rows
            if rows.count < count { break }
        }
        return listed
    }

    private static let lengthsAtOnce = 32

    /// The uploaded file; `nil` when there is none.
    func file(_ kind: CaptureFileRow.Kind, of capture: String, owner: String) async throws -> CaptureFileRow? {
        try await database.first(Self.file(kind, of: capture, owner: owner), CaptureFileRow.init)
    }

    // MARK: The timeline and search

    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [EntryKind.Listed] {
        // Captures have no tags.
        guard request.tag == nil else { return [] }
        let captures =
            if request.positionsOnly {
                try tx.list(Self.timelinePage(request), Listed.init)
            } else {
                try listed(after: request.after, limit: request.limit, tx) { after, limit in
                    var part = request
                    part.after = after
                    part.limit = limit
                    return Self.timelinePage(part)
                }
            }
        return captures.map { EntryKind.Listed(position: $0.key, kind: StoredCapture.kind, byteCount: $0.byteCount) }
    }

    /// The approximate lengths of the captures' texts, in bytes, by id.
    func lengths(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [String: Int64] {
        guard !ids.isEmpty else { return [:] }
        let captures = try tx.list(Self.lengths(ids, owner: owner), Listed.init)
        return Dictionary(captures.map { ($0.key.id, $0.byteCount) }) { first, _ in first }
    }

    // MARK: Statements

    private static let byTime = TwoWayKeyset("capture.at", "capture.id")
    private static let newestOfContact = Keyset(.descending, "contact_mention.at", "contact_mention.capture")

    /// What `Listed` reads. PostgreSQL and SQLite have no function in common that counts a text's bytes.
    private static let listing: SQL = """
        SELECT capture.id, capture.at, (capture.row_bytes - \(RowBytes.row)) / \(RowBytes.searchable) AS length FROM capture
        """
    private static let positions: SQL = "SELECT capture.id, capture.at, 0 AS length FROM capture"

    static func page(owner: String, _ filter: Filter, after key: TimeKey?, limit: Int) -> SQL {
        var condition: SQL = ""
        if let day = filter.day, let span = CaptureDay.span(day) {
            condition = " AND capture.at >= \(span.lowerBound) AND capture.at < \(span.upperBound) AND capture.day = \(day)"
        }
        guard let contact = filter.contact else {
            return "\(sql: listing) WHERE capture.owner = \(owner)\(sql: condition)"
                + byTime[.descending].page(after: key?.sql, limit: limit)
        }
        return """
            \(sql: listing)
            JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id
            WHERE contact_mention.contact = \(contact) AND contact_mention.owner = \(owner)\(sql: condition)
            """ + newestOfContact.page(after: key?.sql, limit: limit)
    }

    static func timelinePage(_ request: EntryKind.Request) -> SQL {
        "\(sql: request.positionsOnly ? positions : listing) WHERE capture.owner = \(request.owner)" + request.range("capture.at")
            + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    static func lengths(_ ids: [String], owner: String) -> SQL {
        "\(sql: listing) WHERE capture.owner = \(owner) AND capture.id IN (\(sql: .list(ids)))"
    }

    static func files(of captures: [String], owner: String) -> SQL {
        "\(sql: CaptureFileRow.table.select) WHERE owner = \(owner) AND capture IN (\(sql: .list(captures)))"
    }

    static func file(_ kind: CaptureFileRow.Kind, of capture: String, owner: String) -> SQL {
        """
        \(sql: CaptureFileRow.table.select) WHERE owner = \(owner) AND capture = \(capture) AND kind = \(kind.rawValue)
        """
    }

    /// Every write that changes what a capture contains takes this lock before it reads the capture. A write that inserts a new capture
    /// does not.
    static func lock(_ capture: String, of owner: String) -> String { "capture \(owner) \(capture)" }
}
