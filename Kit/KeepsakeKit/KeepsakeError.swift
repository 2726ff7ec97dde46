public import Foundation
public import HTTPTypes
public import KeepsakeWire

/// The only error type that this library's calls throw, except for errors of the file system.
public struct KeepsakeError: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
    /// A code for programs: one of the server's, such as `not_found`, or one of this library's.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// The server could not be reached, or the connection broke.
        public static let network = Code(rawValue: "network")
        /// The call's deadline passed.
        public static let timeout = Code(rawValue: "timeout")
        public static let cancelled = Code(rawValue: "cancelled")
        /// Nobody is signed in.
        public static let signedOut = Code(rawValue: "signed_out")
        /// Another sign-in or a sign-out happened during the call. The call was not sent, or its response was dropped.
        public static let sessionChanged = Code(rawValue: "session_changed")
        /// The token store cannot be read or written now, for example because the device is locked. Nobody was signed out.
        public static let storeUnavailable = Code(rawValue: "store_unavailable")
        /// The response does not have the format that the API describes.
        public static let invalidResponse = Code(rawValue: "invalid_response")
        /// The input cannot be sent.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// The transport does not support what the call needs, for example WebSockets.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The server could not store a capture now.
        public static let failedToSave = Code(rawValue: "failed_to_save")
        /// Another capture has the id, or a deleted capture had it.
        public static let idInUse = Code(rawValue: "id_in_use")
        /// The account's quota is used up, or what is left is too small. With other codes, status 413 means that one file or request is too
        /// large.
        public static let quotaExceeded = Code(rawValue: "quota_exceeded")
        /// No model answered a chat message, although the stream of its answer had begun. The server has stored the message.
        public static let answerFailed = Code(rawValue: "answer_failed")
    }

    public var code: Code
    /// The message for people; `code` is for programs.
    public var message: String
    /// The input's field that the server refused, if the server names one.
    public var field: String?
    /// The HTTP status; `nil` when there was no response.
    public var status: Int?
    /// The server's `X-Request-ID`, which also appears in the server's log.
    public var requestID: String?
    /// How long the server asked to wait.
    public var retryAfter: Duration?
    /// The errors of the single files of an upload, if it had several files and the server refused all of them.
    public var refused: [RefusedFile]?

    public init(
        _ code: Code, _ message: String, field: String? = nil, status: Int? = nil, requestID: String? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.status = status
        self.requestID = requestID
        self.retryAfter = retryAfter
    }

    /// Whether the same call may succeed later although the user changes nothing. This is so after a lost connection or a timeout, for the
    /// statuses 408, 425, 429, 500, 502, 503 and 504, and for 409 with `retryAfter`.
    public var isRetryable: Bool {
        if isInProgress { return true }
        if let status { return [408, 425, 429, 500, 502, 503, 504].contains(status) }
        return [.network, .timeout, .storeUnavailable, .failedToSave, .answerFailed].contains(code)
    }

    /// Whether the server is still working: on an earlier request with the same key, or on the conversion of a film.
    var isInProgress: Bool { status == 409 && retryAfter != nil }

    public var errorDescription: String? { message }

    public var description: String {
        ([code.rawValue, status.map { "status \($0)" }, requestID.map { "request \($0)" }].compactMap { $0 } + [message])
            .joined(separator: ", ")
    }
}

extension KeepsakeError {
    /// Decodes an error response in the format of its surface. If a proxy responds with HTML, the message is the status's reason phrase.
    public init(_ response: HTTPResponse, body: Data, surface: Surface) {
        let status = response.status
        let fields = try? JSONDecoder().decode(ErrorFields.self, from: body)
        let title = StatusTitle.of(status.code)
        let (code, message): (String?, String?) =
            switch surface {
            case .multimedia: (fields?.error.map(StatusTitle.code), fields?.details ?? fields?.error)
            case .coves, .chat: (nil, fields?.message)
            case .uploads: (nil, fields?.error.map { $0.hasPrefix(Self.uploadPrefix) ? String($0.dropFirst(Self.uploadPrefix.count)) : $0 })
            case .captures, .capsules: (fields?.error, fields?.message ?? fields?.detail)
            }
        let special = HTTPField.Name(ErrorField.codeHeaderName).flatMap { response.headerFields[$0] }
        self.init(
            Code(rawValue: special ?? code ?? title.map(StatusTitle.code) ?? "status_\(status.code)"),
            message ?? title ?? "The server responded with status \(status.code).",
            field: HTTPField.Name(ErrorField.headerName).flatMap { response.headerFields[$0] }, status: status.code,
            requestID: HTTPField.Name("X-Request-ID").flatMap { response.headerFields[$0] },
            retryAfter: response.headerFields[.retryAfter].flatMap { Int64($0) }.map { .seconds(max(0, min($0, 86_400))) })
        refused = fields?.refused
    }

    private static let uploadPrefix = "upload failed: "

    private struct ErrorFields: Decodable {
        var error: String?
        var details: String?
        var detail: String?
        var message: String?
        var refused: [RefusedFile]?
    }

    init(transport error: any Error) {
        if let error = error as? KeepsakeError {
            self = error
        } else if error is CancellationError || (error as? URLError)?.code == .cancelled {
            self.init(.cancelled, "The call was cancelled.")
        } else if (error as? URLError)?.code == .timedOut {
            self.init(.timeout, "The server did not respond in time.")
        } else {
            self.init(.network, "The server could not be reached: \(error.localizedDescription)")
        }
    }
}
