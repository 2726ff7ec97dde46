/// The error that handlers, rules and stores throw on purpose. The route's dialect renders it. The server logs any other error once and
/// answers 500 without detail.
package struct Problem: Error, Sendable, Equatable {
    /// The HTTP status of the response.
    package enum Kind: Int, Sendable, CaseIterable {
        case invalid = 400
        case unauthenticated = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case timeout = 408
        case conflict = 409
        case gone = 410
        case preconditionFailed = 412
        case tooLarge = 413
        case uriTooLong = 414
        case rangeNotSatisfiable = 416
        case unprocessable = 422
        case upgradeRequired = 426
        case tooManyRequests = 429
        case headersTooLarge = 431
        case fault = 500
        case badGateway = 502
        case unavailable = 503
        case storageFull = 507
    }

    package var kind: Kind
    /// One sentence for the person who reads it: what is wrong, and with which field or file. Never a secret, never a path on the server.
    package var message: String
    /// The request's field that is wrong, as the client spells it.
    package var field: String?
    /// Sent as `Retry-After`, rounded up to whole seconds.
    package var retryAfter: Duration?
    /// Sent as `Allow` with 405.
    package var allowed: [String]
    /// The file's length in bytes, sent in `Content-Range` with 416.
    package var fileByteCount: Int64?
    /// The error code that programs read, where the status alone is not specific enough; `nil` for the status's default code.
    package var code: String?
    /// What is wrong with each file, if the request had several.
    package var files: [File] = []

    /// A file of a request, and what is wrong with it.
    package struct File: Sendable, Equatable {
        /// The file's place among the files of the request, 0….
        package let index: Int
        /// As the client sent it.
        package let name: String?
        package let problem: Problem

        package init(index: Int, name: String?, problem: Problem) {
            self.index = index
            self.name = name
            self.problem = problem
        }
    }

    package init(
        _ kind: Kind, _ message: String, field: String? = nil, retryAfter: Duration? = nil, allowed: [String] = [],
        code: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.field = field
        self.retryAfter = retryAfter
        self.allowed = allowed
        self.code = code
    }

    package var status: Int { kind.rawValue }

    /// The code of a problem when the account's quota is exceeded. Other problems with status 413 are about the size of one file or
    /// request.
    package static let quotaExceededCode = "quota_exceeded"
}

/// The text for logs and checks.
extension Problem: CustomStringConvertible {
    package var description: String { message }
}
