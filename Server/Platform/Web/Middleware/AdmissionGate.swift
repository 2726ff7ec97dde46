import Core
import Database
import HTTPServer
import Hummingbird
import NIOCore

/// Admits requests or refuses them with 503 when there are too many, and sends long responses in pieces. Always serves the health checks.
struct AdmissionGate: RouterMiddleware {
    typealias Context = WebContext
    let requests: Admission
    let bodies: UnfinishedBodies
    let answers: AnswersInFlight
    /// The threads that process requests; `nil` for Swift's own pool.
    let threads: (any WorkThreads)?
    /// While more tasks than this wait for a thread, an admitted request yields before it continues. So many tasks take some hundredths of
    /// a second.
    private static let uncounted = 128

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        if Connection.current?.isHTTP2 == true, let refusal = answers.enterStream(context) { return refusal }
        guard !request.uri.path.hasPrefix("/health/") else { return try await next(request, context) }
        let asker = Admission.Asker(network: context.client?.address.network, request.headers)
        let response = try await answer(request, context, asker, next)
        return try answers.sent(response, to: request, context)
    }

    private func answer(
        _ request: Request, _ context: WebContext, _ asker: Admission.Asker, _ next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let place: AdmissionPlace
        if let free = AdmissionPlace(requests, asker) {
            place = free
        } else {
            place = try await AdmissionPlace.enter(requests, asker, context.channel.eventLoop)
        }
        defer { place.leave() }
        // A request leaves its thread only when it waits. Yield, so that the requests behind it are counted; otherwise none would be
        // refused.
        if let threads, threads.backlog > Self.uncounted { await Task.yield() }
        var context = context
        context.place = place
        context.bodies = bodies
        context.answers = answers
        return try await next(request, context)
    }
}
