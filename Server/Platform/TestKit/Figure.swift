/// A figure that hangs on what else the machine does: how long, how much, how many times as fast.
package enum Figure {
    /// Measures again, at most three times in all, until the figure is good: what is asked is what the program can do, not what the
    /// machine does just then. Only for figures. What must always be so is asked once.
    ///
    /// - Returns: the first good one, or else the last.
    package nonisolated(nonsending) static func measured<Value>(
        tries: Int = 3, until isGood: (Value) -> Bool, _ measure: () async throws -> Value
    ) async rethrows -> Value {
        for _ in 1..<max(1, tries) {
            let value = try await measure()
            if isGood(value) { return value }
        }
        return try await measure()
    }
}
