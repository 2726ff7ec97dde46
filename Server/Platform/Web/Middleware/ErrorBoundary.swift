import Blobs
import Core
import Database
import HTTPServer
import HTTPTypes
import Hummingbird
import Live
import NIOCore

/// Turns any error into a response in the route's dialect. An unexpected error is logged once, with the request's id, and answered 500
/// without detail.
struct ErrorBoundary {
    let surfaces: PathSurfaces
    let methods: PathMethods
    /// See `WebServer.init`.
    let explainFull: @Sendable (any Error) -> String

    func response(to error: any Error, _ request: Request, _ context: WebContext) async -> Response {
        var error = error
        if (error as? HTTPError)?.status == .notFound, context.endpointPath == "NotFound" {
            do {
                if let response = try await methods.response(to: request, context) { return response }
            } catch let other {
                error = other
            }
        }
        let surface = context.record.surface ?? surfaces.surface(of: request.uri.path)
        return Dialect.of(surface).response(problem(error, context))
    }

    private func problem(_ error: any Error, _ context: WebContext) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as HTTPError where error.status == .notFound: return Problem(.notFound, "There is nothing at this address.")
        case BlobError.full, DatabaseError.full:
            // The reason is logged once, here. The client learns neither the folder nor the free space.
            let reason = explainFull(error)
            context.record.update { $0.fault = reason }
            return Problem(.storageFull, "The server's storage is full. Nothing was stored.")
        case DatabaseError.unclear:
            return Problem(
                .unavailable, "The database connection broke; the change may be complete. Try again with the same Idempotency-Key.",
                retryAfter: .seconds(1))
        case DatabaseError.unavailable(let words):
            // The reason is logged once, here. The text comes from the database engine and contains no user's data.
            context.record.update { $0.fault = "the database is not available: \(words)" }
            return Problem(.unavailable, "The database is not available. Try again shortly. Nothing was stored.", retryAfter: .seconds(2))
        case BlobError.unavailable(let words):
            // The reason is logged once, here. The text names a request to the object store and its error code.
            context.record.update { $0.fault = "the object store is not available: \(words)" }
            return Problem(.unavailable, "The file store is not available. Try again shortly.", retryAfter: .seconds(2))
        case DatabaseError.busy, DatabaseError.closed:
            return Problem(.unavailable, "The server is busy. Try again shortly.", retryAfter: .seconds(1))
        case DatabaseError.nulInText:
            // No route needs a text with a NUL. Most routes refuse it and name the field, but ids reach the database without such a check.
            return Problem(.invalid, "A text of the request contains a NUL character. Send it without.")
        case is RequestInterrupted:
            // The client has disconnected, so it never sees this. The status is for the log.
            return Problem(.invalid, "The request ended before its body was complete.")
        case is CancellationError where ClientPresence.current?.isGone == true:
            // The client never sees this either. The status keeps it out of the server's errors in the log.
            return Problem(.invalid, "The client has disconnected.")
        case is CancellationError, LiveError.shuttingDown:
            return Problem(.unavailable, "The server is stopping. Try again shortly.", retryAfter: .seconds(1))
        default:
            // Our error values contain no values bound to SQL, and no names or texts of users.
            context.record.update { $0.fault = "\(type(of: error)): \(error)" }
            return Problem(.fault, "Something went wrong here. The request id in X-Request-Id helps to find it.")
        }
    }
}
