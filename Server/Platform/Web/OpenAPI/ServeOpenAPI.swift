import Core
import Foundation
import HTTPTypes
import Hummingbird

/// `GET /openapi.json`: the description of every route. Needs no credential.
package struct ServeOpenAPI: Sendable {
    private let fragments: [[UInt8]]
    private let version: String

    /// - Parameter fragments: the features' descriptions. This module's own description is added to them.
    package init(_ fragments: [[UInt8]], version: String) {
        self.fragments = [PackageResources.openapi_yaml] + fragments
        self.version = version
    }

    /// Call it after all features have added their routes, because it describes the routes that exist then.
    package func addRoutes(to routes: Routes) {
        let path = "/openapi.json"
        let served = routes.served + [ServedRoute(raw: .get, path), ServedRoute(raw: .head, path)]
        let page = LazyValue { [fragments, version] in
            BuiltInFile(
                try OpenAPIDocument(fragments, version: version, routes: served).json(), type: "application/json; charset=utf-8",
                cacheControl: "public, max-age=300")
        }
        routes.serveRaw(.get, path) { request, context in
            if let made = page.made { return try made.conditionalResponse(to: request, context) }
            return try await page.value().conditionalResponse(to: request, context)
        }
    }

    /// The document as written, without what the routes add.
    package func written() throws -> OpenAPIDocument { try OpenAPIDocument(fragments, version: version, routes: []) }
}
