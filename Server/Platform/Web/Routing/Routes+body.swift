import Core
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
        add(endpoint, before: before) { input, _, context in try dialect.json(try await handle(input, context)) }
    }

    /// Serves an endpoint whose body is one file, not in a form.
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
