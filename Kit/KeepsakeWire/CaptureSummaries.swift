public import Foundation
import HTTPTypes

/// Surface 3: summaries of captures, by hours and by days in the user's time zone.
public enum CaptureSummaryEndpoints {
    /// Responds 404 with `MissingMemory` if the day has no captures.
    public static let memory = Endpoint<MemoryInput, MemoryDayResponse>(.get, "/memories/{userId}/{date}", surface: .captures)
    /// The summaries of a day's hours, in chronological order. A page ends when its texts and ids reach 2 MB, which is rare for one day.
    public static let hourly = Endpoint<HourlySummariesInput, ItemPage<HourlySummary>>(.get, "/summaries/hourly", surface: .captures)
    /// The summaries of days, the latest day first.
    public static let daily = Endpoint<DailySummariesInput, ItemPage<DailySummary>>(.get, "/summaries/daily", surface: .captures)
}

public struct MemoryInput: Codable, Sendable {
    public var userId: String
    /// The day, for example `2026-12-31`.
    public var date: String

    public init(userId: String, date: String) {
        self.userId = userId
        self.date = date
    }
}

public struct HourlySummariesInput: Codable, Sendable {
    /// The day, for example `2026-12-31`.
    public var date: String
    public var cursor: String?

    public init(date: String, cursor: String? = nil) {
        self.date = date
        self.cursor = cursor
    }
}

public struct DailySummariesInput: Codable, Sendable {
    /// The first day.
    public var from: String?
    /// The last day.
    public var to: String?
    public var cursor: String?
    /// 1…100, default 20.
    public var limit: Int?

    public init(from: String? = nil, to: String? = nil, cursor: String? = nil, limit: Int? = nil) {
        self.from = from
        self.to = to
        self.cursor = cursor
        self.limit = limit
    }
}

/// A sentence of a capture, word for word.
public struct SummaryHighlight: Codable, Sendable, Equatable {
    public var time: Date
    public var text: String
    public var captureId: String

    public init(time: Date, text: String, captureId: String) {
        self.time = time
        self.text = text
        self.captureId = captureId
    }
}

public struct HourlySummary: Codable, Sendable, Equatable {
    /// The day in the user's time zone.
    public var date: String
    /// The hour of the day, 0…23.
    public var hour: Int
    /// When the hour began. If the clock is set back, an hour comes twice in a night: then two summaries have the same `hour`.
    public var start: Date
    public var summary: String
    public var themes: [String]
    public var people: [String]
    public var highlights: [SummaryHighlight]
    /// The ids of the hour's captures, in chronological order; at most 1,000.
    public var captureIds: [String]
    /// The number of captures, including those beyond the limit of `captureIds`.
    public var captureCount: Int
    public var engine: String

    public init(
        date: String, hour: Int, start: Date, summary: String, themes: [String], people: [String], highlights: [SummaryHighlight],
        captureIds: [String], engine: String
    ) {
        self.date = date
        self.hour = hour
        self.start = start
        self.summary = summary
        self.themes = themes
        self.people = people
        self.highlights = highlights
        self.captureIds = captureIds
        captureCount = captureIds.count
        self.engine = engine
    }
}

public struct DailySummary: Codable, Sendable, Equatable {
    public var date: String
    public var summary: String
    public var themes: [String]
    public var people: [String]
    public var highlights: [SummaryHighlight]
    public var totalCaptures: Int
    public var engine: String

    public init(
        date: String, summary: String, themes: [String], people: [String], highlights: [SummaryHighlight], totalCaptures: Int,
        engine: String
    ) {
        self.date = date
        self.summary = summary
        self.themes = themes
        self.people = people
        self.highlights = highlights
        self.totalCaptures = totalCaptures
        self.engine = engine
    }
}

public struct MemoryDayResponse: Codable, Sendable, Equatable {
    /// `success`.
    public var status: String
    public var data: MemoryDay

    public init(data: MemoryDay) {
        status = "success"
        self.data = data
    }
}

/// A day: its summary and its captures.
public struct MemoryDay: Codable, Sendable, Equatable {
    public var date: String
    /// `nil` until the server has summarized the day.
    @OrNull public var summary: String?
    public var themes: [String]
    public var people: [String]
    public var highlights: [SummaryHighlight]
    /// The ids of the day's captures, in chronological order; at most 1,000.
    public var captureIds: [String]
    public var totalCaptures: Int
    @OrNull public var engine: String?

    public init(
        date: String, summary: String?, themes: [String], people: [String], highlights: [SummaryHighlight], captureIds: [String],
        totalCaptures: Int, engine: String?
    ) {
        self.date = date
        self.summary = summary
        self.themes = themes
        self.people = people
        self.highlights = highlights
        self.captureIds = captureIds
        self.totalCaptures = totalCaptures
        self.engine = engine
    }
}

/// The body of the 404 for a day without captures.
public struct MissingMemory: Codable, Sendable, Equatable {
    /// `not_found`.
    public var status: String
    public var message: String

    public init(message: String) {
        status = "not_found"
        self.message = message
    }
}
