import HTTPTypes
import Hummingbird

/// Lets pages of the listed origins read answers (CORS, WHATWG Fetch §3.2). Others get theirs without these fields, and their browser
/// keeps it from them.
struct CrossOrigin: RouterMiddleware {
    typealias Context = WebContext
    let origins: AllowedOrigins

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        guard response.status != .switchingProtocols else { return response }
        // Whoever caches must not give one origin's answer to another.
        if response.headers.contains(.vary), let vary = response.headers[.vary] {
            response.headers[.vary] = "\(vary), Origin"
        } else {
            response.headers.append(HTTPField(name: .vary, value: "Origin"))
        }
        guard let origin = request.headers[.origin], origins.allows(origin) else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlAllowCredentials] = "true"
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            response.headers[.accessControlAllowMethods] = response.headers[.allow]
            response.headers[.accessControlAllowHeaders] = Self.requestFields
            response.headers[.accessControlMaxAge] = "600"
        } else {
            response.headers[.accessControlExposeHeaders] = Self.responseFields
        }
        return response
    }

    /// What our clients send beyond what is always allowed.
    private static let requestFields =
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, Range"
    /// What a page may want to read beyond what it always may.
    private static let responseFields =
        "Accept-Ranges, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Retry-After, WWW-Authenticate, X-Request-Id"
}

/// What every answer tells a browser about what it must not do with it.
struct SecurityHeaders: RouterMiddleware {
    typealias Context = WebContext

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        var response = try await next(request, context)
        guard response.status != .switchingProtocols else { return response }
        func set(_ name: HTTPField.Name, _ value: String) {
            if !response.headers.contains(name) { response.headers.append(HTTPField(name: name, value: value)) }
        }
        set(.xContentTypeOptions, "nosniff")
        // Links are signed in their query: no other site is to learn them.
        set(.referrerPolicy, "no-referrer")
        set(.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
        // Two years (RFC 6797), once it has come over https.
        if context.isSecure { set(.strictTransportSecurity, "max-age=63072000") }
        return response
    }
}

extension HTTPField.Name {
    static let referrerPolicy = Self("Referrer-Policy")!
}
