/// An error of surface 0: `{"error": <short>, "details": <what is wrong, and with which field or file>, "code": <HTTP status>}`.
public struct MultimediaErrorBody: Codable, Sendable, Equatable {
    public let error: String
    public let details: String
    public let code: Int
    /// The errors of the files of an upload, if it had several files and the server refused all of them.
    public let refused: [RefusedFile]?

    public init(error: String, details: String, code: Int, refused: [RefusedFile]? = nil) {
        self.error = error
        self.details = details
        self.code = code
        self.refused = refused
    }
}

/// An error of surfaces 1 and 2: `{"message": <text for people>}`.
public struct MessageErrorBody: Codable, Sendable, Equatable {
    public let message: String

    public init(message: String) { self.message = message }
}

/// An error of the uploads of surface 3: `{"status": "error", "error": "upload failed: <text for people>"}`.
public struct UploadErrorBody: Codable, Sendable, Equatable {
    public let status: String
    public let error: String

    public init(details: String) {
        status = "error"
        error = "upload failed: \(details)"
    }
}

/// Response headers of errors. They are headers because the API documents fix the format of the bodies.
public enum ErrorField {
    /// Names the member, parameter or header of the request that is wrong, as the client spells it.
    public static let headerName = "Error-Field"
    /// Contains the error's code if the status alone is not specific enough, for example `quota_exceeded`.
    public static let codeHeaderName = "Error-Code"
}

/// An error of surface 4 and of routes that belong to no surface: `{"error": <code>, "message": <text>}`.
public struct CodedErrorBody: Codable, Sendable, Equatable {
    public let error: String
    public let message: String

    public init(error: String, message: String) {
        self.error = error
        self.message = message
    }
}

/// The meaning of a status, as a title and as a code.
package enum StatusTitle {
    /// The titles of the statuses that the server uses, and of those that only a proxy uses. The table is needed because HTTPTypes has no
    /// reason phrase for a status that it knows only as a number, and neither HTTP/2 nor URLSession transmits the server's phrase.
    /// - Returns: `nil` for other statuses.
    package static func of(_ status: Int) -> String? {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Payload Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Entity"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        case 511: "Network Authentication Required"
        default: nil
        }
    }

    /// Converts a title to a code: `Not Found` becomes `not_found`.
    package static func code(_ title: String) -> String { title.lowercased().replacing(" ", with: "_") }
}
