import Blobs
import Core
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

extension AnswersInFlight {
    /// Counts an HTTP/2 stream until it closes.
    /// - Returns: the response to send when the network has too many streams open. It has no body: a client that has closed its window
    ///   would never take the body, and the stream would stay open.
    func enterStream(_ context: WebContext) -> Response? {
        guard let slot = enterStream(context.requester) else { return Response(status: .tooManyRequests, headers: [.retryAfter: "5"]) }
        context.channel.closeFuture.whenComplete { _ in slot.release() }
        return nil
    }

    /// Sends a long response in pieces. Leaves a short response of known length as it is. Files and archives took their slot before they
    /// were opened, so this does not count them again.
    func sent(_ response: Response, to request: Request, _ context: WebContext) async throws -> Response {
        guard request.method != .head, (response.body.contentLength ?? .max) > Self.smallByteCount else { return response }
        let facts = context.record.current
        guard !facts.isSentAsAnswer else { return response }
        var response = response
        let byteCount = response.body.contentLength
        // If the response were refused now, the client would believe that nothing has changed, and repeat its request.
        let isAfterChange = request.method != .get
        let slot = try context.record.takeAnswer() ?? enter(context.record.requester, isAfterChange: isAfterChange)
        let body = response.body
        // A built-in file costs only the pieces that are being sent, like a file on the disk.
        let heldByteCount = facts.isBuiltIn ? 0 : byteCount ?? 0
        guard try hold(heldByteCount, in: slot, isAfterChange: isAfterChange) else {
            guard !context.isAbandoned else { throw RequestInterrupted() }
            let file = try await Requester.$source.withValue(context.record) {
                // While the file is written, others need not wait for the request's turn.
                try await store(
                    body, byteCount: heldByteCount, in: slot, isAfterChange: isAfterChange, begin: context.record.release
                ) { error in
                    context.record.update { $0.fault = "a response without room in memory cannot be written to the disk: \(error)" }
                }
            }
            response.body = self.body(slot, byteCount: byteCount, on: context.channel) { answer in
                try await answer.finish(file, 0..<file.byteCount)
            }
            return response
        }
        response.body = self.body(slot, byteCount: byteCount, on: context.channel) { answer in
            try await body.write(AnswerBodyWriter(answer: answer))
        }
        return response
    }
}

extension WebContext {
    private func requireAnswers() throws -> AnswersInFlight {
        guard let answers else { throw Problem(.fault, "The request has no response writer.") }
        return answers
    }

    /// Takes a slot for a response to the current caller.
    /// - Throws: as `AnswersInFlight.enter`.
    func enterAnswer() throws -> AnswersInFlight.Slot {
        let slot = try requireAnswers().enter(requester)
        record.update { $0.isSentAsAnswer = true }
        return slot
    }

    /// Takes a connection to the object store for the response that `enterAnswer` made a slot for.
    /// - Throws: as `AnswersInFlight.enter`.
    func enterRemoteAnswer() throws -> SharedBudget.Share {
        try requireAnswers().enterRemote(requester)
    }

    /// Takes a slot for a stream of events, in addition to the slot that `enterAnswer` returned.
    /// - Throws: as `AnswersInFlight.enter`.
    func enterEvents() throws -> SharedBudget.Share {
        try requireAnswers().enterEvents(requester)
    }

    /// Takes the budgets for a body that is written together with the head, in the slot that `enterAnswer` returned.
    /// - Returns: `nil` when the body is too long for that, or when the budgets are used up.
    func wholeAnswer(_ byteCount: Int, _ slot: AnswersInFlight.Slot) -> WholeAnswer? {
        guard let answers, byteCount <= answers.limits.smallFileByteCount else { return nil }
        return WholeAnswer(byteCount, slot, answers, Connection.current)
    }

    /// Makes a body in the slot that `enterAnswer` returned.
    func body(
        _ slot: AnswersInFlight.Slot, byteCount: Int?, _ write: @escaping @Sendable (Answer) async throws -> Void
    ) throws -> ResponseBody {
        try requireAnswers().body(slot, byteCount: byteCount, on: channel, write)
    }
}
