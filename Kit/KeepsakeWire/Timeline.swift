import Foundation
import HTTPTypes

/// Surface 0, everything of all kinds in the order it happened.
public enum TimelineEndpoints {
    public static let timeline = Endpoint<TimelineInput, TimelineResponse>(
        .get, "/api/users/user/{userId}/timeline", surface: .multimedia)
}

public struct TimelineInput: Codable, Sendable {
    public var userId: String
    /// ISO 8601; what happened then or later.
    public var from: String?
    /// ISO 8601; what happened before. A day (`2026-12-31`) counts whole.
    public var to: String?
    public var tag: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `nextCursor` of the page before.
    public var cursor: String?

    public init(
        userId: String, from: String? = nil, to: String? = nil, tag: String? = nil, limit: Int? = nil, cursor: String? = nil
    ) {
        self.userId = userId
        self.from = from
        self.to = to
        self.tag = tag
        self.limit = limit
        self.cursor = cursor
    }
}

/// One thing that was kept, under the key that is its kind.
public struct TimelineItem: Codable, Sendable, Equatable {
    /// `mood`, `memory`, `event`, `capsule`, and in what was found also `file`.
    public var kind: String
    /// Milliseconds since 1970: when it happened; an event's is its date.
    public var at: Int
    public var mood: MoodData?
    public var memory: MemoryData?
    public var event: EventData?
    public var file: MediaItem?
    public var capsule: Capsule?

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

    /// - Parameter at: its date.
    public init(event: EventData, at: Int) {
        kind = "event"
        self.at = at
        self.event = event
    }

    public init(file: MediaItem) {
        kind = "file"
        at = file.createdAt
        self.file = file
    }

    public init(capsule: Capsule) {
        kind = "capsule"
        at = Int((capsule.createdAt.timeIntervalSince1970 * 1_000).rounded(.down))
        self.capsule = capsule
    }
}

public struct TimelineResponse: Codable, Sendable, Equatable {
    public var success: Bool
    /// The latest first.
    public var items: [TimelineItem]
    public var pagination: Pagination

    public init(items: [TimelineItem], pagination: Pagination) {
        success = true
        self.items = items
        self.pagination = pagination
    }
}
