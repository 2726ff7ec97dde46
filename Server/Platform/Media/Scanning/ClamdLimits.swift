/// How long clamd is waited for, and how much of it is used at a time.
package struct ClamdLimits: Sendable {
    /// For a connection, and for each piece of at most 64 KiB to be taken.
    package var progress: Duration
    /// From the last byte to the verdict.
    package var verdict: Duration
    /// For a free connection, while `connections` are in use.
    package var turn: Duration
    /// Open at a time, 1 or more. Keep it, times the number of our processes, below clamd's MaxQueue (100 unless set): from there on
    /// clamd lets new connections wait without a word.
    package var connections: Int
    /// Scans that wait for a free connection; one more is refused.
    package var waiting: Int

    package init(
        progress: Duration = .seconds(10), verdict: Duration = .seconds(60), turn: Duration = .seconds(30), connections: Int = 80,
        waiting: Int = 2_000
    ) {
        self.progress = progress
        self.verdict = verdict
        self.turn = turn
        self.connections = max(1, connections)
        self.waiting = waiting
    }
}
