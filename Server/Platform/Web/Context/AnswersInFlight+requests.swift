import Core
import HTTPTypes
import Hummingbird
import NIOCore

extension AnswersInFlight {
    /// Counts a stream of HTTP/2 until it closes.
    /// - Returns: what to answer when the network has too many open. It has no body, which could not leave where the client has shut the
    ///   window, and would keep the stream open.
    func enterStream(_ context: WebContext) -> Response? {
        guard let place = enterStream(context.requester) else { return Response(status: .tooManyRequests, headers: [.retryAfter: "5"]) }
        context.channel.closeFuture.whenComplete { _ in place.release() }
        return nil
    }

    /// Has a long answer sent piece by piece. A short one, whose length is known, is left as it is. Files and archives have entered for
    /// themselves, before they were opened.
    /// - Throws: as `enter`.
    func sent(_ response: Response, to request: Request, _ context: WebContext) throws -> Response {
        guard request.method != .head, (response.body.contentLength ?? .max) > Self.smallByteCount else { return response }
        guard !context.record.current.isSentAsAnswer else { return response }
        var response = response
        let byteCount = response.body.contentLength
        let place = try enter(byteCount: byteCount ?? 0, context.record.requester)
        let body = response.body
        response.body = self.body(place, byteCount: byteCount, on: context.channel) { answer in
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
