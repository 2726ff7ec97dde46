/// Timeouts for clamd, and limits on its use.
package struct ClamdLimits: Sendable {
    /// Timeout for connecting, and for sending each chunk of at most 64 KiB.
    package var progress: Duration
    /// Timeout from the last byte to the verdict.
    package var verdict: Duration
    /// Timeout for a turn at clamd's threads, before the last byte is sent. Keep it below clamd's ReadTimeout (default 120 s), because
    /// clamd receives nothing during the wait.
    package var verdictTurn: Duration
    /// The longest time for which clamd may scan a file, even if nobody waits for the verdict any more: clamd's MaxScanTime (default 120
    /// s).
    package var longestScan: Duration
    /// Timeout for a free connection while all `connections` are in use.
    package var turn: Duration
    /// Maximum number of open connections, 1 or more. Keep it, times the number of server processes, below clamd's MaxQueue (default 100):
    /// above that, clamd makes new connections wait without notice.
    package var connections: Int
    /// Maximum number of files that clamd scans at a time, 1 or more. Each keeps one of clamd's threads busy. Keep it, times the number of
    /// server processes, below clamd's MaxThreads (default 10).
    package var verdicts: Int
    /// Maximum number of scans that wait for a free connection; further ones are refused.
    package var waiting: Int
    /// The longest time between two chunks of 16 KiB for a file that is scanned while it arrives, because it occupies a connection. A
    /// slower file is scanned when it is complete.
    package var patience: Duration

    /// Maximum number of connections for the files of one account, complete or not.
    var connectionsPerAccount: Int { max(2, connections / 4) }
    /// Maximum number of connections for the files of one network, complete or not.
    var connectionsPerNetwork: Int { max(2, connections / 2) }
    /// Number of connections that only networks with fewer than `fewConnections` connections get, so that these networks do not wait for
    /// scans of other networks.
    var reservedConnections: Int { connections / 8 }
    let fewConnections = 2
    /// Maximum number of files of one account that clamd scans at a time.
    var verdictsPerAccount: Int { max(1, verdicts / 4) }
    /// Maximum number of files of one network that clamd scans at a time. clamd may need minutes for a file, so a network gets no more than
    /// an account.
    var verdictsPerNetwork: Int { verdictsPerAccount }
    /// Number of scans that are reserved for networks none of whose files clamd scans now. With 8 verdicts, four networks hold at most 7,
    /// and a fifth does not wait.
    var reservedVerdicts: Int { verdicts / 4 }
    /// Maximum number of connections for files that still arrive. The others are for complete files.
    var streams: Int { max(1, connections / 2) }
    /// Maximum number of connections for the files of one account that still arrive.
    var streamsPerAccount: Int { max(1, streams / 4) }
    /// Maximum number of connections for the files of one network that still arrive.
    var streamsPerNetwork: Int { max(1, streams / 2) }

    package init(
        progress: Duration = .seconds(10), verdict: Duration = .seconds(60), verdictTurn: Duration = .seconds(60),
        longestScan: Duration = .seconds(120), turn: Duration = .seconds(30), connections: Int = 80, verdicts: Int = 8,
        waiting: Int = 2_000, patience: Duration = .seconds(5)
    ) {
        self.progress = progress
        self.verdict = verdict
        self.verdictTurn = verdictTurn
        self.longestScan = longestScan
        self.turn = turn
        self.connections = max(1, connections)
        self.verdicts = max(1, verdicts)
        self.waiting = waiting
        self.patience = patience
    }
}
