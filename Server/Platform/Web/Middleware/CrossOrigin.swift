import HTTPServer
import HTTPTypes
import Hummingbird

/// Lets pages of the allowed origins read responses (CORS, WHATWG Fetch §3.2). Other pages get responses without these fields, so their
/// browser does not let them read the content.
struct CrossOrigin {
    let origins: AllowedOrigins

    func add(to response: inout Response, _ request: Request) {
        // A cache must not give one origin's response to another.
        if response.headers.contains(.vary), let vary = response.headers[.vary] {
            response.headers[.vary] = "\(vary), Origin"
        } else {
            response.headers.add(Self.varyByOrigin)
        }
        guard let origin = request.headers[.origin], origins.allows(origin) else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlAllowCredentials] = "true"
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            response.headers[.accessControlAllowMethods] = response.headers[.allow]
            response.headers[.accessControlAllowHeaders] = Self.requestFields
            response.headers[.accessControlMaxAge] = "600"
        } else {
            response.headers[.accessControlExposeHeaders] = Self.responseFields
        }
    }

    private static let varyByOrigin = HTTPField(name: .vary, value: "Origin")

    /// Request fields that our clients send in addition to those that CORS always allows.
    private static let requestFields =
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, "
        + "Last-Event-ID, Range"
    /// Response fields that a page may read in addition to those that CORS always allows.
    private static let responseFields =
        "Accept-Ranges, Content-Disposition, Content-Range, ETag, Error-Code, Error-Field, Idempotency-Replayed, Retry-After, "
        + "WWW-Authenticate, X-Request-Id"
}

/// Adds the header fields that restrict what a browser may do with a response.
enum SecurityHeaders {
    static func add(to response: inout Response, _ context: WebContext) {
        for field in fields where !response.headers.contains(field.name) { response.headers.add(field) }
        if context.isSecure, !response.headers.contains(.strictTransportSecurity) { response.headers.add(secureOnly) }
    }

    // The fields are made once, because a field checks its value when it is made.
    private static let fields = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        // Signed links carry their signature in the query. The browser must not send them to other sites as `Referer`.
        HTTPField(name: .referrerPolicy, value: "no-referrer"),
        HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'"),
    ]
    /// Browsers must use https for two years (RFC 6797). Only responses over https contain this field.
    private static let secureOnly = HTTPField(name: .strictTransportSecurity, value: "max-age=63072000")
}

extension HTTPField.Name {
    static let referrerPolicy = Self("Referrer-Policy")!
}
