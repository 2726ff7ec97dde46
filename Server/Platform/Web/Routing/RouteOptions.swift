/// How a request for an endpoint differs from a simple one.
struct RouteOptions: Sendable {
    /// The members of the JSON body that are files.
    var files: Set<String> = []
    /// Whether the request must ask for a WebSocket; it may then send its token in the query.
    var isSocket = false
    /// Whether the request may have an `Idempotency-Key`.
    var creates = false
    /// Whether the handler reads the body itself, although the endpoint declares none.
    var takesFile = false
    /// Called before the server reads a large body, as in `serve(_:before:_:)`.
    var before: Routes.BodyCheck?
}
