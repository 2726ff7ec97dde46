import Core
import Database
import Web

/// A mood, a memory or an event as the store knows it.
struct Moment: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        case mood, memory, event

        /// As `init(rawValue:)`, which searches a table for what are three comparisons of short texts.
        init(column text: String) throws {
            switch text {
            case "mood": self = .mood
            case "memory": self = .memory
            case "event": self = .event
            default: throw DatabaseError.column("kind")
            }
        }
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
    /// As stored answers name it.
    var resource: CreatedResource { CreatedResource(kind: kind.rawValue, id: id) }

    static let columns: SQL = """
        moment.id, moment.kind, moment.created_at, moment.happened_at, moment.category, moment.group_id, moment.tags, moment.mood,
        moment.title, moment.note, moment.reason, moment.interests, moment.intensity, moment.location, moment.voice_ms, moment.pictures,
        moment.voice
        """

    /// - Parameter owner: whose rows were asked for.
    init(_ row: inout RowReader, of owner: String) throws {
        self.owner = owner
        id = try row.next("id")
        kind = try Kind(column: row.next("kind"))
        createdAt = try row.next("created_at")
        happenedAt = try row.next("happened_at")
        category = try row.next("category")
        groupID = try row.next("group_id")
        tags = try row.nextTexts("tags")
        mood = try row.next("mood")
        title = try row.next("title")
        note = try row.next("note")
        reason = try row.next("reason")
        interests = try row.nextTexts("interests")
        intensity = try row.next("intensity")
        location = try row.next("location")
        voiceMilliseconds = try row.next("voice_ms")
        pictures = try row.nextTexts("pictures")
        voice = try row.next("voice")
    }
}
