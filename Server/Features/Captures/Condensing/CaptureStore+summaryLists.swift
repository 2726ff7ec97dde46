import Core
import Database
import KeepsakeWire
import Media
import Web

/// Reads summaries.
extension CaptureStore {
    /// A summary with the names of its people.
    struct Summary: Sendable {
        let day: String
        /// `nil` for a day's summary.
        let hour: CaptureHour?
        let content: ShownSummary
        let people: [String]
    }

    /// A summary's place in a list.
    private struct ListedSummary<Key: Sendable>: Sendable {
        let key: Key
        /// The approximate length of the summary as it is stored, in bytes.
        let byteCount: Int64
    }

    /// The summaries of a day's hours, in the order of time.
    /// - Parameter waitForTurn: called with the length of the page before more than `LongWork.byteCount` is read.
    func hours(
        ofDay day: String, owner: String, _ request: PageRequest<HourKey>, waitForTurn: (_ byteCount: Int64) async throws -> Void
    ) async throws -> Page<Summary, HourKey> {
        try await page(waitForTurn) { tx in
            try listed(request, tx, key: HourKey.init) { after, limit in
                Self.hours(ofDay: day, owner: owner, columns: Self.hourLengths, after: after, limit: limit)
            }
        } read: { count, tx in
            let statement = Self.hours(ofDay: day, owner: owner, columns: Self.hourContents, after: request.after, limit: count)
            let found = try tx.list(statement) { (row: inout RowReader) -> (CaptureHour, ShownSummary?) in
                let start: Timestamp = try row.next("start")
                let hour: Int = try row.next("hour")
                let zone: String = try row.next("zone")
                let text: String = try row.next("content")
                return (CaptureHour(zone: zone, day: day, hour: hour, start: start), ShownSummary(text: text))
            }
            let names = try names(of: Array(Set(found.flatMap { $0.1?.people ?? [] })), owner: owner, tx)
            return found.compactMap { hour, content in
                content.map { Summary(day: day, hour: hour, content: $0, people: Self.named($0.people, names)) }
            }
        }
    }

    static let hourLengths: SQL = "start, hour, row_bytes - \(RowBytes.row) AS length"
    static let hourContents: SQL = "start, hour, zone, content"

    static func hours(ofDay day: String, owner: String, columns: SQL, after key: HourKey?, limit: Int) -> SQL {
        "SELECT \(sql: columns) FROM capture_hour WHERE owner = \(owner) AND day = \(day) AND content IS NOT NULL"
            + earliestHour.page(after: key.map { "\($0.start), \($0.hour)" }, limit: limit)
    }

    private static let earliestHour = Keyset(.ascending, "start", "hour")

    /// The summaries of days, the latest day first.
    /// - Parameter waitForTurn: as in `hours`.
    func days(
        owner: String, from: String?, to: String?, _ request: PageRequest<DayKey>, waitForTurn: (_ byteCount: Int64) async throws -> Void
    ) async throws -> Page<Summary, DayKey> {
        try await page(waitForTurn) { tx in
            try listed(request, tx, key: DayKey.init) { after, limit in
                Self.days(owner: owner, from: from, to: to, columns: Self.dayLengths, after: after, limit: limit)
            }
        } read: { count, tx in
            let statement = Self.days(owner: owner, from: from, to: to, columns: Self.dayContents, after: request.after, limit: count)
            let found = try tx.list(statement) { (row: inout RowReader) -> (String, ShownSummary?) in
                let day: String = try row.next("day")
                let text: String = try row.next("content")
                return (day, ShownSummary(text: text))
            }
            let names = try names(of: Array(Set(found.flatMap { $0.1?.people ?? [] })), owner: owner, tx)
            return found.compactMap { day, content in
                content.map { Summary(day: day, hour: nil, content: $0, people: Self.named($0.people, names)) }
            }
        }
    }

    static let dayLengths: SQL = "day, row_bytes - \(RowBytes.row) AS length"
    static let dayContents: SQL = "day, content"

    static func days(owner: String, from: String?, to: String?, columns: SQL, after key: DayKey?, limit: Int) -> SQL {
        var range: SQL = ""
        if let from { range = range + " AND day >= \(from)" }
        if let to { range = range + " AND day <= \(to)" }
        return "SELECT \(sql: columns) FROM capture_day WHERE owner = \(owner) AND content IS NOT NULL" + range
            + latestDay.page(after: key.map { "\($0.day)" }, limit: limit)
    }

    private static let latestDay = Keyset(.descending, "day")

