import Blobs
import Core
import Database
import Web

/// One asset as the store knows it.
struct Asset: Sendable, Equatable {
    var id: String
    var owner: String
    var blob: BlobKey
    var name: String
    var type: String
    var sha256: String
    var byteCount: Int64
    /// Pixels, upright; `nil` for a sound, and for what was kept before it was measured.
    var width: Int?
    /// Pixels, upright.
    var height: Int?
    var durationMilliseconds: Int64?
    /// By the camera's clock.
    var takenAt: Timestamp?
    var category: String
    var title: String?
    var description: String?
    var tags: [String]
    var groupID: String?
    var createdAt: Timestamp
}

extension Asset {
    /// As stored answers name it.
    var resource: CreatedResource { CreatedResource(kind: Self.kind, id: id) }

    static let columns: SQL = """
        media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height,
        media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at
        """

    init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("owner")
        blob = try row.get("blob")
        name = try row.get("name")
        type = try row.get("type")
        sha256 = try row.get("sha256")
        byteCount = try row.get("byte_count")
        width = try row.get("width")
        height = try row.get("height")
        durationMilliseconds = try row.get("duration_ms")
        takenAt = try row.get("taken_at")
        category = try row.get("category")
        title = try row.get("title")
        description = try row.get("description")
        tags = try TextList.decode(row.get("tags"))
        groupID = try row.get("group_id")
        createdAt = try row.get("created_at")
    }
}
