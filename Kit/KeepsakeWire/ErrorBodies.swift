/// Surface 0: `{"error": <short>, "details": <what is wrong, and with which field or file>, "code": <HTTP status>}`.
public struct MultimediaErrorBody: Codable, Sendable, Equatable {
    public let error: String
    public let details: String
    public let code: Int

    public init(error: String, details: String, code: Int) {
        self.error = error
        self.details = details
        self.code = code
    }
}

/// Surfaces 1 and 2: `{"message": <text for people>}`.
public struct MessageErrorBody: Codable, Sendable, Equatable {
    public let message: String

    public init(message: String) { self.message = message }
}

/// The uploads of surface 3: `{"status": "error", "error": "upload failed: <text for people>"}`.
public struct UploadErrorBody: Codable, Sendable, Equatable {
    public let status: String
    public let error: String

    public init(details: String) {
        status = "error"
        error = "upload failed: \(details)"
    }
}

/// Surface 4 and the routes of no documented surface: `{"error": <code>, "message": <text>}`.
public struct CodedErrorBody: Codable, Sendable, Equatable {
    public let error: String
    public let message: String

    public init(error: String, message: String) {
        self.error = error
        self.message = message
    }
}
