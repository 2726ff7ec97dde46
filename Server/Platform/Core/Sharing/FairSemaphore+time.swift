extension FairSemaphore {
    /// Waits for a permit for a limited time.
    /// - Parameter holder: as for `acquire(for:holder:)`.
    /// - Returns: `nil` when no permit was free within `time`.
    /// - Throws: as `acquire(for:holder:)`.
    package func acquire(for requester: Requester, within time: Duration, holder: HeldTurns? = nil) async throws -> Permit? {
        try await withThrowingTaskGroup(of: Permit?.self) { group in
            group.addTask { try await self.acquire(for: requester, holder: holder) }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            // A permit granted after the timeout is released when its last reference is dropped.
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
