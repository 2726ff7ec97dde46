extension Database {
    /// Deletes rows that are no longer needed, in short writes, so that other writes run in between. Ends with the first write that finds
    /// fewer rows than it may delete.
    /// - Parameters:
    ///   - limit: the most rows that one write deletes; default 500. Pass a smaller number for a table with long rows.
    ///   - deletion: a DELETE of at most `limit` rows.
    package func sweep(limit: Int = 500, _ deletion: (_ limit: Int) -> SQL) async throws {
        while try await run(deletion(limit)) == limit {}
    }

    /// Like `sweep(limit:_:)`, for rows that more than one statement deletes.
    /// - Parameters:
    ///   - limit: the most rows that one write deletes; default 500.
    ///   - step: deletes at most `limit` rows, and returns how many.
    package func sweep(
        limit: Int = 500, step: @escaping @Sendable (_ limit: Int, _ tx: WriteTransaction) throws -> Int
    ) async throws {
        while try await write({ tx in try step(limit, tx) }) == limit {}
    }
}
