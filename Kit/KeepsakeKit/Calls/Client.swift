import Foundation
import HTTPTypes
import KeepsakeWire

/// Sends calls: adds credentials, retries, and decodes responses and errors.
final class Client: Sendable {
    let base: URL
    let session: Session
    let transport: any Transport
    let clock: KeepsakeClock
    let randomness: KeepsakeRandomness
    let retries: RetryPolicy

    init(
        base: URL, session: Session, transport: any Transport, clock: KeepsakeClock, randomness: KeepsakeRandomness, retries: RetryPolicy
    ) {
        self.base = base
        self.session = session
        self.transport = transport
        self.clock = clock
        self.randomness = randomness
        self.retries = retries
    }

    /// What one call needs besides its endpoint and input.
    struct Options: Sendable {
        var key: String?
        var progress: ProgressReport?
        /// Receives the fraction instead of `progress` when the call is one of several that make up a longer operation.
        var partProgress: TransportProgress?
        var deadline: Duration?
        /// The session that the call belongs to. By default, the one that is current when the call starts.
        var sessionID: String?
        /// The time limit of one attempt; by default the time left until the deadline.
        var attemptTimeout: Duration?
        /// Whether to repeat the call after a failure that may be temporary. By default, only if its method or its key makes a repeat safe.
        var repeats: Bool?
        /// A file that the JSON body contains in base64.
        var embedded: EmbeddedFile?
    }

