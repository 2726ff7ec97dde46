import Core
import Database
import KeepsakeWire
import Web

/// Reading summaries.
extension CaptureStore {
    /// A summary with the names of its people.
    struct Summary: Sendable {
        let day: String
        /// `nil` for a day's summary.
        let hour: CaptureHour?
        let content: SummaryContent
        let people: [String]
    }

    /// In the order of time.
    func hours(ofDay day: String, owner: String) async throws -> [Summary] {
        try await database.read { tx in
            var found: [(CaptureHour, SummaryContent)] = []
            for row in try tx.rows(Self.hours(ofDay: day, owner: owner)) {
                guard let content = SummaryContent(text: try row.get("content")) else { continue }
                let hour = CaptureHour(
                    zone: try row.get("zone"), day: try row.get("day"), hour: try row.get("hour"), start: try row.get("start"))
                found.append((hour, content))
            }
            let names = try names(of: Array(Set(found.flatMap(\.1.people))), owner: owner, tx)
            return found.map { hour, content in
                Summary(day: hour.day, hour: hour, content: content, people: Self.named(content.people, names))
            }
        }
    }

    static func hours(ofDay day: String, owner: String) -> SQL {
        """
        SELECT day, start, hour, zone, content FROM capture_hour
        WHERE owner = \(owner) AND day = \(day) AND content IS NOT NULL ORDER BY start, hour LIMIT 200
        """
    }

    /// The latest day first.
    func days(owner: String, from: String?, to: String?, _ request: PageRequest<DayKey>) async throws -> Page<Summary, DayKey> {
        try await database.read { tx in
            let rows = try tx.rows(Self.days(owner: owner, from: from, to: to, after: request.after, limit: request.rowLimit))
            var found: [(String, SummaryContent)] = []
            for row in rows {
                if let content = SummaryContent(text: try row.get("content")) { found.append((try row.get("day"), content)) }
            }
            let page = Page(found, limit: request.limit) { DayKey(day: $0.0) }
            let names = try names(of: Array(Set(page.rows.flatMap(\.1.people))), owner: owner, tx)
            return page.map { day, content in
                Summary(day: day, hour: nil, content: content, people: Self.named(content.people, names))
            }
        }
    }

    static func days(owner: String, from: String?, to: String?, after key: DayKey?, limit: Int) -> SQL {
        var range: SQL = ""
        if let from { range = range + " AND day >= \(from)" }
        if let to { range = range + " AND day <= \(to)" }
        return "SELECT day, content FROM capture_day WHERE owner = \(owner) AND content IS NOT NULL" + range
            + latestDay.page(after: key.map { "\($0.day)" }, limit: limit)
    }

    private static let latestDay = Keyset(.descending, "day")

    /// A day's summary and captures; `nil` when the day has no captures.
    func memory(ofDay day: String, owner: String) async throws -> (summary: Summary?, captures: [String], count: Int)? {
        try await database.read { tx in
            let row = try tx.row("SELECT content FROM capture_day WHERE owner = \(owner) AND day = \(day)")
            let content = SummaryContent(text: try row?.get("content"))
            let ids: [String] = try tx.list(Self.ids(ofDay: day, owner: owner)) { try $0.next("id") }
            guard !ids.isEmpty else { return nil }
            let count: Int64 = try tx.row(Self.count(ofDay: day, owner: owner))?.get("n") ?? 0
            let names = try names(of: content?.people ?? [], owner: owner, tx)
            let summary = content.map { Summary(day: day, hour: nil, content: $0, people: Self.named($0.people, names)) }
            return (summary, ids, Int(count))
        }
    }

    private static let shownCaptures = 1_000

    static func ids(ofDay day: String, owner: String) -> SQL {
        let span = CaptureDay.span(day) ?? Timestamp(microseconds: 0)..<Timestamp(microseconds: 0)
        return """
            SELECT id FROM capture
            WHERE owner = \(owner) AND at >= \(span.lowerBound) AND at < \(span.upperBound) AND day = \(day)
            ORDER BY at, id LIMIT \(shownCaptures)
            """
    }

    static func count(ofDay day: String, owner: String) -> SQL {
        let span = CaptureDay.span(day) ?? Timestamp(microseconds: 0)..<Timestamp(microseconds: 0)
        return """
            SELECT COUNT(*) AS n FROM capture
            WHERE owner = \(owner) AND at >= \(span.lowerBound) AND at < \(span.upperBound) AND day = \(day)
            """
    }

    private static func named(_ people: [String], _ names: [String: String]) -> [String] {
        var seen: Set<String> = []
        return people.compactMap { names[$0] }.filter { seen.insert($0).inserted }
    }
}

/// The sort key of days.
struct DayKey: CursorKey {
    let day: String

    init(day: String) { self.day = day }

    static let partCount = 1
    var cursorParts: [String] { [day] }
    init?(cursorParts parts: [String]) {
        guard TimeRange.Day(parts[0]) != nil else { return nil }
        self.init(day: parts[0])
    }
}