    /// Reads a page of summaries. If the page is long, calls `waitForTurn` first.
    /// - Parameters:
    ///   - list: reads the lengths of the page's summaries, and not their contents.
    ///   - read: reads the first `count` summaries of the page.
    private func page<Key: Sendable>(
        _ waitForTurn: (_ byteCount: Int64) async throws -> Void,
        list: @escaping @Sendable (ReadTransaction) throws -> Page<ListedSummary<Key>, Key>,
        read: @escaping @Sendable (_ count: Int, ReadTransaction) throws -> [Summary]
    ) async throws -> Page<Summary, Key> {
        let (short, byteCount) = try await database.read { tx -> (Page<Summary, Key>?, Int64) in
            let listed = try list(tx)
            let length: Int64 = listed.rows.reduce(0) { $0 + $1.byteCount }
            guard length <= LongWork.byteCount else { return (nil, length) }
            return (Page(rows: try read(listed.rows.count, tx), next: listed.next), length)
        }
        if let short { return short }
        try await waitForTurn(byteCount)
        return try await database.read { tx in
            // Summaries may have become longer meanwhile.
            let listed = try list(tx)
            return Page(rows: try read(listed.rows.count, tx), next: listed.next)
        }
    }

    /// Lists summaries until together they are longer than a page. Like `listed` of captures, it reads a few lengths at a time.
    private func listed<Key: Sendable>(
        _ request: PageRequest<Key>, _ tx: ReadTransaction, key: (inout RowReader) throws -> Key,
        _ statement: (_ after: Key?, _ limit: Int) -> SQL
    ) throws -> Page<ListedSummary<Key>, Key> {
        var listed: [ListedSummary<Key>] = []
        var byteCount: Int64 = 0
        while listed.count < request.rowLimit, byteCount <= PageSize.currentByteCount {
            let count = min(request.rowLimit - listed.count, Self.summariesAtOnce)
            let rows = try tx.list(statement(listed.last?.key ?? request.after, count)) { (row: inout RowReader) -> ListedSummary<Key> in
                let position = try key(&row)
                let length: Int64 = try row.next("length")
                return ListedSummary(key: position, byteCount: max(0, length))
            }
            byteCount += rows.reduce(0) { $0 + $1.byteCount }
            listed += rows
            if rows.count < count { break }
        }
        return Page(inBytes: listed, limit: request.limit, byteCount: \.byteCount, key: \.key)
    }

    private static let summariesAtOnce = 32

    /// A day's summary and captures; `nil` when the day has no captures.
    func memory(ofDay day: String, owner: String) async throws -> (summary: Summary?, captures: [String], count: Int)? {
        try await database.read { tx in
            let row = try tx.row("SELECT content FROM capture_day WHERE owner = \(owner) AND day = \(day)")
            let content = ShownSummary(text: try row?.get("content"))
            let ids: [String] = try tx.list(Self.ids(ofDay: day, owner: owner)) { try $0.next("id") }
            guard !ids.isEmpty else { return nil }
            let count: Int64 = try tx.row(Self.count(ofDay: day, owner: owner))?.get("n") ?? 0
            let names = try names(of: content?.people ?? [], owner: owner, tx)
            let summary = content.map { Summary(day: day, hour: nil, content: $0, people: Self.named($0.people, names)) }
            return (summary, ids, Int(count))
        }
    }

    static func ids(ofDay day: String, owner: String) -> SQL {
        let span = CaptureDay.span(day) ?? Timestamp(microseconds: 0)..<Timestamp(microseconds: 0)
        return """
            SELECT id FROM capture
            WHERE owner = \(owner) AND at >= \(span.lowerBound) AND at < \(span.upperBound) AND day = \(day)
            ORDER BY at, id LIMIT \(ShownSummary.captureLimit)
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

/// The sort key of a day's hours.
struct HourKey: CursorKey {
    let start: Timestamp
    let hour: Int

    init(start: Timestamp, hour: Int) {
        self.start = start
        self.hour = hour
    }

    init(_ row: inout RowReader) throws {
        start = try row.next("start")
        hour = try row.next("hour")
    }

    static let partCount = 2
    var cursorParts: [String] { [String(start.microseconds), String(hour)] }
    init?(cursorParts parts: [String]) {
        guard let start = Int64(parts[0]), let hour = Int(parts[1]) else { return nil }
        self.init(start: Timestamp(microseconds: start), hour: hour)
    }
}

/// The sort key of days.
struct DayKey: CursorKey {
    let day: String

    init(day: String) { self.day = day }

    init(_ row: inout RowReader) throws { day = try row.next("day") }

    static let partCount = 1
    var cursorParts: [String] { [day] }
    init?(cursorParts parts: [String]) {
        guard TimeRange.Day(parts[0]) != nil else { return nil }
        self.init(day: parts[0])
    }
}
