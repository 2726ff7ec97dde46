import Core
import Database
import KeepsakeWire
import Web

/// A capsule as the store knows it, without what was said in it.
struct StoredCapsule: Sendable, Equatable {
    var id: String
    var owner: String
    var status: CapsuleStatus
    /// Microseconds.
    var duration: Int64
    var byteCount: Int64
    var createdAt: Timestamp
    var updatedAt: Timestamp
    /// The library's id of its sound; `nil` before it is there, and after it was taken away through the library.
    var media: String?
    /// Of its sound; `nil` before it is there.
    var sha256: String?
    /// 200 peaks at most, 0...255 of full scale.
    var waveform: [UInt8]?
    var language: String?
    /// Set once it is completed.
    var engine: String?
    var summary: String?
    var topics: [String]
    /// Bytes that what was said adds to an answer.
    var transcriptSize: Int64
}

extension StoredCapsule {
    /// One that was just made.
    init(id: String, owner: String, duration: Int64, byteCount: Int64, createdAt: Timestamp, now: Timestamp) {
        self.init(
            id: id, owner: owner, status: .uploading, duration: duration, byteCount: byteCount, createdAt: createdAt, updatedAt: now,
            topics: [], transcriptSize: 0)
    }

    /// As stored answers name it.
    var resource: CreatedResource { CreatedResource(kind: CapsuleStore.kind, id: id) }

    static let columns: SQL = """
        capsule.id, capsule.owner, capsule.status, capsule.duration_us, capsule.byte_count, capsule.created_at, capsule.updated_at,
        capsule.media, capsule.sha256, capsule.waveform, capsule.language, capsule.engine, capsule.summary, capsule.topics,
        capsule.transcript_size
        """

    init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("owner")
        guard let status = CapsuleStatus(rawValue: try row.get("status")) else { throw DatabaseError.column("status") }
        self.status = status
        duration = try row.get("duration_us")
        byteCount = try row.get("byte_count")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
        media = try row.get("media")
        sha256 = try row.get("sha256")
        waveform = try row.get("waveform")
        language = try row.get("language")
        engine = try row.get("engine")
        summary = try row.get("summary")
        topics = try TextList.decode(row.get("topics"))
        transcriptSize = try row.get("transcript_size")
    }
}

/// What was said in a capsule.
struct StoredTranscript: Sendable, Equatable {
    let text: String
    let words: [SpokenWord]
}
