public import Foundation
import HTTPTypes

/// `/v0/capsules`: surface 4, with JSON keys in snake_case. A capsule is a voice recording and, later, its transcript.
public enum CapsuleEndpoints {
    public static let create = CreationEndpoint<CreateCapsuleInput, CapsuleUpload>(
        .post, "/v0/capsules", surface: .capsules, body: .json(maxByteCount: 16_384))
    /// Takes a multipart form with `audio` and, optionally, `capsule_id`.
    public static let uploadAudio = CreationEndpoint<CapsulePath, CapsuleUpload>(
        .post, "/v0/capsules/{id}/audio", surface: .capsules, body: .multipart)
    /// The target of `upload_url`. The body is the audio. The link's signature authorizes the request, so it needs no credential.
    public static let putAudio = Endpoint<PutAudioInput, Empty>(.put, "/v0/capsules/{id}/upload", surface: .capsules, access: .anyone)
    public static let complete = Endpoint<CompleteCapsuleInput, Capsule>(
        .post, "/v0/capsules/{id}/complete", surface: .capsules, body: .json(maxByteCount: 16_384))
    public static let list = Endpoint<ListCapsulesInput, CapsuleList>(.get, "/v0/capsules", surface: .capsules)
    public static let get = Endpoint<CapsulePath, Capsule>(.get, "/v0/capsules/{id}", surface: .capsules)
    public static let delete = Endpoint<CapsulePath, Empty>(.delete, "/v0/capsules/{id}", surface: .capsules)
    public static let transcription = Endpoint<CapsulePath, CapsuleTranscription>(
        .get, "/v0/capsules/{id}/transcription", surface: .capsules)
}

// MARK: Requests

public struct CreateCapsuleInput: Codable, Sendable {
    /// Seconds, greater than 0, at most one week. Once the audio was uploaded, the server uses the measured duration instead.
    public var duration: Double
    /// Bytes, 1…209,715,200. Once the audio was uploaded, the server uses the measured size instead.
    public var fileSize: Int64
    /// ISO 8601; by default the current time.
    public var createdAt: String?

    public init(duration: Double, fileSize: Int64, createdAt: String? = nil) {
        self.duration = duration
        self.fileSize = fileSize
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case duration
        case fileSize = "file_size"
        case createdAt = "created_at"
    }
}

public struct CapsulePath: Codable, Sendable {
    public var id: String

    public init(id: String) { self.id = id }
}

/// The query of `upload_url`.
public struct PutAudioInput: Codable, Sendable {
    public var id: String
    public var owner: String?
    public var expires: String?
    public var signature: String?
}

public struct CompleteCapsuleInput: Codable, Sendable {
    public var id: String
    /// `processing` or `nil`.
    public var status: String?

    public init(id: String, status: String? = nil) {
        self.id = id
        self.status = status
    }
}

public struct ListCapsulesInput: Codable, Sendable {
    /// 1…100, default 20.
    public var limit: Int?
    /// `next_cursor` of the previous page.
    public var cursor: String?

    public init(limit: Int? = nil, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }
}

// MARK: Responses

/// The status of a capsule. It only moves forward, in this order.
public struct CapsuleStatus: WireWord {
    /// The server waits for the audio or, once it has the audio, for `complete`.
    public static let uploading = CapsuleStatus(rawValue: "uploading")
    public static let processing = CapsuleStatus(rawValue: "processing")
    public static let transcribing = CapsuleStatus(rawValue: "transcribing")
    public static let completed = CapsuleStatus(rawValue: "completed")
    /// The transcription failed; the audio is still available.
    public static let failed = CapsuleStatus(rawValue: "failed")
    public static let allCases: [CapsuleStatus] = [.uploading, .processing, .transcribing, .completed, .failed]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct Capsule: Codable, Sendable, Equatable {
    public var id: String
    public var userId: String
    /// An absolute, signed URL.
    public var audioURL: String?
    public var transcription: String?
    /// Seconds; the client's value at first, the measured duration once the audio was uploaded.
    public var duration: Double
    /// Bytes; the client's value at first, the measured size once the audio was uploaded.
    public var fileSize: Int64
    public var createdAt: Date
    public var updatedAt: Date
    public var status: CapsuleStatus
    /// `nil` until the server has processed the capsule.
    public var metadata: CapsuleMetadata?

    public init(
        id: String, userId: String, audioURL: String?, transcription: String?, duration: Double, fileSize: Int64, createdAt: Date,
        updatedAt: Date, status: CapsuleStatus, metadata: CapsuleMetadata?
    ) {
        self.id = id
        self.userId = userId
        self.audioURL = audioURL
        self.transcription = transcription
        self.duration = duration
        self.fileSize = fileSize
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.status = status
        self.metadata = metadata
    }

    enum CodingKeys: String, CodingKey {
        case id
        case userId = "user_id"
        case audioURL = "audio_url"
        case transcription, duration
        case fileSize = "file_size"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case status, metadata
    }

    // The coding is written by hand for two reasons. The existing app's decoder needs dates with six fractional digits, so capsules have
    // such dates on every surface, even in the timeline. And synthesized code omits `nil`, but the API document shows every key: unknown
    // values are `null`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        userId = try container.decode(String.self, forKey: .userId)
        audioURL = try container.decodeIfPresent(String.self, forKey: .audioURL)
        transcription = try container.decodeIfPresent(String.self, forKey: .transcription)
        duration = try container.decode(Double.self, forKey: .duration)
        fileSize = try container.decode(Int64.self, forKey: .fileSize)
        createdAt = try container.date(.createdAt)
        updatedAt = try container.date(.updatedAt)
        status = try container.decode(CapsuleStatus.self, forKey: .status)
        metadata = try container.decodeIfPresent(CapsuleMetadata.self, forKey: .metadata)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(userId, forKey: .userId)
        try container.encode(audioURL, forKey: .audioURL)
        try container.encode(transcription, forKey: .transcription)
        try container.encode(duration, forKey: .duration)
        try container.encode(fileSize, forKey: .fileSize)
        try container.encode(WireDate.format(createdAt, .microseconds), forKey: .createdAt)
        try container.encode(WireDate.format(updatedAt, .microseconds), forKey: .updatedAt)
        try container.encode(status, forKey: .status)
        try container.encode(metadata, forKey: .metadata)
    }
}

