/// How slow the other side may be: it starts with some seconds in hand, earns more with every byte it moves, and spends them while
/// it is waited for. A stall is forgiven up to `ceiling`; a rate below `bytesPerSecond` is not, however steady.
package struct MinimumRate: Sendable, Equatable {
    /// In hand when the clock starts.
    package let start: Duration
    /// The most that can be in hand: what was fast before buys no more than this.
    package let ceiling: Duration
    package let bytesPerSecond: Int
    private(set) var left: Duration

    package init(start: Duration, ceiling: Duration, bytesPerSecond: Int) {
        self.start = start
        self.ceiling = ceiling
        self.bytesPerSecond = bytesPerSecond
        left = start
    }

    /// From now on the next body, or the next answer.
    mutating func restart() { left = start }

    mutating func wait(_ time: Duration) { left -= time }

    mutating func move(_ byteCount: Int) {
        // A read can be large; what it earns beyond the ceiling does not matter, and so cannot overflow.
        let earned = Duration.seconds(Double(min(byteCount, bytesPerSecond * 3_600)) / Double(bytesPerSecond))
        left = min(max(left, .zero) + earned, max(ceiling, start))
    }

    var isSpent: Bool { left <= .zero }
}
