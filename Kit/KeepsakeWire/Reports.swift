import HTTPTypes

/// Reports about other people and what they have created: surface 1, with JSON keys in camelCase. `AdminEndpoints` has the endpoints that
/// list and resolve reports.
public enum ReportEndpoints {
    public static let report = CreationEndpoint<ReportInput, ReportResponse>(
        .post, "/report", surface: .coves, body: .json(maxByteCount: 16_384))
}

public struct ReportKind: WireWord {
    public static let user = ReportKind(rawValue: "user")
    public static let cove = ReportKind(rawValue: "cove")
    public static let event = ReportKind(rawValue: "event")
    public static let photo = ReportKind(rawValue: "photo")
    public static let allCases: [ReportKind] = [.user, .cove, .event, .photo]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct ReportInput: Codable, Sendable {
    public var kind: ReportKind
    /// The id of the person, the cove, the event or the photo; 1…128 characters.
    public var id: String
    /// 1…1,000 characters.
    public var reason: String

    public init(kind: ReportKind, id: String, reason: String) {
        self.kind = kind
        self.id = id
        self.reason = reason
    }
}

public struct ReportResponse: Codable, Sendable, Equatable {
    public var message: String

    public init(message: String) { self.message = message }
}
