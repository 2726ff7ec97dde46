import Core
import Database
import Web

/// A row of `moment`, with its tags and files: a mood, a memory or an event.
struct Moment: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        case mood, memory, event

        /// Does the same as `init(rawValue:)`, but faster, because that one searches a table of strings.
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
    /// When the moment was created, or the time that the client states instead.
    var createdAt: Timestamp
    /// The time by which the timeline sorts. For an event this is its date.
    var happenedAt: Timestamp
    var category: String
    var groupID: String?
    var tags: [String]
    /// Moods only.
    var mood: String?
    /// Memories and events only.
    var title: String?
    /// A mood's note; a memory's or an event's description.
    var note: String?
    /// Moods only.
    var reason: String?
    /// Moods only.
    var interests: [String] = []
    /// Moods only; 1...10.
    var intensity: Int?
    /// Memories and events only.
    var location: String?
    /// Duration of the voice note, in milliseconds.
    var voiceMilliseconds: Int64?
    /// The media ids of the pictures and videos, in the order in which the client sent them.
    var pictures: [String] = []
    /// The media id of the voice note.
    var voice: String?
    /// The media ids of all files of the moment.
    var media: [String] { pictures + [voice].compactMap { $0 } }
    /// The pictures, videos and voice note, in the order in which the client sent them; in a row of an earlier release the voice note is
    /// the last one. Use `knownFiles` instead: a node of the previous release changes `pictures` and `voice` only.
    var files: [File] = []

    struct File: Sendable, Equatable {
        var id: String
        /// The content type.
        var type: String
    }

    /// The sort key of the timeline.
    var timelineKey: TimeKey { TimeKey(at: happenedAt, id: id) }

    /// The approximate length of the moment's texts and links in a response, in bytes.
    var byteCount: Int64 {
        var count = 256 * (1 + pictures.count)
        for text in [mood, title, note, reason, location] { count += text?.utf8.count ?? 0 }
        for text in tags { count += text.utf8.count }
        for text in interests { count += text.utf8.count }
        return Int64(count)
    }

    /// The files with their types; `nil` when the types are not known.
    var knownFiles: [File]? { files.count == pictures.count + (voice == nil ? 0 : 1) ? files : nil }
}

extension Moment.File {
    /// The file in the form of the column `files`.
    private var text: String { id + " " + type }

    /// - Returns: `nil`, which is NULL in the database, for a moment without files.
    static func column(_ files: [Moment.File]) -> String? { files.isEmpty ? nil : TextList.encode(files.map(\.text)) }

    static func list(_ column: String?) throws -> [Moment.File] {
        guard let column else { return [] }
        return try TextList.decode(column).map { text in
            let parts = text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { throw DatabaseError.column("files") }
            return Moment.File(id: String(parts[0]), type: String(parts[1]))
        }
    }
}

extension Moment: TableRow {
    static let table = Table<Moment>("moment")

    /// Identifies the moment in a stored response, so that deleting the moment also deletes that response.
    var resource: CreatedResource { CreatedResource(kind: kind.rawValue, id: id) }

    init(_ row: inout RowReader, writing moment: Moment?) throws { try self.init(&row, writing: moment, of: moment?.owner ?? "") }

    /// - Parameter owner: the owner whose rows the query selected, so that the column need not be read in each row.
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
        files = try Moment.File.list(row.next("files", moment.flatMap { Moment.File.column($0.files) }))
    }
}

extension RowReader {
    /// Lists decode many rows, and this function for one type is faster than the generic one.
    fileprivate mutating func next(_ name: StaticString, _ kind: @autoclosure () -> Moment.Kind?) throws -> Moment.Kind {
        let text: String = try next(name, kind()?.rawValue)
        return isNaming ? .mood : try Moment.Kind(column: text)
    }
}
