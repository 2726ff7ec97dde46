/// The number of jobs of one kind by state, for metrics.
package struct JobCounts: Sendable, Hashable {
    package let kind: String
    /// Ready jobs, including those that are not due yet.
    package var ready = 0
    package var running = 0
    package var parked = 0
    /// How long the oldest ready job has been due; zero when none is due.
    package var oldestReady = Duration.zero

    package init(kind: String, ready: Int = 0, running: Int = 0, parked: Int = 0, oldestReady: Duration = .zero) {
        self.kind = kind
        self.ready = ready
        self.running = running
        self.parked = parked
        self.oldestReady = oldestReady
    }
}
