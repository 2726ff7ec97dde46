/// The minimum rate at which the other side must send or read bytes, as a time budget. The budget begins with `start`, each byte earns
/// time, and waiting spends time. It allows a stall of at most `ceiling`, but not a rate that stays below `bytesPerSecond`.
package struct MinimumRate: Sendable, Equatable {
    /// The budget at the start.
    package let start: Duration
    /// The largest budget. Bytes that arrive fast earn no more than this.
    package let ceiling: Duration
    package let bytesPerSecond: Int
    private(set) var left: Duration

    package init(start: Duration, ceiling: Duration, bytesPerSecond: Int) {
        self.start = start
        self.ceiling = ceiling
        self.bytesPerSecond = bytesPerSecond
        left = start
    }

    /// Resets the budget for the next body or response.
    mutating func restart() { left = start }

    mutating func wait(_ time: Duration) { left -= time }

    mutating func move(_ byteCount: Int) {
        // A read can be large. Earned time beyond the ceiling does not count, so the product is capped and cannot overflow.
        let earned = Duration.seconds(Double(min(byteCount, bytesPerSecond * 3_600)) / Double(bytesPerSecond))
        left = min(max(left, .zero) + earned, max(ceiling, start))
    }

    var isSpent: Bool { left <= .zero }
}
