import HTTPTypes

/// Surface 1: the events of all the caller's coves.
public enum CoveCalendarEndpoints {
    /// All events, past ones included, by date, soonest first.
    public static let events = Endpoint<CalendarInput, CoveEventsResponse>(.get, "/calendar-events", surface: .coves)
    /// Like `events`, but only events from now on.
    public static let upcoming = Endpoint<CalendarInput, CoveEventsResponse>(.get, "/upcoming-events", surface: .coves)
    /// Creates the link of the caller's feed. The previous link stops working.
    public static let createLink = Endpoint<Empty, CalendarLink>(
        .post, "/calendar-link", surface: .coves, body: .json(maxByteCount: 16_384))
    /// Deletes the link of the caller's feed, if there is one.
    public static let deleteLink = Endpoint<Empty, MessageResponse>(.delete, "/calendar-link", surface: .coves)
    /// The events of the caller's coves as a calendar (RFC 5545), for programs that subscribe to it. The token is the only credential.
    public static let feed = Endpoint<CalendarFeedInput, FileContent>(.get, "/calendar.ics", surface: .coves, access: .anyone)
}

public struct CalendarInput: Codable, Sendable {
    /// `nextCursor` of the previous page, or the id of its last event.
    public var cursor: String?
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?

    public init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

public struct CalendarLink: Codable, Sendable, Equatable {
    public var message: String
    /// An absolute URL. Anyone who has it can read the feed, so treat it like a password. Only this response contains it.
    public var url: String

    public init(message: String, url: String) {
        self.message = message
        self.url = url
    }
}

public struct CalendarFeedInput: Codable, Sendable {
    public var token: String

    public init(token: String) { self.token = token }
}
