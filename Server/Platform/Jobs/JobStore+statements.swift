package import Database

/// The statements by themselves, so that a test can ask for their plans. A state is always written out, never bound: the indexes are
/// partial, and an engine takes them only when it sees the state in the text.
extension JobStore {
    private static let columns: SQL =
        "id, kind, key, owner, state, attempt, tries, lost, run_at, lease_until, worker, error, created_at"

    package static func one(_ id: String) -> SQL { "SELECT \(sql: columns), payload FROM job WHERE id = \(id)" }

    package static func page(state: JobState, kind: String?, after cursor: JobCursor?, count: Int) -> SQL {
        let inState: SQL =
            switch state {
            case .ready: "state = 'ready'"
            case .running: "state = 'running'"
            case .parked: "state = 'parked'"
            }
        let ofKind: SQL = kind.map { " AND kind = \($0)" } ?? ""
        let after: SQL = cursor.map { " AND (kind, run_at, id) > (\($0.kind), \($0.runAt), \($0.id))" } ?? ""
        return """
            SELECT \(sql: columns) FROM job WHERE \(sql: inState)\(sql: ofKind)\(sql: after)
            ORDER BY kind, run_at, id LIMIT \(count)
            """
    }

    package static func all(of owner: String) -> SQL { "SELECT id FROM job WHERE owner = \(owner)" }

    package static let readyCounts: SQL =
        "SELECT kind, COUNT(*) AS n, MIN(run_at) AS first_run_at FROM job WHERE state = 'ready' GROUP BY kind"
    package static let runningCounts: SQL = "SELECT kind, COUNT(*) AS n FROM job WHERE state = 'running' GROUP BY kind"
    package static let parkedCounts: SQL = "SELECT kind, COUNT(*) AS n FROM job WHERE state = 'parked' GROUP BY kind"
}
