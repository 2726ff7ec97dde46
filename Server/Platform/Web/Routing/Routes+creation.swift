import Hummingbird
package import KeepsakeWire

extension Routes {
    /// Answers a creation that takes a JSON body. Its handler returns the answer that it stored with the rows it made.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        _ creation: CreationEndpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, WebContext) async throws -> Kept<Output>
    ) {
        let dialect = Dialect.of(creation.endpoint.surface)
        add(creation.endpoint, creates: true) { input, _, context in try dialect.response(try await handle(input, context)) }
    }

    /// Answers a creation that takes multipart/form-data: the handler reads the parts as they arrive.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        upload creation: CreationEndpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, IncomingForm, WebContext) async throws -> Kept<Output>
    ) {
        let dialect = Dialect.of(creation.endpoint.surface)
        add(creation.endpoint, creates: true) { input, request, context in
            let form = try IncomingForm(request: request, context: context)
            return try dialect.response(try await handle(input, form, context))
        }
    }
}

extension Dialect {
    /// What was stored is sent byte for byte, so that every repeat gets the same bytes.
    fileprivate func response<Output: Encodable>(_ kept: Kept<Output>) throws -> Response {
        try kept.text.map(Idempotency.response) ?? json(kept.output)
    }
}
