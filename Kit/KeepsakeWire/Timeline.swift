import Foundation
import HTTPTypes

/// Surface 0: entries of all kinds in chronological order.
public enum TimelineEndpoints {
    public static let timeline = Endpoint<TimelineInput, TimelineResponse>(
        .get, "/api/users/user/{userId}/timeline", surface: .multimedia)
}

public struct TimelineInput: Codable, Sendable {
    public var userId: String
    /// The beginning of the range: ISO 8601; inclusive.
    public var from: String?
    /// The end of the range: ISO 8601, exclusive, or a day (`2026-12-31`), which is included as a whole.
    public var to: String?
    public var tag: String?
    /// Only entries of these kinds, separated by commas: `mood`, `memory`, `event`, `capsule`, `capture`, `file`.
    public var kind: String?
    /// `desc`, the default, lists the latest first; `asc` reverses the order.
    public var order: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `nextCursor` of the previous page.
    public var cursor: String?

    public init(
        userId: String, from: String? = nil, to: String? = nil, tag: String? = nil, kind: String? = nil, order: String? = nil,
        limit: Int? = nil, cursor: String? = nil
    ) {
        self.userId = userId
        self.from = from
        self.to = to
        self.tag = tag
        self.kind = kind
        self.order = order
        self.limit = limit
        self.cursor = cursor
    }
}

/// One entry. Its JSON key is its kind.
public struct TimelineItem: Codable, Sendable, Equatable {
    /// `mood`, `memory`, `event`, `capsule` or `file`, or the kind of another feature's entries, such as `capture`.
    public var kind: String
    /// The time at which it happened, in milliseconds since 1970. For an event, it is the event's date. For a file, it is the time at which
    /// the file was taken or, if that is not known, stored.
    public var at: Int
    public var mood: MoodData?
    public var memory: MemoryData?
    public var event: EventData?
    public var file: MediaItem?
    public var capsule: Capsule?
    /// An entry of any other kind, in the format of its feature's lists.
    public var other: JSONValue?

    public init(mood: MoodData) {
        kind = "mood"
        at = mood.createdAt
        self.mood = mood
    }

    public init(memory: MemoryData) {
        kind = "memory"
        at = memory.createdAt
        self.memory = memory
    }

    /// - Parameter at: the event's date, in milliseconds since 1970.
    public init(event: EventData, at: Int) {
        kind = "event"
        self.at = at
        self.event = event
    }

    public init(file: MediaItem) {
        kind = "file"
        at = file.takenAt ?? file.createdAt
        self.file = file
    }

    public init(capsule: Capsule) {
        kind = "capsule"
        at = Int((capsule.createdAt.timeIntervalSince1970 * 1_000).rounded(.down))
        self.capsule = capsule
    }
}

extension TimelineItem {
    /// Makes an item from an entry of a feature for which this type has no property.
    /// - Parameters:
    ///   - kind: a kind other than the ones above.
    ///   - at: milliseconds since 1970.
    ///   - entry: the entry, in the format of the feature's lists.
    public init(kind: String, at: Int, entry: JSONValue) {
        self.kind = kind
        self.at = at
        other = entry
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        kind = try container.decode(String.self, forKey: Key("kind"))
        at = try container.decode(Int.self, forKey: Key("at"))
        let key = Key(kind)
        switch kind {
        case "mood": mood = try container.decode(MoodData.self, forKey: key)
        case "memory": memory = try container.decode(MemoryData.self, forKey: key)
        case "event": event = try container.decode(EventData.self, forKey: key)
        case "file": file = try container.decode(MediaItem.self, forKey: key)
        case "capsule": capsule = try container.decode(Capsule.self, forKey: key)
        default: other = try container.decodeIfPresent(JSONValue.self, forKey: key)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: Key("kind"))
        try container.encode(at, forKey: Key("at"))
        try container.encodeIfPresent(mood, forKey: Key("mood"))
        try container.encodeIfPresent(memory, forKey: Key("memory"))
        try container.encodeIfPresent(event, forKey: Key("event"))
        try container.encodeIfPresent(file, forKey: Key("file"))
        try container.encodeIfPresent(capsule, forKey: Key("capsule"))
        try container.encodeIfPresent(other, forKey: Key(kind))
    }
}

public struct TimelineResponse: Codable, Sendable, Equatable {
    public var success: Bool
    /// The entries, by default latest first.
    public var items: [TimelineItem]
    public var pagination: Pagination

    public init(items: [TimelineItem], pagination: Pagination) {
        success = true
        self.items = items
        self.pagination = pagination
    }
}
