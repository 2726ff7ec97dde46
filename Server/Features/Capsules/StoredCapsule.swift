import Core
import Database
import KeepsakeWire
import Web

/// A row of `capsule`, without its transcript.
struct StoredCapsule: Sendable, Equatable {
    var id: String
    var owner: String
    var status: CapsuleStatus
    /// The length of the recording, in microseconds.
    var duration: Int64
    var byteCount: Int64
    var createdAt: Timestamp
    var updatedAt: Timestamp
    /// The media id of the recording; `nil` before it is uploaded, and after it was deleted through the library.
    var media: String?
    /// The hash of the last recording; `nil` before one is uploaded.
    var sha256: String?
    /// The peaks of the waveform, at most 200. Each is 0...255, where 255 is full scale.
    var waveform: [UInt8]?
    var language: String?
    /// The name of the transcription engine; `nil` before the capsule is completed.
    var engine: String?
    var summary: String?
    var topics: [String]
    /// How many bytes the transcript adds to a response.
    var transcriptSize: Int64
}

extension StoredCapsule {
    /// A new capsule without a recording.
    init(id: String, owner: String, duration: Int64, byteCount: Int64, createdAt: Timestamp, now: Timestamp) {
        self.init(
            id: id, owner: owner, status: .uploading, duration: duration, byteCount: byteCount, createdAt: createdAt, updatedAt: now,
            topics: [], transcriptSize: 0)
    }
}

extension StoredCapsule {
    /// Whether the capsule refuses another recording. If the owner deletes the recording through the library before `complete`, the capsule
    /// accepts one again.
    var hasRecording: Bool { media != nil || status != .uploading }

    /// The approximate length of the capsule's texts in a response, in bytes. The waveform, topics and summary take about 2 KB.
    var textByteCount: Int64 { 2_048 + transcriptSize }
}

extension StoredCapsule: TableRow {
    static let table = Table<StoredCapsule>("capsule")

    /// Identifies the capsule in a stored response, so that deleting the capsule also deletes that response.
    var resource: CreatedResource { CreatedResource(kind: CapsuleStore.kind, id: id) }

    init(_ row: inout RowReader, writing capsule: StoredCapsule?) throws {
        id = try row.next("id", capsule?.id)
        owner = try row.next("owner", capsule?.owner)
        status = try row.next("status", capsule?.status)
        duration = try row.next("duration_us", capsule?.duration)
        byteCount = try row.next("byte_count", capsule?.byteCount)
        createdAt = try row.next("created_at", capsule?.createdAt)
        updatedAt = try row.next("updated_at", capsule?.updatedAt)
        media = try row.next("media", capsule?.media)
        sha256 = try row.next("sha256", capsule?.sha256)
        waveform = try row.next("waveform", capsule?.waveform)
        language = try row.next("language", capsule?.language)
        engine = try row.next("engine", capsule?.engine)
        summary = try row.next("summary", capsule?.summary)
        topics = try row.nextTexts("topics", capsule?.topics)
        transcriptSize = try row.next("transcript_size", capsule?.transcriptSize)
    }
}

/// A capsule's transcript.
struct StoredTranscript: Sendable, Equatable {
    let text: String
    let words: [SpokenWord]
}
