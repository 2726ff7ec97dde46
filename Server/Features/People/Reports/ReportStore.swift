import Core
import Database
import KeepsakeWire

/// All SQL of the table `report`.
struct ReportStore: Sendable {
    let database: any Database
    let coves: any CoveLookup
    let clock: WallClock

    /// - Parameter answering: makes the response inside the transaction, so that the response is stored together with the row.
    /// - Throws: `.tooManyRequests`, which says how long to wait.
    func add<Answer: Sendable>(
        _ report: StoredReport, answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> Answer {
        try await database.write { tx in
            try tx.lock("reports of \(report.reporter)")
            let recent: [Timestamp] = try tx.list(Self.recent(of: report.reporter, since: report.createdAt - ReportRules.window)) {
                try $0.next("created_at")
            }
            if recent.count >= ReportRules.limit, let oldest = recent.last {
                throw Problem(
                    .tooManyRequests, "You can send \(ReportRules.limit) reports a day. Try again after the time in Retry-After.",
                    retryAfter: oldest + ReportRules.window - report.createdAt)
            }
            try tx.run(StoredReport.table.insert(report))
            return try answering(tx)
        }
    }

    /// A report and what it is about.
    struct Entry: Sendable {
        let report: StoredReport
        /// Empty before the person has onboarded.
        let reporterName: String
        /// The reported thing; `nil` when it does not exist.
        let subject: ReportedThing?
    }

    /// A page of the reports with this status, newest first.
    func page(_ status: ReportStatus, _ request: PageRequest<TimeKey>) async throws -> Page<Entry, TimeKey> {
        try await database.read { [self] tx in
            let rows = try tx.list(Self.list(status, after: request.after, limit: request.rowLimit), StoredReport.init)
            let page = Page(rows, limit: request.limit) { $0.timeKey }
            var rest = try entries(page.rows, tx)[...]
            return page.map { _ in rest.removeFirst() }
        }
    }

    /// - Parameters:
    ///   - administrator: the administrator's account; `nil` when a command resolves the report.
    ///   - note: at most `ReportRules.maxTextLength` characters.
    /// - Throws: `.notFound`; `.conflict` when the report was resolved before.
    func resolve(_ id: String, by administrator: String?, note: String?) async throws -> Entry {
        let now = clock.now
        return try await database.write { [self] tx in
            let isResolved = try tx.run(Self.resolve(id, by: administrator, note: note, now)) == 1
            guard let report = try tx.first(Self.report(id), StoredReport.init), let entry = try entries([report], tx).first else {
                throw Problem(.notFound, "There is no such report.")
            }
            guard isResolved else { throw Problem(.conflict, "This report was resolved before.") }
            return entry
        }
    }

    private func entries(_ reports: [StoredReport], _ tx: ReadTransaction) throws -> [Entry] {
        func subjects(_ kind: ReportKind) -> [String] { reports.filter { $0.kind == kind }.map(\.subject) }
        let people = try things(Self.people, reports.map(\.reporter) + subjects(.user), tx)
        // A report names a photo by the id that the profile shows, or by the id of its file in the media library.
        let photos = try things(Self.photos, subjects(.photo), tx).merging(things(Self.files, subjects(.photo), tx)) { photo, _ in photo }
        let (coves, events) = (subjects(.cove), subjects(.event))
        let others = try self.coves.reported(coves: coves, events: events, tx)
        return reports.map { report in
            let subject: ReportedThing? =
                switch report.kind {
                case .user: people[report.subject]
                case .photo: photos[report.subject]
                case .cove: others.coves[report.subject]
                case .event: others.events[report.subject]
                default: nil
                }
            return Entry(report: report, reporterName: people[report.reporter]?.name ?? "", subject: subject)
        }
    }

    private func things(_ statement: ([String]) -> SQL, _ ids: [String], _ tx: ReadTransaction) throws -> [String: ReportedThing] {
        guard !ids.isEmpty else { return [:] }
        let found: [(String, ReportedThing)] = try tx.list(statement(ids)) { row in
            let id: String = try row.next("id")
            let name: String? = try row.next("name")
            return (id, ReportedThing(name: name, account: try row.next("account")))
        }
        return Dictionary(found) { first, _ in first }
    }

    // MARK: Statements

    /// The times of the person's latest reports, newest first.
    static func recent(of reporter: String, since start: Timestamp) -> SQL {
        """
        SELECT created_at FROM report WHERE reporter = \(reporter) AND created_at > \(start)
        ORDER BY created_at DESC LIMIT \(ReportRules.limit)
        """
    }

    static func list(_ status: ReportStatus, after key: TimeKey?, limit: Int) -> SQL {
        let condition: SQL = status == .open ? " WHERE resolved_at IS NULL" : " WHERE resolved_at IS NOT NULL"
        return StoredReport.table.select + condition + newestFirst.page(after: key?.sql, limit: limit)
    }

    private static let newestFirst = Keyset(.descending, "created_at", "id")

    static func report(_ id: String) -> SQL { "\(sql: StoredReport.table.select) WHERE id = \(id)" }

    static func resolve(_ id: String, by administrator: String?, note: String?, _ now: Timestamp) -> SQL {
        """
        UPDATE report SET resolved_at = \(now), resolved_by = \(administrator), note = \(note)
        WHERE id = \(id) AND resolved_at IS NULL
        """
    }

    /// The people with these ids. Suspended accounts are included, because the operator still sees them.
    static func people(_ ids: [String]) -> SQL {
        """
        SELECT account.id, COALESCE(profile.name, '') AS name, account.id AS account
        FROM account LEFT JOIN profile ON profile.account = account.id
        WHERE account.id IN (\(sql: .list(ids))) AND account.closed_at IS NULL
        """
    }

    static func photos(_ ids: [String]) -> SQL {
        """
        SELECT id, NULL AS name, account FROM profile_photo
        WHERE id IN (\(sql: .list(ids))) AND (SELECT closed_at FROM account WHERE account.id = profile_photo.account) IS NULL
        """
    }

    static func files(_ ids: [String]) -> SQL {
        """
        SELECT media.id, NULL AS name, account.id AS account FROM media JOIN account ON account.id = media.owner
        WHERE media.id IN (\(sql: .list(ids))) AND account.closed_at IS NULL
        """
    }
}
