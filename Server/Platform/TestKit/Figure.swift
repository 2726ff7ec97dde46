/// A measured value that depends on the machine's load: a duration, an amount, a ratio.
package enum Figure {
    /// Measures at most three times, until the value is good, because a test asks what the program can do and not what else the machine
    /// does at that time. Use it only for measured values; check an invariant once.
    ///
    /// - Returns: the first good value, otherwise the last one.
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
