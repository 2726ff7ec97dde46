public import Foundation
import HTTPTypes

/// What happened to the caller, in order: for clients that cannot keep a socket open.
public enum LiveEndpoints {
    /// Answers as soon as there is something after `since`, at the latest after 25 s with nothing.
    public static let poll = Endpoint<PollEventsInput, EventPage>(.get, "/events", surface: .captures)
}

public struct PollEventsInput: Codable, Sendable {
    /// The `seq` of the page before; without it only what happens from now on.
    public var since: Int64?
    /// Events in an answer, 1…100, default 100.
    public var limit: Int?
    /// Seconds to wait for something to happen, 0…25, default 25.
    public var wait: Int?

    public init(since: Int64? = nil, limit: Int? = nil, wait: Int? = nil) {
        self.since = since
        self.limit = limit
        self.wait = wait
    }
}

public struct EventPage: Codable, Sendable, Equatable {
    public var items: [LiveEvent]
    /// The `since` to ask with next.
    public var seq: Int64
    /// What came between `since` and `seq` is no longer kept: read everything anew.
    public var reset: Bool

    public init(items: [LiveEvent], seq: Int64, reset: Bool) {
        self.items = items
        self.seq = seq
        self.reset = reset
    }
}

public struct LiveEvent: Codable, Sendable, Equatable {
    /// Grows by one from event to event of an account.
    public var seq: Int64
    /// For example `media.added`.
    public var type: String
    public var at: Date
    /// What it is about; which keys there are depends on `type`.
    public var data: JSONValue

    public init(seq: Int64, type: String, at: Date, data: JSONValue) {
        self.seq = seq
        self.type = type
        self.at = at
        self.data = data
    }
}
