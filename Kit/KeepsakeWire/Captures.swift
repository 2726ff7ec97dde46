public import Foundation
import HTTPTypes

/// Surface 3: captures. A capture is a moment that an app records as it happens, with a photo, a recording, or words.
public enum CaptureEndpoints {
    public static let upload = CreationEndpoint<CaptureUploadInput, CaptureUploadResponse>(
        .post, "/upload/{captureId}", surface: .uploads, access: .signedInOrAnonymous, body: .multipart)
    /// The client sends captures; the server acknowledges them, and sends the results of their processing.
    public static let socket = SocketEndpoint<CaptureSocketInput>("/ws/ios/{userId}", surface: .captures)
    /// A file of a capture, at the link that the response to its upload contained.
    public static let file = Endpoint<CaptureFileInput, FileContent>(
        .get, "/raw-media/{userId}/memories/{captureId}/{name}", surface: .captures, access: .signedInOrLink)

    public static let list = Endpoint<ListCapturesInput, ItemPage<Capture>>(.get, "/captures", surface: .captures)
    public static let read = Endpoint<ItemPath, Capture>(.get, "/captures/{id}", surface: .captures)
    public static let correct = Endpoint<CorrectCaptureInput, Capture>(
        .patch, "/captures/{id}", surface: .captures, body: .json(maxByteCount: 524_288))
    public static let delete = Endpoint<ItemPath, Empty>(.delete, "/captures/{id}", surface: .captures)
    public static let deleteSpan = Endpoint<CaptureSpanInput, DeletedCaptures>(.delete, "/captures", surface: .captures)
}

public struct CaptureUploadInput: Codable, Sendable {
    /// 1…128 ASCII letters, digits, `.`, `_` or `-`, but not `.` or `..`.
    public var captureId: String

    public init(captureId: String) { self.captureId = captureId }
}

public struct CaptureUploadResponse: Codable, Sendable, Equatable {
    /// `success`.
    public var status: String
    /// A signed URL, which loads without a credential until it expires.
    public var url: String
    public var captureId: String

    public init(url: String, captureId: String) {
        status = "success"
        self.url = url
        self.captureId = captureId
    }
}

public struct CaptureSocketInput: Codable, Sendable {
    public var userId: String
    /// The number of the last event that the client has seen. The server first sends the events after it. If it is `nil`, the server sends
    /// only future events.
    public var since: Int64?

    public init(userId: String, since: Int64? = nil) {
        self.userId = userId
        self.since = since
    }
}

public struct CaptureFileInput: Codable, Sendable {
    public var userId: String
    public var captureId: String
    /// `photo` or `audio`, with any file extension.
    public var name: String
    /// The size of a smaller copy of a photo, as in `FileInput`. If all of these members are `nil`, the response is the original.
    public var w: Int?
    public var h: Int?
    public var fit: String?
    public var format: String?
    public var q: Int?

    public init(
        userId: String, captureId: String, name: String, w: Int? = nil, h: Int? = nil, fit: String? = nil, format: String? = nil,
        q: Int? = nil
    ) {
        self.userId = userId
        self.captureId = captureId
        self.name = name
        self.w = w
        self.h = h
        self.fit = fit
        self.format = format
        self.q = q
    }
}

public struct ItemPath: Codable, Sendable {
    public var id: String

    public init(id: String) { self.id = id }
}

/// A page of a list in the format of surface 3.
public struct ItemPage<Item: Codable & Sendable>: Codable, Sendable {
    public var items: [Item]
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}

extension ItemPage: Equatable where Item: Equatable {}

public struct ListCapturesInput: Codable, Sendable {
    public var cursor: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// Lists only captures of this day in the user's time zone, for example `2026-12-31`.
    public var date: String?
    /// Lists only captures that mention the known contact with this id.
    public var contact: String?

    public init(cursor: String? = nil, limit: Int? = nil, date: String? = nil, contact: String? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.date = date
        self.contact = contact
    }
}

public struct CorrectCaptureInput: Codable, Sendable {
    public var id: String
    /// At most 100,000 characters; `null` removes the transcription.
    public var transcription: Change<String>

    public init(id: String, transcription: Change<String>) {
        self.id = id
        self.transcription = transcription
    }
}

public struct CaptureSpanInput: Codable, Sendable {
    /// The beginning of the range: a day or ISO 8601; inclusive.
    public var from: String?
    /// The end of the range: ISO 8601, exclusive, or a day, which is included as a whole.
    public var to: String?

    public init(from: String?, to: String?) {
        self.from = from
        self.to = to
    }
}

public struct DeletedCaptures: Codable, Sendable, Equatable {
    public var deleted: Int

    public init(deleted: Int) { self.deleted = deleted }
}

public struct CaptureStatus: WireWord {
    public static let received = CaptureStatus(rawValue: "received")
    public static let processing = CaptureStatus(rawValue: "processing")
    public static let processed = CaptureStatus(rawValue: "processed")
    /// The server could not analyse the capture.
    public static let failed = CaptureStatus(rawValue: "failed")
    public static let allCases: [CaptureStatus] = [.received, .processing, .processed, .failed]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct Capture: Codable, Sendable, Equatable {
    public var id: String
    public var timestamp: Date
    @OrNull public var photoURL: String?
    @OrNull public var audioURL: String?
    @OrNull public var transcription: String?
    /// `client` if the client sent the transcription, `user` after a correction, otherwise the engine that transcribed the recording.
    @OrNull public var transcriptionEngine: String?
    public var processed: Bool
    public var status: CaptureStatus
    @OrNull public var analysis: CaptureAnalysisData?
    @OrNull public var error: String?
    public var createdAt: Date

    public init(
        id: String, timestamp: Date, photoURL: String?, audioURL: String?, transcription: String?, transcriptionEngine: String?,
        status: CaptureStatus, analysis: CaptureAnalysisData?, error: String?, createdAt: Date
    ) {
        self.id = id
        self.timestamp = timestamp
        self.photoURL = photoURL
        self.audioURL = audioURL
        self.transcription = transcription
        self.transcriptionEngine = transcriptionEngine
        processed = status == .processed
        self.status = status
        self.analysis = analysis
        self.error = error
        self.createdAt = createdAt
    }
}

public struct CaptureAnalysisData: Codable, Sendable, Equatable {
    public struct Face: Codable, Sendable, Equatable {
        public var description: String
        @OrNull public var possibleName: String?
        /// 0…1.
        public var confidence: Double

        public init(description: String, possibleName: String?, confidence: Double) {
            self.description = description
            self.possibleName = possibleName
            self.confidence = confidence
        }
    }

    @OrNull public var imageSummary: String?
    public var themes: [String]
    @OrNull public var mood: String?
    @OrNull public var location: String?
    public var detectedFaces: [Face]
    public var mentionedNames: [String]
    /// A sentence of the transcription or of the picture's text.
    @OrNull public var keyMoment: String?
    /// The text that can be read in the picture.
    @OrNull public var imageText: String?
    /// Why a different engine than the configured one made this analysis.
    @OrNull public var error: String?
    /// `local`, `gemini` or `openai`.
    public var engine: String

    public init(
        imageSummary: String?, themes: [String], mood: String?, location: String?, detectedFaces: [Face], mentionedNames: [String],
        keyMoment: String?, imageText: String?, error: String?, engine: String
    ) {
        self.imageSummary = imageSummary
        self.themes = themes
        self.mood = mood
        self.location = location
        self.detectedFaces = detectedFaces
        self.mentionedNames = mentionedNames
        self.keyMoment = keyMoment
        self.imageText = imageText
        self.error = error
        self.engine = engine
    }
}
