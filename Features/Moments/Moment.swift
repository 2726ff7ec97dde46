import Core
import Database

/// A mood, a memory or an event as the store knows it.
struct Moment: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        case mood, memory, event
    }

    var id: String
    var owner: String
    var kind: Kind
    /// When it was made, or when its maker says it was.
    var createdAt: Timestamp
    /// Its place on the timeline: an event's is its date.
    var happenedAt: Timestamp
    var category: String
    var groupID: String?
    var tags: [String]
    /// A mood's.
    var mood: String?
    /// A memory's or an event's.
    var title: String?
    /// A mood's note; what a memory or an event says of itself.
    var note: String?
    /// A mood's.
    var reason: String?
    /// A mood's.
    var interests: [String] = []
    /// A mood's, 1...10.
    var intensity: Int?
    /// A memory's or an event's.
    var location: String?
    /// Of its voice note.
    var voiceMilliseconds: Int64?
    /// The library's ids of its pictures and films, in the order sent.
    var pictures: [String] = []
    /// The library's id of its voice note.
    var voice: String?
}

extension Moment {
    static let columns: SQL = """
        moment.id, moment.owner, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags,
        moment.mood, moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms
        """

    /// Without its files, which stand in rows of their own.
    init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("owner")
        guard let kind = Kind(rawValue: try row.get("kind")) else { throw DatabaseError.column("kind") }
        self.kind = kind
        createdAt = try row.get("created_at")
        happenedAt = try row.get("happened_at")
        category = try row.get("category")
        groupID = try row.get("group_id")
        tags = try TextList.decode(row.get("tags"))
        mood = try row.get("mood")
        title = try row.get("title")
        note = try row.get("note")
        reason = try row.get("reason")
        interests = try TextList.decode(row.get("interests"))
        intensity = try row.get("intensity")
        location = try row.get("location")
        voiceMilliseconds = try row.get("voice_ms")
    }
}
