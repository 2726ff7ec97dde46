import Hummingbird
package import KeepsakeWire

extension Routes {
    /// Serves a creation with a JSON body. Its handler returns the response that it stored with the rows it made.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        _ creation: CreationEndpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, WebContext) async throws -> Kept<Output>
    ) {
        let dialect = Dialect.of(creation.endpoint.surface)
        add(creation.endpoint, options: RouteOptions(creates: true)) { input, _, context in
            try dialect.response(try await handle(input, context))
        }
    }

    /// Serves a creation with a multipart/form-data body. The handler reads the parts as they arrive.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        upload creation: CreationEndpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, IncomingForm, WebContext) async throws -> Kept<Output>
    ) {
        let dialect = Dialect.of(creation.endpoint.surface)
        add(creation.endpoint, options: RouteOptions(creates: true)) { input, request, context in
            let form = try IncomingForm(request: request, context: context)
            return try dialect.response(try await handle(input, form, context))
        }
    }

    /// Serves a creation with a JSON body in which some members are files in base64. The handler reads it as it arrives.
    /// - Parameter members: the names of those members, in the top-level object.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        files members: Set<String>, _ creation: CreationEndpoint<Input, Output>,
        _ handle: @escaping @Sendable (IncomingJSON, WebContext) async throws -> Kept<Output>
    ) {
        let dialect = Dialect.of(creation.endpoint.surface)
        add(files: members, creation.endpoint, creates: true) { body, context in try dialect.response(try await handle(body, context)) }
    }
}

extension Dialect {
    /// Sends the stored bytes unchanged, so that every retry gets the same bytes.
    fileprivate func response<Output: Encodable>(_ kept: Kept<Output>) throws -> Response {
        try kept.text.map(Idempotency.response) ?? json(kept.output)
    }
}
