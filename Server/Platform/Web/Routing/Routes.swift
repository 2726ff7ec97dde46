import Blobs
import Core
import Database
import Foundation
import HTTPTypes
package import Hummingbird
package import KeepsakeWire
import NIOCore
import Synchronization
package import WireJSON

/// Registers the features' endpoints. Each request goes through the same steps: authenticate, decode, handle, encode.
package final class Routes {
    package let router: Router<WebContext>
    private let pathMethods: PathMethods
    private let authenticator: any Authenticator
    private let links: SignedLinks
    private let idempotency: Idempotency
    let limiter: RateLimiter?
    private let allowsAnonymous: Bool
    let sockets: OpenSockets
    let origins: AllowedOrigins
    private var methods: [String: Set<HTTPRequest.Method>] = [:]
    private var surfaces: [String: Surface] = [:]
    /// Every route of the API, in the order of registration.
    package private(set) var served: [ServedRoute] = []

    /// - Parameters:
    ///   - limiter: `nil` counts nothing.
    ///   - allowsAnonymous: whether a request without a credential is taken to come from the `{userId}` in its path. For development.
    package init(
        router: Router<WebContext>, methods: PathMethods, authenticator: any Authenticator, links: SignedLinks, idempotency: Idempotency,
        limiter: RateLimiter?, sockets: OpenSockets, origins: AllowedOrigins, allowsAnonymous: Bool
    ) {
        self.allowsAnonymous = allowsAnonymous
        self.sockets = sockets
        self.origins = origins
        self.idempotency = idempotency
        self.limiter = limiter
        self.router = router
        pathMethods = methods
        self.authenticator = authenticator
        self.links = links
    }

    /// Serves `endpoint` with the handler's value, as JSON in the endpoint's dialect.
    /// - Parameter cacheControl: for the few responses that are the same for everybody and rarely change; by default nothing is cached.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, cacheControl: String? = nil,
        _ handle: @escaping @Sendable (Input, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(endpoint) { input, _, context in
            var response = try dialect.json(try await handle(input, context))
            if let cacheControl { response.headers[.cacheControl] = cacheControl }
            return response
        }
    }

    /// Serves `endpoint` with the handler's value, or, when that is `nil`, with a 404 that has a body of its own.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable, Missing: Encodable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, missing: Missing, _ handle: @escaping @Sendable (Input, WebContext) async throws -> Output?
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(endpoint) { input, _, context in
            guard let output = try await handle(input, context) else { return try dialect.json(missing, status: .notFound) }
            return try dialect.json(output)
        }
    }

    /// Serves `endpoint` with a value that writes its own JSON.
    package func serve<Input: Codable & Sendable, Output: JSONWritable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, _ handle: @escaping @Sendable (Input, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        let length = AnswerLength()
        add(endpoint) { input, _, context in try dialect.written(try await handle(input, context), length) }
    }

    /// Serves `endpoint` with a value that writes the JSON of the endpoint's output but has a type of its own.
    package func serve<Input: Codable & Sendable, Output: Sendable, Written: JSONSource & Sendable>(
        _ endpoint: Endpoint<Input, Output>, written handle: @escaping @Sendable (Input, WebContext) async throws -> Written
    ) {
        let dialect = Dialect.of(endpoint.surface)
        let length = AnswerLength()
        add(endpoint) { input, _, context in try dialect.written(try await handle(input, context), length) }
    }

    /// Serves an endpoint with a file's bytes. Handles ranges, validators and HEAD.
    package func serve<Input: Codable & Sendable>(
        file endpoint: Endpoint<Input, FileContent>, _ handle: @escaping @Sendable (Input, WebContext) async throws -> ServedFile
    ) {
        add(endpoint) { input, request, context in
            let file = try await handle(input, context)
            return try await file.response(to: request, context)
        }
    }

    /// Serves a route for programs that operate the server. No dialect applies to it. The handler runs on an event loop: it must not block,
    /// and must not compute for a long time.
    /// - Parameter anyName: whether to accept any `Host`; otherwise it must be a name of this server.
    package func serveRaw(
        _ method: HTTPRequest.Method, _ path: String, anyName: Bool = false,
        _ handle: @escaping @Sendable (Request, WebContext) async throws -> Response
    ) {
        hang(method, path, isDescribed: true, anyName: anyName, handle)
    }

    /// Serves a page for people. It is not part of the API, so the description omits it. The handler runs on an event loop, like that of
    /// `serveRaw`.
    package func servePage(_ path: String, _ handle: @escaping @Sendable (Request, WebContext) async throws -> Response) {
        hang(.get, path, isDescribed: false, anyName: false, handle)
    }

    private func hang(
        _ method: HTTPRequest.Method, _ path: String, isDescribed: Bool, anyName: Bool,
        _ handle: @escaping @Sendable (Request, WebContext) async throws -> Response
    ) {
        let origins = origins
        let routerPath = RouterPath(path)
        // A route for GET also serves HEAD (RFC 9110 §9.1).
        for method in method == .get ? [method, .head] : [method] {
            remember(ServedRoute(raw: method, path, anyName: anyName), isDescribed: isDescribed)
            router.on(routerPath, method: method) { request, context in
                if !anyName { try context.requireOurName(request, origins) }
                let response = try await Requester.$source.withValue(context.record) { try await handle(request, context) }
                return method == .head ? response.createHeadResponse() : response
            }
        }
    }

    /// Call it once, after all features have added their endpoints: other methods on known paths then get 405.
    package func finish() {
        pathMethods.set(methods.map { path, known in (RouterPath(path), known.map(\.rawValue).sorted(), surfaces[path]) })
    }

    private func remember(_ route: ServedRoute, isDescribed: Bool = true) {
        if isDescribed { served.append(route) }
        methods[route.path, default: []].insert(route.method)
        surfaces[route.path] = route.surface
    }

    func add<Input: Codable & Sendable, Output: Sendable>(
        _ endpoint: Endpoint<Input, Output>, options: RouteOptions = RouteOptions(),
        _ respond: @escaping @Sendable (Input, Request, WebContext) async throws -> Response
    ) {
        add(endpoint, options: options) { parameters, json in
            try InputDecoder.decode(Input.self, parameters: parameters, json: json, surface: endpoint.surface)
        } respond: { input, request, context in
            try await respond(input, request, context)
        }
    }

    /// - Parameter decode: makes the handler's input from the path, the query and a JSON body, before a creation claims its key.
    func add<Input: Codable & Sendable, Output: Sendable, Decoded>(
        _ endpoint: Endpoint<Input, Output>, options: RouteOptions,
        decode: @escaping @Sendable (_ parameters: [String: String], ByteBuffer?) throws -> Decoded,
        respond: @escaping @Sendable (Decoded, Request, WebContext) async throws -> Response
    ) {
        let (idempotency, limiter, authenticator, watch) = (idempotency, limiter, authenticator, sockets.watch)
        let authentication = Authentication(
            authenticator: authenticator, links: links, origins: origins, allowsAnonymous: allowsAnonymous)
        let answer: @Sendable (Request, QueryItems, WebContext, Authentication.Credential) async throws -> Response = {
            request, query, context, credential in
            var context = context
            context.limiter = limiter
            context.fields = request.headers
            if endpoint.rate == .signIn { context.device = DeviceCookie.value(in: request.headers, isSecure: context.isSecure) }
            try await authentication.authenticate(request, &context, credential, endpoint.rate)
            context.session = context.viewer.map { SessionCheck([$0], watch, every: WebContext.sessionCheckPause) }
            try await context.count(endpoint.rate)
            let parameters = try Self.parameters(query, context, endpoint)
            if let before = options.before, Self.isLarge(request) { try await before(parameters, context) }
            if case .none = endpoint.body, !options.takesFile, !options.isSocket { try await Self.dropBody(of: request, context) }
            var json = try await Self.json(request, context, endpoint)
            try await context.requireLiveSession()
            let input = try decode(parameters, json)
            guard options.creates else {
                // Otherwise the bytes that the client sent stay in memory until the handler returns.
                json = nil
                guard endpoint.method == .get else { return try await respond(input, request, context) }
                return try await context.shorteningPage { try await respond(input, request, context) }
            }
            return try await idempotency.run(request, json, endpoint, &context) { try await respond(input, request, $0) }
        }
        var known: [HTTPRequest.Method] = [endpoint.method]
        if endpoint.method == .get, !options.isSocket { known.append(.head) }
        let routerPath = RouterPath(endpoint.path)
        for method in known {
            remember(ServedRoute(endpoint, method, options))
            router.on(routerPath, method: method) { request, context in
                context.record.update { $0.surface = endpoint.surface }
                // This runs on the event loop, so a request that is refused here never waits for a thread.
                if options.isSocket { _ = try WebSocketHandshake.check(request.headers, canUpgrade: context.upgrade != nil) }
                let query = try QueryItems(of: request)
                let credential = try authentication.credential(
                    of: request, query, context, endpoint.access, queryToken: options.isSocket)
                var response = try await context.onThreads {
                    // Bind the record once: it gets the account when the credential is checked.
                    try await Requester.$source.withValue(context.record) {
                        do {
                            return try await answer(request, query, context, credential)
                        } catch DatabaseError.foreignKeyViolation {
                            throw try await Self.foreignKeyError(context, authenticator)
                        }
                    }
                }
                let fields = context.record.fields
                if !fields.isEmpty { response.headers.append(contentsOf: fields) }
                return method == .head ? response.createHeadResponse() : response
            }
        }
    }

    /// The error to report when a row refers to another that does not exist. Rows refer to their account, which may have been deleted
    /// during the request.
    private static func foreignKeyError(_ context: WebContext, _ authenticator: any Authenticator) async throws -> any Error {
        guard let account = context.record.requester.account, try await !authenticator.isOpen(account) else {
            return DatabaseError.foreignKeyViolation
        }
        return Problem.accountGone
    }

    private static func parameters<Input, Output>(
        _ query: QueryItems, _ context: WebContext, _ endpoint: Endpoint<Input, Output>
    ) throws -> [String: String] {
        var parameters: [String: String] = [:]
        if case .none = endpoint.body {
            // In a GET request, an empty parameter counts as absent, because many clients send parameters that they do not use, as
            // `from=&to=`. In other requests it counts: a deletion without the parameter could delete more.
            for (name, value) in query where endpoint.method != .get || !value.isEmpty {
                let name = String(name)
                if parameters[name] == nil { parameters[name] = value }
            }
        }
        for (name, value) in context.parameters {
            guard let text = value.percentDecoded else { throw Problem(.notFound, "There is nothing here.") }
            parameters[String(name)] = text
        }
        // The path may contain another name of the caller's account. Handlers see only the id. A `userId` in the query is not the caller's:
        // it names the account that the request is about.
        if context.parameters.get("userId") != nil, let viewer = context.viewer { parameters["userId"] = viewer.accountID }
        guard !parameters.values.contains(where: { $0.utf8.contains(0) }) else {
            throw Problem(.invalid, "The address contains a NUL character.")
        }
        return parameters
    }

    /// The body, if it is JSON without files; otherwise the handler reads it.
    private static func json<Input, Output>(
        _ request: Request, _ context: WebContext, _ endpoint: Endpoint<Input, Output>
    ) async throws -> ByteBuffer? {
        guard case .json(let limit) = endpoint.body else { return nil }
        try requireNoForm(request)
        let body = try await collect(request, context, upTo: limit)
        try requireNoFields(request, body)
        return body
    }

    /// Refuses a multipart form before its body is read. Otherwise a client that wants to send files would get an error about JSON or about
    /// the size.
    private static func requireNoForm(_ request: Request) throws {
        guard request.headers[.contentType]?.lowercased().hasPrefix("multipart/") == true else { return }
        throw Problem(.invalid, "The body must be JSON; this request takes no form and no files.", field: "Content-Type")
    }

    /// Refuses a URL-encoded form. curl states this type for a JSON body, too, unless it is told another one, so only a body that is a form
    /// is refused.
    private static func requireNoFields(_ request: Request, _ body: ByteBuffer) throws {
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
            let first = body.readableBytesView.first, isName(first)
        else { return }
        throw Problem(
            .invalid, "The body is a URL-encoded form; send a JSON object, with Content-Type: application/json.", field: "Content-Type")
    }

    private static func isName(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }

    /// Reads a body into memory.
    /// - Parameter name: what the error for a body above the limit calls the body.
    static func collect(
        _ request: Request, _ context: WebContext, upTo limit: Int, called name: String = "The body"
    ) async throws -> ByteBuffer {
        let tooLarge = Problem(.tooLarge, "\(name) is larger than \(SizeText.limit(limit)).")
        if let declared = request.headers[.contentLength].flatMap(Int.init), declared > limit { throw tooLarge }
        let held = try context.bodies?.beginJSON(of: context.requester)
        var isHeld = false
        defer { if !isHeld { held?.end() } }
        try await context.continueIfExpected(request)
        let body = try await context.withoutSlot {
            var body = ByteBuffer()
            var counted = 0
            for try await chunk in request.body {
                let length = body.readableBytes + chunk.readableBytes
                guard length <= limit else { throw tooLarge }
                if length > counted {
                    // Count the memory that the buffer occupies.
                    let capacity = length.bufferCapacity
                    try held?.hold(capacity - counted)
                    counted = capacity
                }
                body.writeImmutableBuffer(chunk)
            }
            return body
        }
        // The handler holds the values of a long body while it waits for the database or for its turn.
        if body.readableBytes > largeByteCount {
            // This counts the decoded values. The bytes that the client sent are released once they are decoded.
            try held?.hold(body.readableBytes)
            isHeld = true
            context.record.update { $0.body = held }
        }
        return body
    }

    /// Whether reading the body costs so much more than the check `before` that the check should run first.
    private static func isLarge(_ request: Request) -> Bool {
        guard !request.headers.contains(.expect), let declared = request.headers[.contentLength].flatMap(Int.init) else { return true }
        return declared > largeByteCount
    }

    /// Bytes. A body of at most this size has often arrived with the head, so that reading it costs little.
    private static let largeByteCount = 16_384
}

extension StringProtocol {
    /// The text without percent-encoding; `nil` when a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    var percentDecoded: String? {
        // Foundation converts to UTF-16 and back, even when there is nothing to decode, so do not call it then.
        utf8.contains(UInt8(ascii: "%")) ? removingPercentEncoding : String(self)
    }
}

extension String {
    /// The token of `Bearer <token>`. The scheme may have any case (RFC 9110 §11.1).
    var bearerToken: String? {
        let letters = utf8
        guard let space = letters.prefix(8).firstIndex(of: UInt8(ascii: " ")), self[..<space].lowercased() == "bearer",
            let start = letters[space...].firstIndex(where: { $0 != UInt8(ascii: " ") })
        else { return nil }
        return String(self[start...])
    }
}
