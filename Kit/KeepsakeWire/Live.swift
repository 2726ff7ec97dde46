public import Foundation
import HTTPTypes

/// The events of the caller's account, in order.
public enum LiveEndpoints {
    /// The server sends each event as it happens, as a text frame with a `LiveMessage`. The client sends no messages.
    public static let socket = SocketEndpoint<EventSocketInput>("/ws/events", surface: .captures)
    /// For clients that cannot keep a socket open. The server responds as soon as there are events after `since`, at the latest after 25 s.
    public static let poll = Endpoint<PollEventsInput, EventPage>(.get, "/events", surface: .captures)
}

public struct PollEventsInput: Codable, Sendable {
    /// The `seq` of the previous page. If it is `nil`, the response contains only future events.
    public var since: Int64?
    /// The most events in the response, 1…100; default 100.
    public var limit: Int?
    /// The most seconds that the server waits for an event, 0…25; default 25.
    public var wait: Int?

    public init(since: Int64? = nil, limit: Int? = nil, wait: Int? = nil) {
        self.since = since
        self.limit = limit
        self.wait = wait
    }
}

public struct EventPage: Codable, Sendable, Equatable {
    public var items: [LiveEvent]
    /// The value of `since` for the next request.
    public var seq: Int64
    /// Whether events between `since` and `seq` are no longer stored. If so, the client must read all data again.
    public var reset: Bool

    public init(items: [LiveEvent], seq: Int64, reset: Bool) {
        self.items = items
        self.seq = seq
        self.reset = reset
    }
}

public struct LiveEvent: Codable, Sendable, Equatable {
    /// The event's number, which increases by one with each event of an account.
    public var seq: Int64
    /// For example `media.added`.
    public var type: String
    public var at: Date
    /// The event's content; its keys depend on `type`.
    public var data: JSONValue

    public init(seq: Int64, type: String, at: Date, data: JSONValue) {
        self.seq = seq
        self.type = type
        self.at = at
        self.data = data
    }
}

public struct EventSocketInput: Codable, Sendable {
    /// The number of the last event that the client has seen. The server first sends the events after it. If it is `nil`, the server sends
    /// only future events.
    public var since: Int64?

    public init(since: Int64? = nil) { self.since = since }
}

/// A message that the server sends on the socket.
public enum LiveMessage: Codable, Sendable, Equatable {
    case event(LiveEvent)
    /// Events between the client's number and `seq` are no longer stored, or never existed, so the client must read all data again. The
    /// next event is `seq` + 1. The JSON is `{"type":"reset","seq":…}`, without `at` and `data`.
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
