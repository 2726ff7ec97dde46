import Core
import Database
import Intelligence
import Media

/// Reads the captures that a job condenses to the summary of an hour or a day. It reads a page at a time: an hour may hold thousands of
/// captures, each with a long text.
extension CaptureStore {
    /// What a job condenses to a summary.
    struct Material: Sendable {
        /// The count of the hour's or day's changes that this material includes.
        let changed: Int64
        let draft: Condensation.Draft
        /// The ids of an hour's captures in the order of time; empty for a day.
        let captures: [String]
        /// How many captures mention each contact.
        let people: MentionCounts
    }

    /// The most captures that the summary of an hour covers. The summary lists their ids, and each correction or deletion writes the list
    /// again.
    static let hourLimit = 4_000
    /// The most captures that the summary of a day covers.
    static let dayLimit = 20_000
    /// The most captures that are in memory at a time. They take 10 MB if each has the longest text that the rules allow.
    static let materialPage = 25

    /// Whether captures of the hour are not processed yet.
    func isIncomplete(_ hour: CaptureHour, owner: String) async throws -> Bool {
        try await database.read { tx in try tx.row(Self.unprocessed(of: hour, owner: owner)) != nil }
    }

    /// - Parameter highlights: the most highlights to choose.
    /// - Returns: `nil` when nothing of the hour is stored any more.
    func material(_ hour: CaptureHour, owner: String, highlights: Int, in work: CondensingWork) async throws -> Material? {
        try await material(
            .hour(hour), changed: Self.hour(hour, "changed", owner: owner), owner: owner, highlights: highlights, in: work)
    }

    func material(day: String, owner: String, highlights: Int, in work: CondensingWork) async throws -> Material? {
        try await material(
            .day(day), changed: "SELECT changed FROM capture_day WHERE owner = \(owner) AND day = \(day)", owner: owner,
            highlights: highlights, in: work)
    }

    /// The captures that a summary covers.
    private enum Covered: Sendable {
        case hour(CaptureHour)
        case day(String)

        /// The most captures that the summary covers.
        var limit: Int {
            switch self {
            case .hour: CaptureStore.hourLimit
            case .day: CaptureStore.dayLimit
            }
        }

        var listsCaptures: Bool {
            switch self {
            case .hour: true
            case .day: false
            }
        }

        func page(owner: String, after key: TimeKey?) -> SQL {
            switch self {
            case .hour(let hour): CaptureStore.captures(during: hour, owner: owner, after: key, limit: CaptureStore.materialPage)
            case .day(let day): CaptureStore.captures(ofDay: day, owner: owner, after: key, limit: CaptureStore.materialPage)
            }
        }

        /// Whether a capture belongs to the hour or day. A page may also have captures of others.
        func contains(_ capture: StoredCapture) -> Bool {
            switch self {
            case .hour(let hour):
                capture.hour.start == hour.start && capture.hour.day == hour.day && capture.hour.hour == hour.hour
            case .day(let day): capture.hour.day == day
            }
        }
    }

    /// Reads the count of changes first, and then each page in a read of its own, so that no read occupies a thread for long. A change in
    /// between raises the count, and then `store` refuses what was read.
    private func material(
        _ covered: Covered, changed: SQL, owner: String, highlights: Int, in work: CondensingWork
    ) async throws -> Material? {
        guard let count: Int64 = try await database.read({ tx in try tx.row(changed)?.get("changed") }) else { return nil }
        let draft = SharedDraft(limit: highlights)
        var ids: [String] = []
        var people = MentionCounts()
        try await each(covered, owner: owner, readsPeople: true) { captures, mentioned in
            try await work.run(captures, of: owner) { draft.count($0) }
            people.add(mentioned)
            if covered.listsCaptures { ids += captures.map(\.id) }
        }
        try await each(covered, owner: owner, readsPeople: false) { captures, _ in
            try await work.run(captures, of: owner) { draft.choose($0) }
        }
        return Material(changed: count, draft: draft.value, captures: ids, people: people)
    }

