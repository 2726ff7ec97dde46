import Core
import Hummingbird
import KeepsakeWire
import NIOCore
import Synchronization

/// The methods of each path. For a path that has routes, but none for the request's method, the router says "not found"; the response must
/// be 405 (RFC 9110 §15.5.6), or for OPTIONS the list of methods (§9.3.7).
///
/// It has its own router with one route for each path. The alternative, routes for every other method in the server's router, would triple
/// the time that the server needs to make its routes.
package final class PathMethods: Sendable {
    private struct Known: Sendable {
        /// The methods of each path, by the description of the path's pattern.
        let paths: [String: (allowed: [String], surface: Surface?)]
        let responder: RouterResponder<WebContext>
    }

    private let known = Mutex<Known?>(nil)

    /// Call it once, after all routes have been added.
    func set(_ paths: [(path: RouterPath, allowed: [String], surface: Surface?)]) {
        let router = Router(context: WebContext.self)
        var methods: [String: (allowed: [String], surface: Surface?)] = [:]
        for (path, allowed, surface) in paths {
            methods[path.description] = (allowed, surface)
            router.on(path, method: .options) { _, _ in Response(status: .noContent) }
        }
        let responder = router.buildResponder()
        known.withLock { [methods] in $0 = Known(paths: methods, responder: responder) }
    }

    /// The response to a request that matched no route. It sets the context's path and surface, for the log.
    /// - Returns: `nil` if no route has the path.
    /// - Throws: A problem with status 405.
    func response(to request: Request, _ context: WebContext) async throws -> Response? {
        guard let known = known.withLock({ $0 }) else { return nil }
        var head = request.head
        head.method = .options
        // This request makes the router find the path and write its pattern into the context.
        _ = try await known.responder.respond(to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context)
        guard let (allowed, surface) = context.endpointPath.flatMap({ known.paths[$0] }) else { return nil }
        context.record.update { $0.surface = surface }
        guard request.method == .options else {
            throw Problem(.methodNotAllowed, "\(request.method.rawValue) is not allowed here.", allowed: allowed)
        }
        return Response(status: .noContent, headers: [.allow: (allowed + ["OPTIONS"]).sorted().joined(separator: ", ")])
    }
}
