import Core
import HTTPTypes
import Hummingbird
import NIOCore

/// Counts the streams of HTTP/2, and has long answers sent piece by piece. Files and archives enter for themselves, before they are
/// opened.
struct AnswerGate: RouterMiddleware {
    typealias Context = WebContext
    let answers: AnswersInFlight

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        var context = context
        context.answers = answers
        if Connection.current?.isHTTP2 == true {
            // No body: it could not leave where the client has shut the window, and would keep the stream open.
            guard let place = answers.enterStream(context.requester) else {
                return Response(status: .tooManyRequests, headers: [.retryAfter: "5"])
            }
            context.channel.closeFuture.whenComplete { _ in place.release() }
        }
        var response = try await next(request, context)
        guard request.method != .head, (response.body.contentLength ?? .max) > AnswersInFlight.smallByteCount else { return response }
        let facts = context.record.current
        guard !facts.isSentAsAnswer else { return response }
        let requester = Requester(account: facts.accountID, network: context.requester.network)
        let byteCount = response.body.contentLength
        let place = try answers.enter(byteCount: byteCount ?? 0, requester)
        let body = response.body
        response.body = answers.body(place, byteCount: byteCount, on: context.channel) { answer in
            try await body.write(AnswerBodyWriter(answer: answer))
        }
        return response
    }
}

extension WebContext {
    /// A place for an answer of the present caller.
    /// - Throws: as `AnswersInFlight.enter`.
    func enterAnswer() throws -> AnswersInFlight.Place {
        guard let answers else { throw Problem(.fault, "The answer has nobody to send it.") }
        let place = try answers.enter(requester)
        record.update { $0.isSentAsAnswer = true }
        return place
    }

    /// A body for the place that `enterAnswer` gave.
    func body(
        _ place: AnswersInFlight.Place, byteCount: Int?, _ write: @escaping @Sendable (Answer) async throws -> Void
    ) throws -> ResponseBody {
        guard let answers else { throw Problem(.fault, "The answer has nobody to send it.") }
        return answers.body(place, byteCount: byteCount, on: channel, write)
    }
}
