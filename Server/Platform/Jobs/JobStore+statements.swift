import Core
package import Database

/// The statements are separate functions, so that a test can check their query plans. A state is always written as a literal, never bound:
/// the indexes are partial, and an engine uses them only when it sees the state in the text.
extension JobStore {
    package static func one(_ id: String) -> SQL { "SELECT \(sql: JobEntry.table.columns), job.payload FROM job WHERE id = \(id)" }

    package static func page(state: JobState, kind: String?, after cursor: JobCursor?, count: Int) -> SQL {
        let inState: SQL =
            switch state {
            case .ready: "state = 'ready'"
            case .running: "state = 'running'"
            case .parked: "state = 'parked'"
            }
        let ofKind: SQL = kind.map { " AND kind = \($0)" } ?? ""
        return "\(sql: JobEntry.table.select) WHERE \(sql: inState)\(sql: ofKind)"
            + order.page(after: cursor.map { "\($0.kind), \($0.runAt), \($0.id)" }, limit: count)
    }

    /// Does not reset `attempt`: an old attempt may still run on some node.
    static func retry(_ id: String, at now: Timestamp) -> SQL {
        """
        UPDATE job SET state = 'ready', tries = 0, lost = 0, run_at = \(now)
        WHERE id = \(id) AND state = 'parked' RETURNING \(sql: JobEntry.table.columns)
        """
    }

    private static let order = Keyset(.ascending, "kind", "run_at", "id")

    package static func all(of owner: String) -> SQL { "SELECT id FROM job WHERE owner = \(owner)" }

    package static let readyCounts: SQL =
        "SELECT kind, COUNT(*) AS n, MIN(run_at) AS first_run_at FROM job WHERE state = 'ready' GROUP BY kind"
    package static let runningCounts: SQL = "SELECT kind, COUNT(*) AS n FROM job WHERE state = 'running' GROUP BY kind"
    package static let parkedCounts: SQL = "SELECT kind, COUNT(*) AS n FROM job WHERE state = 'parked' GROUP BY kind"
}
