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

extension Moment: TableRow {
    static let table = Table<Moment>("moment")

    /// As stored answers name it.
    var resource: CreatedResource { CreatedResource(kind: kind.rawValue, id: id) }

    init(_ row: inout RowReader, writing moment: Moment?) throws { try self.init(&row, writing: moment, of: moment?.owner ?? "") }

    /// - Parameter owner: whose rows were asked for, so that a list need not read it in each of them.
    init(_ row: inout RowReader, writing moment: Moment? = nil, of owner: String) throws {
        self.owner = owner
        row.write("owner", owner)
        id = try row.next("id", moment?.id)
        kind = try row.next("kind", moment?.kind)
        createdAt = try row.next("created_at", moment?.createdAt)
        happenedAt = try row.next("happened_at", moment?.happenedAt)
        category = try row.next("category", moment?.category)
        groupID = try row.next("group_id", moment?.groupID)
        tags = try row.nextTexts("tags", moment?.tags)
        mood = try row.next("mood", moment?.mood)
        title = try row.next("title", moment?.title)
        note = try row.next("note", moment?.note)
        reason = try row.next("reason", moment?.reason)
        interests = try row.nextTexts("interests", moment?.interests)
        intensity = try row.next("intensity", moment?.intensity)
        location = try row.next("location", moment?.location)
        voiceMilliseconds = try row.next("voice_ms", moment?.voiceMilliseconds)
        pictures = try row.nextTexts("pictures", moment?.pictures)
        voice = try row.next("voice", moment?.voice)
    }
}

extension RowReader {
    /// Of a hot list: not by the generic one.
    fileprivate mutating func next(_ name: StaticString, _ kind: Moment.Kind?) throws -> Moment.Kind {
        let text: String = try next(name, kind?.rawValue)
        return isNaming ? .mood : try Moment.Kind(column: text)
    }
}
