import Core
import Database
import HTTPServer
import Hummingbird
import NIOCore

/// Admits requests or refuses them with 503 when there are too many, and sends long responses in pieces. Always serves the health checks.
struct AdmissionGate {
    let requests: Admission
    let bodies: UnfinishedBodies
    let answers: AnswersInFlight
    let longWork: LongWork
    /// The threads that run handlers; `nil` for Swift's own pool.
    let threads: (any WorkThreads)?

    /// Runs on an event loop, before the request waits for a thread. So requests that wait for a thread are counted, and are refused when
    /// there are too many.
    func handle(
        _ request: Request, _ context: WebContext, _ next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        if context.connection?.isHTTP2 == true, let refusal = answers.enterStream(context) { return refusal }
        var context = context
        context.threads = threads
        guard !request.uri.path.hasPrefix("/health/") else { return try await next(request, context) }
        if let head = try bodies.countHead(request.head, of: context.requester) { context.record.update { $0.head = head } }
        let caller = Admission.Caller(network: context.client?.address.network, request.headers)
        let slot: AdmissionSlot
        if let free = AdmissionSlot(requests, caller) {
            slot = free
        } else {
            slot = try await AdmissionSlot.enter(requests, caller, context.channel.eventLoop)
            guard !context.isAbandoned else {
                slot.leave()
                throw RequestInterrupted()
            }
        }
        context.slot = slot
        context.bodies = bodies
        context.answers = answers
        context.longWork = longWork
        defer { context.record.release() }
        let response: Response
        do {
            defer { slot.leave() }
            response = try await next(request, context)
        }
        return try await answers.sent(response, to: request, context)
    }
}
