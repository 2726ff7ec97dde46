import Accounts
import Core
import Database
import FeatureKit
import Jobs
import KeepsakeWire
import Live
import Media
import Search

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

    /// Those of the captures that exist.
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

    /// By capture.
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

    /// The latest first.
    func page(owner: String, _ filter: Filter, _ request: PageRequest<TimeKey>) async throws -> Page<Whole, TimeKey> {
        try await database.read { tx in
            let captures = try tx.list(
                Self.page(owner: owner, filter, after: request.after, limit: request.rowLimit), StoredCapture.init)
            let page = Page(captures, limit: request.limit) { TimeKey(at: $0.at, id: $0.id) }
            let files = try files(of: page.rows.map(\.id), owner: owner, tx)
            return page.map { ($0, files[$0.id] ?? []) }
        }
    }

    /// The uploaded file; `nil` when there is none.
    func file(_ kind: CaptureFileRow.Kind, of capture: String, owner: String) async throws -> CaptureFileRow? {
        try await database.first(Self.file(kind, of: capture, owner: owner), CaptureFileRow.init)
    }

    // MARK: The timeline and search

    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [Whole] {
        // Captures have no tags.
        guard request.tag == nil else { return [] }
        return try with(try tx.list(Self.timelinePage(request), StoredCapture.init), owner: request.owner, tx)
    }

    // MARK: Statements

    private static let byTime = TwoWayKeyset("capture.at", "capture.id")
    private static let newestOfContact = Keyset(.descending, "contact_mention.at", "contact_mention.capture")

    static func page(owner: String, _ filter: Filter, after key: TimeKey?, limit: Int) -> SQL {
        var condition: SQL = ""
        if let day = filter.day, let span = CaptureDay.span(day) {
            condition = " AND capture.at >= \(span.lowerBound) AND capture.at < \(span.upperBound) AND capture.day = \(day)"
        }
        guard let contact = filter.contact else {
            return "\(sql: StoredCapture.table.select) WHERE capture.owner = \(owner)\(sql: condition)"
                + byTime[.descending].page(after: key?.sql, limit: limit)
        }
        return """
            \(sql: StoredCapture.table.select)
            JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id
            WHERE contact_mention.contact = \(contact) AND contact_mention.owner = \(owner)\(sql: condition)
            """ + newestOfContact.page(after: key?.sql, limit: limit)
    }

    static func timelinePage(_ request: EntryKind.Request) -> SQL {
        "\(sql: StoredCapture.table.select) WHERE capture.owner = \(request.owner)" + request.range("capture.at")
            + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    static func files(of captures: [String], owner: String) -> SQL {
        "\(sql: CaptureFileRow.table.select) WHERE owner = \(owner) AND capture IN (\(sql: .list(captures)))"
    }

    static func file(_ kind: CaptureFileRow.Kind, of capture: String, owner: String) -> SQL {
        """
        \(sql: CaptureFileRow.table.select) WHERE owner = \(owner) AND capture = \(capture) AND kind = \(kind.rawValue)
        """
    }

    /// Taken by every write that changes what a capture contains, before it reads the capture. Only such a write inserts no new capture.
    static func lock(_ capture: String, of owner: String) -> String { "capture \(owner) \(capture)" }
}
