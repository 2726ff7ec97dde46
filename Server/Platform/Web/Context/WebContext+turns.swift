import Core

extension WebContext {
    /// Waits until the caller's account and network have a turn (`LongWork`) to make a long response. The turn ends when the response is
    /// made, before it is sent.
    /// - Throws: as `LongWork.turn`.
    package func waitForTurn() async throws {
        guard let longWork else { return }
        let turn = try await withoutSlotUntilTurn { try await longWork.turn(requester) }
        record.update { $0.turn = turn }
    }

    /// Waits as `waitForTurn()` does, then takes the response's slot and its share of the memory for responses. So a response for which
    /// there is no memory is refused before it is made.
    /// - Parameter byteCount: the length of the response, or the most that it may be. `AnswersInFlight.recount` corrects it.
    /// - Throws: as `LongWork.turn` and `AnswersInFlight.enter`.
    package func waitForTurn(toMake byteCount: Int64) async throws {
        try await waitForTurn()
        guard let answers else { return }
        let answer = try answers.enter(byteCount: Int(clamping: byteCount), requester)
        record.update { $0.answer = answer }
    }

    /// Waits for a turn of `LongWork`, and runs `work` in it.
    /// - Throws: the errors of `work` and of `LongWork.turn`.
    package func inTurn<T>(_ work: () async throws -> T) async throws -> T {
        guard let longWork else { return try await work() }
        let turn = try await withoutSlotUntilTurn { try await longWork.turn(requester) }
        defer { turn.release() }
        return try await work()
    }
}
