import Core
import Database
import Intelligence
import KeepsakeWire
import Web

/// `GET /summaries/hourly`: a day's hours, in the order of time.
struct ListHourlySummaries: Sendable {
    let store: CaptureStore
    let cursors: Cursors

    /// The most hours of a page. A day has at most 25 hours, unless the account's time zone changes.
    private static let limit = 100

    func handle(_ input: HourlySummariesInput, _ context: WebContext) async throws -> ItemPage<HourlySummary> {
        let owner = try context.requireViewer().accountID
        let day = try SummaryRules.day(input.date, field: "date")
        let paging = try Paging<HourKey>("hourly summaries", of: [owner, day], after: input.cursor, limit: Self.limit, cursors)
        let page = try await store.hours(ofDay: day, owner: owner, paging.request) { try await context.waitForTurn(toMake: $0) }
        return ItemPage(items: page.rows.compactMap(HourlySummary.init), nextCursor: paging.cursor(page.next))
    }
}

/// `GET /summaries/daily`: the latest day first.
struct ListDailySummaries: Sendable {
    let store: CaptureStore
    let cursors: Cursors

    func handle(_ input: DailySummariesInput, _ context: WebContext) async throws -> ItemPage<DailySummary> {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let from = try input.from.map { try SummaryRules.day($0, field: "from") }
        let to = try input.to.map { try SummaryRules.day($0, field: "to") }
        let paging = try Paging<DayKey>(
            "daily summaries", of: [owner, from ?? "", to ?? ""], after: input.cursor, limit: limit, cursors)
        let page = try await store.days(owner: owner, from: from, to: to, paging.request) { try await context.waitForTurn(toMake: $0) }
        return ItemPage(items: page.rows.map(DailySummary.init), nextCursor: paging.cursor(page.next))
    }
}

/// `GET /memories/{userId}/{date}`: a day as its captures and its summary, if it is condensed already.
struct ReadMemoryDay: Sendable {
    let store: CaptureStore

    static let missing = MissingMemory(message: "There are no captures of this day.")

    func handle(_ input: MemoryInput, _ context: WebContext) async throws -> MemoryDayResponse? {
        let owner = try context.requireViewer().accountID
        let day = input.date
        guard TimeRange.Day(day) != nil, let (summary, captures, count) = try await store.memory(ofDay: day, owner: owner) else {
            return nil
        }
        return MemoryDayResponse(
            data: MemoryDay(
                date: day, summary: summary?.content.summary, themes: summary?.content.themes ?? [], people: summary?.people ?? [],
                highlights: summary?.highlights ?? [], captureIds: captures, totalCaptures: count, engine: summary?.content.engine))
    }
}

extension CaptureStore.Summary {
    var highlights: [SummaryHighlight] {
        content.highlights.map { SummaryHighlight(time: $0.at.date, text: $0.text, captureId: $0.capture) }
    }
}

extension HourlySummary {
    /// `nil` for a day's summary.
    init?(_ summary: CaptureStore.Summary) {
        guard let hour = summary.hour else { return nil }
        self.init(
            date: hour.day, hour: hour.hour, start: hour.start.date, summary: summary.content.summary, themes: summary.content.themes,
            people: summary.people, highlights: summary.highlights, captureIds: summary.content.captures, engine: summary.content.engine)
        captureCount = summary.content.captureCount
    }
}

extension DailySummary {
    init(_ summary: CaptureStore.Summary) {
        self.init(
            date: summary.day, summary: summary.content.summary, themes: summary.content.themes, people: summary.people,
            highlights: summary.highlights, totalCaptures: summary.content.captureCount, engine: summary.content.engine)
    }
}
