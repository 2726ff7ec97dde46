import Core

extension WebContext {
    /// Waits for the caller's turn to make a long response. The turn ends when the response is made, before it is sent.
    /// - Throws: as `LongWork.turn`.
    package func waitForTurn() async throws {
        guard let longWork else { return }
        let turn = try await withoutPlace { try await longWork.turn(requester) }
        record.update { $0.turn = turn }
    }

    /// Runs `work` in the caller's turn.
    /// - Throws: what `work` throws, or as `LongWork.turn`.
    package func inTurn<T>(_ work: () async throws -> T) async throws -> T {
        guard let longWork else { return try await work() }
        let turn = try await withoutPlace { try await longWork.turn(requester) }
        defer { turn.release() }
        return try await work()
    }
}
