import Core
import Hummingbird
package import KeepsakeWire

extension Routes {
    /// What a route can refuse by its path alone: that there is no such row of this caller.
    package typealias BodyCheck = @Sendable (_ parameters: [String: String], WebContext) async throws -> Void

    /// Answers an endpoint with a JSON body that may be large.
    /// - Parameter before: asked before a body above 16 KB is read, or one whose length is not announced or whose client waits to be told to
    ///   send it. The handler finds out by itself for the others, whose body has often come with the head.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, before: @escaping BodyCheck,
        _ handle: @escaping @Sendable (Input, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(endpoint, before: before) { input, _, context in try dialect.json(try await handle(input, context)) }
    }

    /// Answers an endpoint whose body is one file, as it is and in no form.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        body endpoint: Endpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, IncomingFile, WebContext) async throws -> Output
    ) {
        let dialect = Dialect.of(endpoint.surface)
        add(endpoint) { input, request, context in
            try dialect.json(try await handle(input, IncomingFile(request: request, context: context), context))
        }
    }
}
