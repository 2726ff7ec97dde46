import Core
import Hummingbird
package import Wire

extension Routes {
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
