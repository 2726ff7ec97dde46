/// The one error a handler, a rule or a store throws on purpose. The route's dialect renders it; anything else
/// that is thrown becomes a 500 without detail, logged once.
package struct Problem: Error, Sendable, Equatable {
    /// What went wrong, by the HTTP status it answers with.
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
        case unavailable = 503
        case storageFull = 507
    }

    package var kind: Kind
    /// One sentence for the person who reads it: what exactly, which field or which file. Never a secret, never a path of ours.
    package var message: String
    /// The field of the request at fault, as the client spells it.
    package var field: String?
    /// Sent as `Retry-After`, rounded up to whole seconds.
    package var retryAfter: Duration?
    /// Sent as `Allow` with 405.
    package var allowed: [String]
    /// What programs tell this problem by, where the status alone does not say it; `nil` for the status's own.
    package var code: String?

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
}
