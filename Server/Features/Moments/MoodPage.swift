import Core
import Database
import KeepsakeWire
import Web
import WireJSON

/// A page of moods, the list that clients request most often. Its JSON is that of `MoodListResponse`, but it is written row by row while
/// the rows are read: building a Swift value for each row would cost more than reading the row and writing its JSON.
struct MoodPage: JSONSource, Sendable {
    let rows: [MoodRow]
    let pagination: Pagination

    func write(to json: inout JSONWriter) {
        json.field("success", true)
        json.field("moods", rows.map(\.json))
        json.field("pagination", pagination)
    }
}

/// One mood of a page as JSON, and its sort key in the list.
struct MoodRow: Sendable {
    let key: TimeKey
    let json: JSONFragment

    var byteCount: Int64 { Int64(json.byteCount) }

    /// The columns that `init` reads, in the order of the fields of `MoodData`.
    static let columns: SQL = """
        moment.id, moment.mood, moment.note, moment.voice, moment.voice_ms, moment.reason, moment.tags, moment.interests,
        moment.intensity, moment.created_at, moment.pictures, moment.category, moment.group_id, moment.files
        """

    /// Renders the same JSON as `MomentPresenter.mood`; a test compares the two.
    /// - Throws: `DatabaseError.column` when a column holds a value of another type.
    init(_ row: inout RowReader, _ links: LinkSeries) throws {
        var id = ""
        var createdAt = Timestamp(microseconds: 0)
        json = try JSONFragment(expecting: 1_024) { json in
            id = try row.next("id")
            json.field("id", id)
            if try !row.withText("mood", { json.field("mood", utf8: $0) }) { json.field("mood", "") }
            _ = try row.withText("note") { json.field("note", utf8: $0) }
            var fileCount = 0
            let hasVoice = try row.withText("voice") { voice in links.withLink(voice) { json.field("voiceNote", utf8: $0) } }
            let milliseconds: Int64? = try row.next("voice_ms")
            if hasVoice {
                fileCount += 1
                json.field("voiceNoteDuration", milliseconds.map { Double($0) / 1_000 })
            }
            _ = try row.withText("reason") { json.field("reason", utf8: $0) }
            for column: StaticString in ["tags", "interests"] {
                guard try row.withText(column, { try Self.write($0, as: column, to: &json) }) else {
                    throw DatabaseError.column("\(column)")
                }
            }
            json.field("moodIntensity", try row.next("intensity") as Int?)
            createdAt = try row.next("created_at")
            json.field("createdAt", Int(createdAt.milliseconds))
            guard try row.withText("pictures", { fileCount += try Self.writeLinks($0, links, to: &json) }) else {
                throw DatabaseError.column("pictures")
            }
            if try !row.withText("category", { json.field("category", utf8: $0) }) { throw DatabaseError.column("category") }
            _ = try row.withText("group_id") { json.field("groupId", utf8: $0) }
            if try !row.withText("files", { try Self.writeFiles($0, count: fileCount, to: &json) }), fileCount == 0 {
                json.field("files", [EntryFile]())
            }
        }
        key = TimeKey(at: createdAt, id: id)
    }

    /// - Parameter list: a list of texts as `TextList` encodes it, which is JSON.
    private static func write(_ list: UnsafeBufferPointer<UInt8>, as key: StaticString, to json: inout JSONWriter) throws {
        if TextList.forEachPlain(list, { _ in }) { json.field(key, json: list) } else { json.field(key, try TextList.decode(list)) }
    }

    /// - Parameter list: media ids, as `TextList` encodes them.
    /// - Returns: the number of ids.
    private static func writeLinks(_ list: UnsafeBufferPointer<UInt8>, _ links: LinkSeries, to json: inout JSONWriter) throws -> Int {
        var count = 0
        let isPlain = json.field("imageUrls") { json in
            TextList.forEachPlain(list) { name in
                count += 1
                // A link consists only of characters that are valid in a URL, so it needs no escaping.
                links.withLink(name) { json.element(unescaped: $0) }
            }
        }
        guard !isPlain else { return count }
        let names = try TextList.decode(list)
        json.field("imageUrls", names.map(links.link))
        return names.count
    }

    /// Writes nothing when the number of files in the list is not `count`; `Moment.files` explains when that is so.
    /// - Parameter list: ids and types, as `Moment.File.column` encodes them.
    private static func writeFiles(_ list: UnsafeBufferPointer<UInt8>, count: Int, to json: inout JSONWriter) throws {
        try json.field("files") { json in
            var left = count
            // Ids and types consist only of characters that need no escaping, so this list is always plain.
            let isPlain = TextList.forEachPlain(list) { file in
                guard let space = file.firstIndex(of: UInt8(ascii: " ")) else { return }
                left -= 1
                json.element { json in
                    json.field("id", utf8: UnsafeBufferPointer(rebasing: file[..<space]))
                    json.field("type", utf8: UnsafeBufferPointer(rebasing: file[(space + 1)...]))
                }
            }
            guard isPlain else { throw DatabaseError.column("files") }
            return left == 0
        }
    }
}
