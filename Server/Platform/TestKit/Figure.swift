/// A measured value that depends on the machine's load: a duration, an amount, a ratio.
package enum Figure {
    /// Measures at most `tries` times, until the value is good, so that a test does not fail because other processes load the machine. Use
    /// it only for measured values; check an invariant once.
    ///
    /// - Returns: the first good value; if none is good, the last one.
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
