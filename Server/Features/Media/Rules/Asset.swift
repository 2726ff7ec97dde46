import Blobs
import Core
import Database
import Web

/// One row of `media`: a file of the library.
struct Asset: Sendable, Equatable {
    var id: String
    var owner: String
    var blob: BlobKey
    var name: String
    var type: String
    var sha256: String
    var byteCount: Int64
    /// Pixels, after EXIF rotation; `nil` for audio, and for rows older than this column.
    var width: Int?
    /// Pixels, after EXIF rotation; `nil` in the same cases as `width`.
    var height: Int?
    var durationMilliseconds: Int64?
    /// When the file was taken: the time in its metadata, by the camera's clock, or the time that the owner set.
    var takenAt: Timestamp?
    var category: String
    var title: String?
    var description: String?
    var tags: [String]
    var groupID: String?
    var createdAt: Timestamp

    /// The category of a file that belongs to another feature's entry and is in none of the library's lists. Nobody can choose it: an empty
    /// category in a request becomes `general`.
    static let unlisted = ""

    var isListed: Bool { category != Self.unlisted }

    /// When the file was taken or, if that is not known, when it was stored.
    var moment: Timestamp { takenAt ?? createdAt }

    /// The approximate length of its texts and its link in a response, in bytes: at most 36 KB.
    var textByteCount: Int64 {
        let texts: [String?] = [name, category, title, description, groupID] + tags
        return texts.reduce(1_024) { $0 + Int64($1?.utf8.count ?? 0) }
    }
}

extension Asset: TableRow {
    static let table = Table<Asset>("media")

    /// Names the asset in a stored response, so that deleting the asset also deletes that response.
    var resource: CreatedResource { CreatedResource(kind: Self.kind, id: id) }

    init(_ row: inout RowReader, writing asset: Asset?) throws {
        id = try row.next("id", asset?.id)
        owner = try row.next("owner", asset?.owner)
        blob = try row.next("blob", asset?.blob)
        name = try row.next("name", asset?.name)
        type = try row.next("type", asset?.type)
        sha256 = try row.next("sha256", asset?.sha256)
        byteCount = try row.next("byte_count", asset?.byteCount)
        width = try row.next("width", asset?.width)
        height = try row.next("height", asset?.height)
        durationMilliseconds = try row.next("duration_ms", asset?.durationMilliseconds)
        takenAt = try row.next("taken_at", asset?.takenAt)
        category = try row.next("category", asset?.category)
        title = try row.next("title", asset?.title)
        description = try row.next("description", asset?.description)
        tags = try row.nextTexts("tags", asset?.tags)
        groupID = try row.next("group_id", asset?.groupID)
        createdAt = try row.next("created_at", asset?.createdAt)
    }
}
