import Core
import Database
import Intelligence
import Media

/// Reading what is condensed, a page at a time: an hour may hold thousands of captures, each with a long text.
extension CaptureStore {
    /// What a job condenses.
    struct Material: Sendable {
        /// The count of changes that this contains.
        let changed: Int64
        let draft: Condensation.Draft
        /// The ids of an hour's captures in the order of time; empty for a day.
        let captures: [String]
        /// Contacts by number of captures.
        let people: [String]
    }

    /// Captures that the summary of an hour covers at most. It lists their ids, and each correction or deletion writes the list again.
    static let hourLimit = 4_000
    /// Captures that the summary of a day covers at most.
    static let dayLimit = 20_000
    /// Captures in memory at a time: 10 MB if each has as long a text as can be.
    static let materialPage = 25

    /// Whether captures of the hour are not processed yet.
    func isIncomplete(_ hour: CaptureHour, owner: String) async throws -> Bool {
        try await database.read { tx in try tx.row(Self.unprocessed(of: hour, owner: owner)) != nil }
    }

    /// - Parameter highlights: at most.
    /// - Returns: `nil` when nothing of the hour is known any more.
    func material(_ hour: CaptureHour, owner: String, highlights: Int) async throws -> Material? {
        try await material(
            changed: Self.hour(hour, "changed", owner: owner), people: Self.people(of: hour, owner: owner), owner: owner,
            highlights: highlights, limit: Self.hourLimit, listsCaptures: true
        ) { Self.captures(of: hour, owner: owner, after: $0, limit: $1) }
    }

    func material(day: String, owner: String, highlights: Int) async throws -> Material? {
        try await material(
            changed: "SELECT changed FROM capture_day WHERE owner = \(owner) AND day = \(day)",
            people: Self.people(ofDay: day, owner: owner), owner: owner, highlights: highlights, limit: Self.dayLimit,
            listsCaptures: false
        ) { Self.captures(ofDay: day, owner: owner, after: $0, limit: $1) }
    }

    /// The count of changes is read first, and each page in a read of its own. What changes in between raises the count, and then `store`
    /// refuses what was read.
    private func material(
        changed: SQL, people: SQL, owner: String, highlights: Int, limit: Int, listsCaptures: Bool,
        _ page: @escaping @Sendable (_ after: TimeKey?, _ limit: Int) -> SQL
    ) async throws -> Material? {
        guard let count: Int64 = try await database.read({ tx in try tx.row(changed)?.get("changed") }) else { return nil }
        var draft = Condensation.Draft(limit: highlights)
        var ids: [String] = []
        try await each(page, owner: owner, limit: limit) { captures in
            draft.count(captures)
            if listsCaptures { ids += captures.map(\.id) }
        }
        try await each(page, owner: owner, limit: limit) { draft.choose($0) }
        let contacts: [String] = try await database.read { tx in try tx.rows(people).map { try $0.get("contact") } }
        return Material(changed: count, draft: draft, captures: ids, people: contacts)
    }

    private func each(
        _ page: @escaping @Sendable (_ after: TimeKey?, _ limit: Int) -> SQL, owner: String, limit: Int,
        _ body: ([Condensation.Capture]) -> Void
    ) async throws {
        var (last, left): (TimeKey?, Int) = (nil, limit)
        while left > 0 {
            let (key, limit) = (last, min(left, Self.materialPage))
            let captures = try await database.read { tx in
                let rows = try tx.list(page(key, limit), StoredCapture.init)
                let photos = try files(of: rows.map(\.id), owner: owner, tx)
                return rows.map { row in
                    Condensation.Capture(
                        id: row.id, at: row.at, transcription: row.transcription,
                        hasPicture: row.photo.media != nil || photos[row.id]?.contains { $0.kind == .photo } == true,
                        analysis: row.analysis, isPending: row.isPending)
                }
            }
            try Task.checkCancellation()
            body(captures)
            left -= captures.count
            guard captures.count == limit, let end = captures.last else { return }
            last = TimeKey(at: end.at, id: end.id)
        }
    }

    // MARK: Statements

    private static let oldest = Keyset(.ascending, "at", "id")

    private static func range(_ hour: CaptureHour, owner: String) -> SQL {
        """
        WHERE owner = \(owner) AND at >= \(hour.start) AND at < \(hour.end) AND hour_start = \(hour.start) AND day = \(hour.day)
            AND hour = \(hour.hour)
        """
    }

    static func unprocessed(of hour: CaptureHour, owner: String) -> SQL {
        "SELECT id FROM capture \(sql: range(hour, owner: owner)) AND status IN ('received', 'processing') LIMIT 1"
    }

    static func captures(of hour: CaptureHour, owner: String, after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: StoredCapture.table.select) \(sql: range(hour, owner: owner))" + oldest.page(after: key?.sql, limit: limit)
    }

    static func captures(ofDay day: String, owner: String, after key: TimeKey?, limit: Int) -> SQL {
        let span = CaptureDay.span(day) ?? Timestamp(microseconds: 0)..<Timestamp(microseconds: 0)
        return """
            \(sql: StoredCapture.table.select)
            WHERE owner = \(owner) AND at >= \(span.lowerBound) AND at < \(span.upperBound) AND day = \(day)
            """ + oldest.page(after: key?.sql, limit: limit)
    }

    static func people(of hour: CaptureHour, owner: String) -> SQL {
        """
        SELECT contact_mention.contact, COUNT(*) AS n FROM capture
        JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id
        WHERE capture.owner = \(owner) AND capture.at >= \(hour.start) AND capture.at < \(hour.end) AND capture.hour_start = \(hour.start)
            AND capture.day = \(hour.day) AND capture.hour = \(hour.hour)
        GROUP BY contact_mention.contact ORDER BY n DESC, contact_mention.contact LIMIT 20
        """
    }

    static func people(ofDay day: String, owner: String) -> SQL {
        let span = CaptureDay.span(day) ?? Timestamp(microseconds: 0)..<Timestamp(microseconds: 0)
        return """
            SELECT contact_mention.contact, COUNT(*) AS n FROM capture
            JOIN contact_mention ON contact_mention.owner = capture.owner AND contact_mention.capture = capture.id
            WHERE capture.owner = \(owner) AND capture.at >= \(span.lowerBound) AND capture.at < \(span.upperBound)
                AND capture.day = \(day)
            GROUP BY contact_mention.contact ORDER BY n DESC, contact_mention.contact LIMIT 20
            """
    }
}