    /// - Parameter input: makes the input. It gets the account id of the user who is signed in, or an empty string if nobody is signed in
    ///   and the endpoint does not need it.
    func send<Input: Sendable, Output: Decodable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, _ options: Options = Options(), form: MultipartForm? = nil,
        input: @Sendable (String) throws -> Input
    ) async throws -> Output {
        let route = Route(endpoint)
        return try route.decode(try await response(route, options, form: form) { try RequestParts(route, try input($0)) })
    }

    func send<Input: Sendable, Output: Decodable & Sendable>(
        _ creation: CreationEndpoint<Input, Output>, _ options: Options = Options(), form: MultipartForm? = nil,
        input: @Sendable (String) throws -> Input
    ) async throws -> Output {
        var options = options
        if options.key == nil { options.key = randomness.id() }
        return try await send(creation.endpoint, options, form: form, input: input)
    }

    func download<Input: Sendable>(
        _ endpoint: Endpoint<Input, FileContent>, to file: URL, _ options: Options = Options(), input: @Sendable (String) throws -> Input
    ) async throws {
        let route = Route(endpoint)
        try await download(route, to: file, options) { try RequestParts(route, try input($0)) }
    }

    func download(_ route: Route, to file: URL, _ options: Options, parts: @Sendable (String) throws -> RequestParts) async throws {
        var options = options
        options.deadline = options.deadline ?? retries.fileDeadline
        _ = try await response(route, options, file: file, parts: parts)
    }

    /// - Parameter parts: makes the parts of the request. It gets the same text as `input` of `send`.
    func response(
        _ route: Route, _ options: Options, form: MultipartForm? = nil, file: URL? = nil, parts: @Sendable (String) throws -> RequestParts
    ) async throws -> TransportResponse {
        var credential: Credential?
        if route.needsSignIn { credential = try await session.credential(for: options.sessionID, through: self) }
        let parts = try parts(credential?.userID ?? "")
        var request = HTTPRequest(
            method: route.method, scheme: base.scheme ?? "https", authority: base.authority, path: base.pathPrefix + parts.path)
        request.headerFields[.accept] = "application/json, */*;q=0.5"
        if let key = options.key { request.headerFields[.idempotencyKey] = key }
        var body = RequestBody.none
        var composed: URL?
        defer { if let composed { try? FileManager.default.removeItem(at: composed) } }
        if let form {
            let url = FileManager.default.temporaryDirectory.appending(path: "keepsake-\(UUID().uuidString).form")
            composed = url
            // All attempts use the same boundary, because they must send the same bytes.
            let boundary = "keepsake-\(randomness.id())"
            try form.compose(in: url, boundary: boundary)
            request.headerFields[.contentType] = "multipart/form-data; boundary=\(boundary)"
            body = .file(url)
        } else if let embedded = options.embedded, let json = parts.json {
            let url = FileManager.default.temporaryDirectory.appending(path: "keepsake-\(UUID().uuidString).json")
            composed = url
            try embedded.compose(in: url, with: json)
            request.headerFields[.contentType] = "application/json"
            body = .file(url)
        } else if let json = parts.json {
            request.headerFields[.contentType] = "application/json"
            body = .data(json)
        }
        let mayRepeat = options.repeats ?? (route.method.isSafe || options.key != nil)
        let usual = composed == nil ? retries.deadline : retries.fileDeadline
        return try await attempts(
            request, body, file, credential, options, mayRepeat: mayRepeat, surface: route.surface,
            deadline: clock.uptime() + (options.deadline ?? usual))
    }

    /// Sends a composed request until it succeeds, fails for good, or the deadline passes.
    func attempts(
        _ request: HTTPRequest, _ body: RequestBody, _ file: URL?, _ first: Credential?, _ options: Options, mayRepeat: Bool,
        surface: Surface, deadline: Duration
    ) async throws -> TransportResponse {
        var credential = first
        var hasRenewed = false
        var attempt = 0
        // Number of responses that said that the server is still processing an earlier attempt.
        var waits = 0
        while true {
            attempt += 1
            let failure: KeepsakeError
            switch await one(request, body, file, credential, options, left: deadline - clock.uptime()) {
            case .success(let response) where 200..<300 ~= response.head.status.code:
                await options.progress?.finish()
                return response
            case .success(let response):
                if response.head.status == .unauthorized, let used = credential, !hasRenewed {
                    hasRenewed = true
                    credential = try await session.renewed(after: used, through: self)
                    continue
                }
                failure = KeepsakeError(response.head, body: response.body, surface: surface)
            case .failure(let error as KeepsakeError): failure = error
            case .failure(let error): throw error
            }
            // A server that is still at work has not failed. Only the deadline ends these waits, unless the policy allows one attempt.
            if failure.isInProgress { waits += 1 }
            let isLeft = failure.isInProgress ? retries.maxAttempts > 1 : attempt - waits < retries.maxAttempts
            guard mayRepeat, failure.isRetryable, isLeft else { throw failure }
            let wait = retries.wait(afterAttempt: attempt, retryAfter: failure.retryAfter, randomness)
            guard clock.uptime() + wait < deadline else { throw failure }
            do { try await clock.sleep(wait) } catch { throw KeepsakeError(transport: error) }
            // During the wait, the token may have expired or the session may have ended.
            if let used = credential { credential = try await session.credential(for: used.sessionID, through: self) }
        }
    }

    private func one(
        _ request: HTTPRequest, _ body: RequestBody, _ file: URL?, _ credential: Credential?, _ options: Options, left: Duration
    ) async -> Result<TransportResponse, any Error> {
        var request = request
        // If the user signs out between two steps of the call, the call must fail.
        if let credential {
            guard await session.isCurrent(credential) else {
                return .failure(Self.sessionChanged)
            }
            request.headerFields[.authorization] = "Bearer \(credential.accessToken)"
        }
        let timeout = min(left, options.attemptTimeout ?? left)
        let progress = options.partProgress ?? options.progress?.report
        do {
            let response =
                if let file {
                    try await transport.download(request, to: file, timeout: timeout, progress: progress)
                } else {
                    try await transport.send(request, body: body, timeout: timeout, progress: progress)
                }
            await session.observe(response.head)
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}

extension Route {
    /// - Throws: `.invalidResponse`
    func decode<Output: Decodable>(_ response: TransportResponse) throws -> Output {
        if let empty = Empty() as? Output, response.body.isEmpty { return empty }
        do {
            return try surface.makeDecoder().decode(Output.self, from: response.body)
        } catch {
            throw KeepsakeError(
                .invalidResponse, "The response to \(path) has another form: \(error)", status: response.head.status.code,
                requestID: response.head.headerFields[.xRequestID])
        }
    }
}

extension HTTPField.Name {
    static let xRequestID = Self("X-Request-ID")!
    static let idempotencyKey = Self("Idempotency-Key")!
}

extension HTTPRequest.Method {
    /// Whether a request with this method can be repeated without harm. That is so for the safe methods (RFC 9110 §9.2.1), and for PUT,
    /// which has the same effect when it is repeated (§9.2.2). It is not so for the API's PATCH: a repeat could undo a later change by
    /// another device.
    var isSafe: Bool { [.get, .head, .options, .put].contains(self) }
}

extension URL {
    var authority: String {
        let host = host(percentEncoded: true) ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// The path without a slash at its end; empty for a server at the root.
    var pathPrefix: String {
        let path = path(percentEncoded: true)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

extension Client {
    /// Ends a session that this client has already dropped. The request is sent once, with that session's own token.
    func endOnServer(_ session: StoredSession) async throws {
        let endpoint = AccountEndpoints.signOut
        var request = HTTPRequest(
            method: endpoint.method, scheme: base.scheme ?? "https", authority: base.authority, path: base.pathPrefix + endpoint.path)
        request.headerFields[.authorization] = "Bearer \(session.accessToken)"
        _ = try await transport.send(request, body: .none, timeout: .seconds(10), progress: nil)
    }
}