extension KeyedDecodingContainer<Capsule.CodingKeys> {
    fileprivate func date(_ key: Capsule.CodingKeys) throws -> Date {
        guard let date = WireDate.parse(try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not an ISO 8601 date")
        }
        return date
    }
}

/// The results of processing a recording.
public struct CapsuleMetadata: Codable, Sendable, Equatable {
    /// At most 200 peaks, each from 0 to 1 (full scale).
    public var waveform: [Double]
    /// The engine's name for the language, for example `en`.
    @OrNull public var language: String?
    public var words: [SpokenWord]
    /// Always empty for now, because no engine detects emotions in a voice.
    public var emotions: [String]
    /// Significant words of the transcript.
    public var topics: [String]
    /// Significant sentences of the transcript.
    @OrNull public var summary: String?
    /// The engine that transcribed it: `openai`, `pocketsphinx`, or `off`.
    public var engine: String

    public init(
        waveform: [Double], language: String?, words: [SpokenWord], emotions: [String] = [], topics: [String], summary: String?,
        engine: String
    ) {
        self.waveform = waveform
        self.language = language
        self.words = words
        self.emotions = emotions
        self.topics = topics
        self.summary = summary
        self.engine = engine
    }
}

public struct SpokenWord: Codable, Sendable, Equatable {
    public var text: String
    /// Seconds from the beginning.
    public var start: Double
    /// Seconds from the beginning.
    public var end: Double
    /// 0…1; `nil` when the engine does not report it.
    @OrNull public var confidence: Double?

    public init(text: String, start: Double, end: Double, confidence: Double?) {
        self.text = text
        self.start = start
        self.end = end
        self.confidence = confidence
    }
}

public struct CapsuleUpload: Codable, Sendable, Equatable {
    public var capsule: Capsule
    /// The URL to which the client sends the audio with PUT, without a credential, within an hour. `nil` once the audio was uploaded.
    @OrNull public var uploadURL: String?

    public init(capsule: Capsule, uploadURL: String?) {
        self.capsule = capsule
        self.uploadURL = uploadURL
    }

    enum CodingKeys: String, CodingKey {
        case capsule
        case uploadURL = "upload_url"
    }
}

public struct CapsuleList: Codable, Sendable, Equatable {
    /// The capsules, newest first.
    public var capsules: [Capsule]
    @OrNull public var nextCursor: String?

    public init(capsules: [Capsule], nextCursor: String?) {
        self.capsules = capsules
        self.nextCursor = nextCursor
    }

    enum CodingKeys: String, CodingKey {
        case capsules
        case nextCursor = "next_cursor"
    }
}

public struct CapsuleTranscription: Codable, Sendable, Equatable {
    public var capsuleId: String
    public var status: CapsuleStatus
    @OrNull public var transcription: String?
    @OrNull public var language: String?
    @OrNull public var engine: String?
    public var words: [SpokenWord]

    public init(
        capsuleId: String, status: CapsuleStatus, transcription: String?, language: String?, engine: String?, words: [SpokenWord]
    ) {
        self.capsuleId = capsuleId
        self.status = status
        self.transcription = transcription
        self.language = language
        self.engine = engine
        self.words = words
    }

    enum CodingKeys: String, CodingKey {
        case capsuleId = "capsule_id"
        case status, transcription, language, engine, words
    }
}
