import Core
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// `GET /openapi.json`: the description of every route. Needs no credential.
package struct ServeOpenAPI: Sendable {
    private let fragments: [[UInt8]]
    private let version: String

    /// - Parameter fragments: the features' descriptions. Web adds its own.
    package init(_ fragments: [[UInt8]], version: String) {
        self.fragments = [PackageResources.openapi_yaml] + fragments
        self.version = version
    }

    /// Call it after all features have added their routes, because it describes the routes that exist then.
    package func addRoutes(to routes: Routes) {
        let path = "/openapi.json"
        let served = routes.served + [ServedRoute(raw: .get, path), ServedRoute(raw: .head, path)]
        let page = Page { [fragments, version] in try OpenAPIDocument(fragments, version: version, routes: served) }
        routes.serveRaw(.get, path) { request, context in
            if let made = page.made { return try made.conditionalResponse(to: request, context) }
            // Making it takes too long for an event loop.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) {
                try page.make().conditionalResponse(to: request, context)
            }
        }
    }

    /// The document as written, without what the routes add.
    package func written() throws -> OpenAPIDocument { try OpenAPIDocument(fragments, version: version, routes: []) }

    /// The document's bytes, made at the first request, so that the server starts quickly.
    private final class Page: Sendable {
        private let document: @Sendable () throws -> OpenAPIDocument
        private let file = Mutex<BuiltInFile?>(nil)

        init(_ document: @escaping @Sendable () throws -> OpenAPIDocument) { self.document = document }

        /// `nil` until `make` has returned.
        var made: BuiltInFile? { file.withLock { $0 } }

        /// Two requests at the same time may both make it. Both send the first one, so that only one stays in memory.
        func make() throws -> BuiltInFile {
            let new = BuiltInFile(
                try document().json(), type: "application/json; charset=utf-8", cacheControl: "public, max-age=300")
            return file.withLock { file in
                let first = file ?? new
                file = first
                return first
            }
        }
    }
}
