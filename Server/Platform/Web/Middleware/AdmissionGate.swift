import Core
import Database
import HTTPServer
import Hummingbird
import NIOCore

/// Lets requests in, or answers that there are too many, and has long answers sent piece by piece. What tells whether the server lives is
/// always answered.
struct AdmissionGate: RouterMiddleware {
    typealias Context = WebContext
    let requests: Admission
    let bodies: UnfinishedBodies
    let answers: AnswersInFlight
    /// Where requests are worked on; `nil` is Swift's own pool.
    let threads: (any WorkThreads)?
    /// So many may wait for a thread uncounted: some hundredths of a second.
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
        // A request leaves its thread only when it waits for something. Those behind it are counted first, or nobody would be refused.
        if let threads, threads.backlog > Self.uncounted { await Task.yield() }
        var context = context
        context.place = place
        context.bodies = bodies
        context.answers = answers
        return try await next(request, context)
    }
}
