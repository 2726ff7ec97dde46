public import Foundation
import HTTPTypes

/// What happened to the caller, in order.
public enum LiveEndpoints {
    /// Text frames, each a `LiveMessage`, as it happens. Takes no messages.
    public static let socket = SocketEndpoint<EventSocketInput>("/ws/events", surface: .captures)
    /// For clients that cannot keep a socket open. Answers as soon as there is something after `since`, at the latest after 25 s with nothing.
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

public struct EventSocketInput: Codable, Sendable {
    /// The number of the event seen last: what came after it is sent first. Without it only what happens from now on.
    public var since: Int64?

    public init(since: Int64? = nil) { self.since = since }
}

/// What the socket says.
public enum LiveMessage: Codable, Sendable, Equatable {
    case event(LiveEvent)
    /// What came between the number the client had and `seq` is no longer kept, or never was: read everything anew. The next event is
    /// `seq` + 1. On the wire `{"type":"reset","seq":…}`, which has neither `at` nor `data`.
    case reset(seq: Int64)

    private struct Reset: Codable {
        var seq: Int64
        var type: String
    }

    public init(from decoder: any Decoder) throws {
        let reset = try Reset(from: decoder)
        self = reset.type == "reset" ? .reset(seq: reset.seq) : .event(try LiveEvent(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .event(let event): try event.encode(to: encoder)
        case .reset(let seq): try Reset(seq: seq, type: "reset").encode(to: encoder)
        }
    }
}
