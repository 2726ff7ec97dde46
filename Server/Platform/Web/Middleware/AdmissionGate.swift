import Database
import HTTPServer
import Hummingbird
import NIOCore

/// Lets requests in, or answers that there are too many. What tells whether the server lives is always answered.
struct AdmissionGate: RouterMiddleware {
    typealias Context = WebContext
    let requests: Admission
    let bodies: UnfinishedBodies
    /// Where requests are worked on; `nil` is Swift's own pool.
    let threads: (any WorkThreads)?
    /// So many may wait for a thread uncounted: some hundredths of a second.
    private static let uncounted = 128

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        guard !request.uri.path.hasPrefix("/health/") else { return try await next(request, context) }
        let asker = Admission.Asker(network: context.client?.address.network, request.headers)
        let place = try await AdmissionPlace.enter(requests, asker, context.channel.eventLoop)
        defer { place.leave() }
        // A request leaves its thread only when it waits for something. Those behind it are counted first, or nobody would be refused.
        if let threads, threads.backlog > Self.uncounted { await Task.yield() }
        var context = context
        context.place = place
        context.bodies = bodies
        return try await next(request, context)
    }
}
