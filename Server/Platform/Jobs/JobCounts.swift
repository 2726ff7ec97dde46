/// How many jobs of a kind there are: for metrics.
package struct JobCounts: Sendable, Hashable {
    package let kind: String
    /// Also those whose time has not come.
    package var ready = 0
    package var running = 0
    package var parked = 0
    /// How long the first of the ready ones has been due; zero when none is.
    package var oldestReady = Duration.zero

    package init(kind: String, ready: Int = 0, running: Int = 0, parked: Int = 0, oldestReady: Duration = .zero) {
        self.kind = kind
        self.ready = ready
        self.running = running
        self.parked = parked
        self.oldestReady = oldestReady
    }
}
