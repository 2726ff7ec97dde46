import Blobs
import Core
import Database

/// A stored copy of a picture or video: a smaller one, or one without metadata.
struct MediaVariant: Sendable, Equatable {
    let blob: BlobKey
    let type: String
    let sha256: String
    let byteCount: Int64
    let createdAt: Timestamp
}

extension MediaVariant: TableRow {
    static let table = Table<MediaVariant>("media_variant")

    init(_ row: inout RowReader, writing variant: MediaVariant?) throws {
        blob = try row.next("blob", variant?.blob)
        type = try row.next("type", variant?.type)
        sha256 = try row.next("sha256", variant?.sha256)
        byteCount = try row.next("byte_count", variant?.byteCount)
        createdAt = try row.next("created_at", variant?.createdAt)
    }
}
