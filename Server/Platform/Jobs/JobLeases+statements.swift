package import Core
package import Database

/// The statements by themselves, so that a test can ask for their plans.
extension JobLeases {
    /// The first `count` ready jobs of each kind: as many index entries are read, however many jobs wait.
    package static func heads(_ kinds: [String], count: Int) -> SQL {
        func head(_ kind: String) -> SQL {
            """
            SELECT kind, run_at, id FROM (
                SELECT kind, run_at, id FROM job WHERE state = 'ready' AND kind = \(kind) ORDER BY run_at, id LIMIT \(count)) AS head
            """
        }
        return kinds.dropFirst().reduce(head(kinds[0])) { $0 + " UNION ALL " + head($1) }
    }

    package static func firstExpiry(_ kinds: [String]) -> SQL {
        "SELECT MIN(lease_until) AS lease_until FROM job WHERE state = 'running' AND kind IN (\(sql: .list(kinds)))"
    }

    package static func expired(_ kinds: [String], now: Timestamp, _ skippingLocked: SQL) -> SQL {
        """
        SELECT id, attempt, kind, tries, lost, worker, owner, payload FROM job
        WHERE state = 'running' AND kind IN (\(sql: .list(kinds))) AND lease_until <= \(now)
        ORDER BY lease_until, id LIMIT \(JobLimits.expiredCount) \(sql: skippingLocked)
        """
    }

    /// The rows are picked by a WITH that is run once. As a subselect of IN, PostgreSQL may run it for every row it compares with, and
    /// each run skips the rows claimed before it: then all that wait are claimed, and LIMIT means nothing. Picked rows are locked, so
    /// their state need not be asked again, which would tempt PostgreSQL to read all of the index by it.
    package func take(_ kind: String, now: Timestamp, count: Int, _ skippingLocked: SQL) -> SQL {
        """
        WITH picked AS MATERIALIZED (
            SELECT id FROM job WHERE state = 'ready' AND kind = \(kind) AND run_at <= \(now)
            ORDER BY run_at, id LIMIT \(count) \(sql: skippingLocked))
        UPDATE job SET state = 'running', attempt = attempt + 1, tries = tries + 1, lease_until = \(now + length), worker = \(worker)
        WHERE id IN (SELECT id FROM picked)
        RETURNING \(sql: ClaimedJob.table.columns)
        """
    }

    package func takeOver(_ lease: JobLease, lost: Int, now: Timestamp, error: String) -> SQL {
        """
        UPDATE job SET attempt = attempt + 1, tries = tries + 1, lost = \(lost), lease_until = \(now + length), worker = \(worker),
            error = \(JobErrorText.bounded(error))
        WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
        RETURNING \(sql: ClaimedJob.table.columns)
        """
    }

    package func parkLost(_ lease: JobLease, lost: Int, error: String) -> SQL {
        """
        UPDATE job SET state = 'parked', lost = \(lost), lease_until = NULL, worker = NULL, error = \(JobErrorText.bounded(error))
        WHERE id = \(lease.id) AND attempt = \(lease.attempt) AND state = 'running'
        """
    }

    /// The ids twice: an engine finds rows by a list, and not always by an OR.
    package static func extend(_ leases: [JobLease], until: Timestamp) -> SQL {
        func held(_ lease: JobLease) -> SQL { "id = \(lease.id) AND attempt = \(lease.attempt)" }
        let all = leases.dropFirst().reduce(held(leases[0])) { $0 + " OR " + held($1) }
        return """
            UPDATE job SET lease_until = \(until)
            WHERE state = 'running' AND id IN (\(sql: .list(leases.map(\.id)))) AND (\(sql: all))
            RETURNING id, attempt
            """
    }
}
