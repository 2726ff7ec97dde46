import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// `GET /openapi.json`: the description of every route there is, for everybody.
package struct ServeOpenAPI: Sendable {
    private let fragments: [[UInt8]]
    private let version: String

    /// - Parameter fragments: what each room wrote down; the platform's own are known here.
    package init(_ fragments: [[UInt8]], version: String) {
        self.fragments = [PackageResources.openapi_yaml] + fragments
        self.version = version
    }

    /// Call it after every room, because it describes what has been added by then.
    package func addRoutes(to routes: Routes) {
        let path = "/openapi.json"
        let served = routes.served + [ServedRoute(raw: .get, path), ServedRoute(raw: .head, path)]
        let page = Page { [fragments, version] in try OpenAPIDocument(fragments, version: version, routes: served) }
        routes.serveRaw(.get, path) { request, _ in try page.response(to: request) }
    }

    /// The document without what the routes know, as written.
    package func written() throws -> OpenAPIDocument { try OpenAPIDocument(fragments, version: version, routes: []) }

    /// The document's bytes, made when somebody asks first: a start must be quick.
    private final class Page: Sendable {
        private struct Made {
            let bytes: ByteBuffer
            let etag: String
        }
        private let make: @Sendable () throws -> OpenAPIDocument
        private let made = Mutex<Made?>(nil)

        init(_ make: @escaping @Sendable () throws -> OpenAPIDocument) { self.make = make }

        func response(to request: Request) throws -> Response {
            let page = try made.withLock { made in
                if let made { return made }
                let bytes = try make().json()
                let new = Made(bytes: ByteBuffer(bytes: bytes), etag: "\"\(Hex.encode(SHA256.hash(data: bytes)))\"")
                made = new
                return new
            }
            var headers: HTTPFields = [
                .eTag: page.etag, .cacheControl: "public, max-age=300", .xContentTypeOptions: "nosniff",
            ]
            // By tag alone: without a date of its own there is none to compare.
            var conditions = HTTPFields()
            for name in [HTTPField.Name.ifMatch, .ifNoneMatch] { conditions[name] = request.headers[name] }
            switch Conditions.decide(conditions, etag: page.etag, lastModified: Timestamp(seconds: 0)) {
            case .preconditionFailed: throw Problem(.preconditionFailed, "The document is not the one you named.")
            case .notModified: return Response(status: .notModified, headers: headers)
            case .proceed:
                headers[.contentType] = "application/json; charset=utf-8"
                return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: page.bytes))
            }
        }
    }
}
