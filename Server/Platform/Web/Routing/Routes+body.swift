import Core
import HTTPServer
import HTTPTypes
import Hummingbird
package import KeepsakeWire

extension Routes {
    /// Refuses a request by its path alone, for example because the caller has no such row.
    package typealias BodyCheck = @Sendable (_ parameters: [String: String], WebContext) async throws -> Void

    /// Serves an endpoint with a JSON body that may be large.
    /// - Parameter before: called before the server reads a body that is larger than 16 KiB, that has no announced length, or whose client
    ///   waits for `100 Continue`. For other bodies the handler makes the check, because they have often arrived with the head.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, before: @escaping BodyCheck,
        _ handle: @escaping @Sendable (Input, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(endpoint, options: RouteOptions(before: before)) { input, _, context in
            try dialect.json(try await handle(input, context))
        }
    }

    /// Serves an endpoint whose body is one file, not in a form.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        body endpoint: Endpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, IncomingFile, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(endpoint, options: RouteOptions(takesFile: true)) { input, request, context in
            try dialect.json(try await handle(input, IncomingFile(request: request, context: context), context))
        }
    }

    /// Serves an endpoint with a JSON body in which some members are files in base64. The handler reads it as it arrives.
    /// - Parameter members: the names of those members, in the top-level object.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        files members: Set<String>, _ endpoint: Endpoint<Input, Output>,
        _ handle: @escaping @Sendable (IncomingJSON, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(files: members, endpoint, creates: false) { body, context in try dialect.json(try await handle(body, context)) }
    }

    func add<Input: Codable & Sendable, Output: Sendable>(
        files members: Set<String>, _ endpoint: Endpoint<Input, Output>, creates: Bool,
        _ respond: @escaping @Sendable (IncomingJSON, WebContext) async throws -> Response
    ) {
        guard case .jsonWithFiles(let limit) = endpoint.body else { preconditionFailure("\(endpoint.path) has another body") }
        add(endpoint, options: RouteOptions(files: members, creates: creates)) { parameters, _ in
            parameters
        } respond: { parameters, request, context in
            let body = IncomingJSON(
                request: request, context: context, members: members, parameters: parameters, surface: endpoint.surface,
                maxByteCount: limit)
            return try await respond(body, context)
        }
    }

    /// Reads and drops the body of a request whose route takes none, before the handler runs. Otherwise the body would stay in memory for as
    /// long as the handler waits, for example during a long poll, and over HTTP/2 it could stop the other streams of its connection.
    /// - Throws: `.tooLarge` when the body has more than 16 KiB.
    static func dropBody(of request: Request, _ context: WebContext) async throws {
        guard mayHaveBody(request, context) else { return }
        _ = try await collect(request, context, upTo: unusedByteCount, called: "This request takes no body; the one it has")
    }

    /// Whether the request may have a body. Over HTTP/1.1 its head says so; over HTTP/2 a body needs no announcement.
    private static func mayHaveBody(_ request: Request, _ context: WebContext) -> Bool {
        if let declared = request.headers[.contentLength] { return declared != "0" }
        if request.headers.contains(.transferEncoding) { return true }
        return context.connection?.isHTTP2 == true && ClientPresence.current?.isRequestWhole == false
    }

    /// The largest body, in bytes, that a request may have although its route takes none: some clients add a short one to every request.
    private static let unusedByteCount = 16_384
}