    /// Captures that were read together.
    private struct Part: Sendable {
        let captures: [Condensation.Capture]
        /// The contacts that they mention, once for each capture.
        let people: [String]
        /// Where the next part begins; `nil` after the last one.
        let next: TimeKey?
    }

    private func each(
        _ covered: Covered, owner: String, readsPeople: Bool,
        _ body: (_ captures: [Condensation.Capture], _ people: [String]) async throws -> Void
    ) async throws {
        var (last, left): (TimeKey?, Int) = (nil, covered.limit)
        while left > 0 {
            let (key, most) = (last, left)
            let found = try await database.read { tx in
                try part(of: covered, owner: owner, after: key, limit: most, readsPeople: readsPeople, tx)
            }
            try Task.checkCancellation()
            try await body(found.captures, found.people)
            left -= found.captures.count
            guard let next = found.next else { return }
            last = next
        }
    }

    private func part(
        of covered: Covered, owner: String, after key: TimeKey?, limit: Int, readsPeople: Bool, _ tx: ReadTransaction
    ) throws -> Part {
        let page = try tx.list(covered.page(owner: owner, after: key), StoredCapture.init)
        let rows = page.filter(covered.contains).prefix(limit)
        let ids = rows.map(\.id)
        let photos = try files(of: ids, owner: owner, tx)
        let people = try readsPeople ? tx.rows(Self.contacts(in: ids, owner: owner)).map { try $0.get("contact", as: String.self) } : []
        let captures = rows.map { row in
            Condensation.Capture(
                id: row.id, at: row.at, transcription: row.transcription,
                hasPicture: row.photo.media != nil || photos[row.id]?.contains { $0.kind == .photo } == true,
                analysis: row.analysis, isPending: row.isPending)
        }
        let end = page.count == Self.materialPage ? page.last : nil
        return Part(captures: captures, people: people, next: end.map { TimeKey(at: $0.at, id: $0.id) })
    }

    // MARK: Statements

    private static let oldest = Keyset(.ascending, "at", "id")

    /// Uses the index `capture_unprocessed`, whose condition it repeats. Without that index, it would read all captures of the hour.
    static func unprocessed(of hour: CaptureHour, owner: String) -> SQL {
        """
        SELECT id FROM capture
        WHERE owner = \(owner) AND hour_start = \(hour.start) AND day = \(hour.day) AND hour = \(hour.hour)
            AND status IN ('received', 'processing')
        LIMIT 1
        """
    }

    /// Also selects captures of hours in another time zone that overlap with this one: if the statement left them out, it might read any
    /// number of them for one page.
    static func captures(during hour: CaptureHour, owner: String, after key: TimeKey?, limit: Int) -> SQL {
        // Later pages begin at the key. If they began at the hour's start, SQLite would read from there each time.
        let start = key?.at ?? hour.start
        return """
            \(sql: StoredCapture.table.select) WHERE owner = \(owner) AND at >= \(start) AND at < \(hour.end)
            """ + oldest.page(after: key?.sql, limit: limit)
    }

    /// The statement has no range of times: with one, SQLite would choose an index that also has other days.
    static func captures(ofDay day: String, owner: String, after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: StoredCapture.table.select) WHERE owner = \(owner) AND day = \(day)" + oldest.page(after: key?.sql, limit: limit)
    }

    /// Returns a contact once for each of the captures that mention it.
    static func contacts(in captures: [String], owner: String) -> SQL {
        "SELECT contact FROM contact_mention WHERE owner = \(owner) AND capture IN (\(sql: .list(captures)))"
    }
}

/// How many captures mention each contact.
struct MentionCounts: Sendable {
    /// The most different contacts that are counted. Further contacts are ignored: those that are counted by then include frequent ones.
    static let limit = 10_000

    private var counts: [String: Int] = [:]

    /// - Parameter contacts: once for each capture that mentions them.
    mutating func add(_ contacts: [String]) {
        for contact in contacts where counts.count < Self.limit || counts[contact] != nil { counts[contact, default: 0] += 1 }
    }

    /// Contacts, the most mentioned first. Contacts that are mentioned equally often are in the order of their ids.
    /// - Parameter most: the most contacts to return.
    func ranked(_ most: Int) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(most).map(\.key)
    }
}
