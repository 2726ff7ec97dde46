public import Foundation
import HTTPTypes

/// Questions about the caller's entries.
public enum AskEndpoints {
    public static let ask = Endpoint<AskInput, AskResponse>(
        .post, "/api/users/user/{userId}/ask", surface: .multimedia, body: .json(maxByteCount: 16_384))
    /// Uploads the photo or the recording that belongs to a question on the socket.
    public static let upload = CreationEndpoint<QueryUploadInput, QueryUploadResponse>(
        .post, "/query-upload/{queryId}", surface: .uploads, access: .signedInOrAnonymous, body: .multipart)
    /// The client sends `AskMessage`s. The server answers each with an `AskReply`.
    public static let socket = SocketEndpoint<AskSocketInput>("/ws/query/{userId}", surface: .captures)
}

public struct AskInput: Codable, Sendable {
    public var userId: String
    /// At most 1,000 characters.
    public var text: String
    /// The beginning of the time range: ISO 8601, or a day such as `2026-12-31`; inclusive.
    public var from: String?
    /// The end of the time range: ISO 8601, exclusive, or a day, which is included as a whole.
    public var to: String?
    /// Uses only entries of this kind, for example `memory`; `nil` for all kinds.
    public var kind: String?

    public init(userId: String, text: String, from: String? = nil, to: String? = nil, kind: String? = nil) {
        self.userId = userId
        self.text = text
        self.from = from
        self.to = to
        self.kind = kind
    }
}

public struct AskResponse: Codable, Sendable, Equatable {
    public var success: Bool
    /// One line for each quote: a sentence of a source, with the source's time. If the server found nothing, a single line says so.
    public var answer: String
    /// 0…1; 0 when the server found nothing.
    public var confidence: Double
    /// The entries that the answer uses, the best first.
    public var sources: [AskSource]
    public var contacts: [AskContact]
    /// `local`, `gemini` or `openai`.
    public var engine: String

    public init(answer: String, confidence: Double, sources: [AskSource], contacts: [AskContact], engine: String) {
        success = true
        self.answer = answer
        self.confidence = confidence
        self.sources = sources
        self.contacts = contacts
        self.engine = engine
    }
}

public struct AskSource: Codable, Sendable, Equatable {
    public var kind: String
    public var id: String
    /// Milliseconds since 1970.
    public var at: Int
    /// The sentence of the entry that answers the question.
    public var text: String
    /// Matching words in `text`: offset and length, in Unicode scalars.
    public var marks: [[Int]]

    public init(kind: String, id: String, at: Int, text: String, marks: [[Int]]) {
        self.kind = kind
        self.id = id
        self.at = at
        self.text = text
        self.marks = marks
    }
}

public struct AskContact: Codable, Sendable, Equatable {
    public var name: String
    @OrNull public var relationship: String?
    @OrNull public var faceImageURL: String?

    public init(name: String, relationship: String?, faceImageURL: String?) {
        self.name = name
        self.relationship = relationship
        self.faceImageURL = faceImageURL
    }
}

public struct QueryUploadInput: Codable, Sendable {
    /// 1…128 ASCII letters, digits, `.`, `_` or `-`, but not `.` or `..`.
    public var queryId: String

    public init(queryId: String) { self.queryId = queryId }
}

public struct QueryUploadResponse: Codable, Sendable, Equatable {
    /// `success`.
    public var status: String
    /// A signed URL, which loads without a credential until it expires.
    public var url: String
    public var queryId: String

    public init(url: String, queryId: String) {
        status = "success"
        self.url = url
        self.queryId = queryId
    }
}

public struct AskSocketInput: Codable, Sendable {
    public var userId: String

    public init(userId: String) { self.userId = userId }
}

/// A question on the socket.
public struct AskMessage: Codable, Sendable {
    public struct DateRange: Codable, Sendable {
        /// The beginning of the range: ISO 8601 or a day.
        public var start: String?
        /// The end of the range: ISO 8601, or a day, which is included as a whole.
        public var end: String?

        public init(start: String? = nil, end: String? = nil) {
            self.start = start
            self.end = end
        }
    }

    public var text: String?
    /// Accepted for clients that send it. The server never fetches it.
    public var imageURL: String?
    public var dateRange: DateRange?
    /// Whether the response contains a picture of each contact's face. Default: `true`.
    public var includeFaces: Bool?
    /// The most images in the response, 0…16; default 8.
    public var maxImages: Int?

    public init(
        text: String?, imageURL: String? = nil, dateRange: DateRange? = nil, includeFaces: Bool? = nil, maxImages: Int? = nil
    ) {
        self.text = text
        self.imageURL = imageURL
        self.dateRange = dateRange
        self.includeFaces = includeFaces
        self.maxImages = maxImages
    }
}

/// The server's answer to an `AskMessage`.
public enum AskReply: Encodable, Sendable {
    case response(Response)
    case clarification(message: String, options: [String])
    case error(code: String, detail: String)

    public struct Response: Codable, Sendable {
        public var queryId: String
        public var answer: String
        @OrNull public var audioURL: String?
        public var confidence: Double
        public var sources: [Source]
        public var relatedContacts: [AskContact]
        /// URLs of images; absent when there are none.
        public var attachedImages: [String]?
        @OrNull public var suggestedFollowUp: String?

        public init(
            queryId: String, answer: String, confidence: Double, sources: [Source], relatedContacts: [AskContact],
            attachedImages: [String]?, suggestedFollowUp: String?
        ) {
            self.queryId = queryId
            self.answer = answer
            audioURL = nil
            self.confidence = confidence
            self.sources = sources
            self.relatedContacts = relatedContacts
            self.attachedImages = attachedImages
            self.suggestedFollowUp = suggestedFollowUp
        }
    }

    public struct Source: Codable, Sendable {
        /// The id of the entry, which can be of any kind.
        public var captureId: String
        public var timestamp: Date
        public var summary: String
        public var kind: String
        /// A picture of the entry.
        @OrNull public var url: String?

        public init(captureId: String, timestamp: Date, summary: String, kind: String, url: String?) {
            self.captureId = captureId
            self.timestamp = timestamp
            self.summary = summary
            self.kind = kind
            self.url = url
        }
    }

    private enum CodingKeys: String, CodingKey { case type, ok, message, options, error, detail }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .response(let response):
            try container.encode("response", forKey: .type)
            try container.encode(true, forKey: .ok)
            try response.encode(to: encoder)
        case .clarification(let message, let options):
            try container.encode("clarification_needed", forKey: .type)
            try container.encode(true, forKey: .ok)
            try container.encode(message, forKey: .message)
            try container.encode(options, forKey: .options)
        case .error(let code, let detail):
            try container.encode("error", forKey: .type)
            try container.encode(false, forKey: .ok)
            try container.encode(code, forKey: .error)
            try container.encode(detail, forKey: .detail)
        }
    }
}
