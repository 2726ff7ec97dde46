package import Core
package import Database

/// The statements are separate functions, so that a test can check their query plans.
extension JobLeases {
    /// The first `count` ready jobs of each kind. It reads only that many index entries, however many jobs wait.
    package static func heads(_ kinds: [String], count: Int) -> SQL {
        func head(_ kind: String) -> SQL {
            """
            SELECT kind, owner, turn_key, run_at, id FROM (
                SELECT kind, owner, turn_key, run_at, id FROM job WHERE state = 'ready' AND kind = \(kind)
                ORDER BY run_at, id LIMIT \(count)) AS head
            """
        }
        return kinds.dropFirst().reduce(head(kinds[0])) { $0 + " UNION ALL " + head($1) }
    }

    /// The next `count` accounts after `account` that have ready jobs of a kind, each with the time and the turn key of its first job. Each
    /// step is one search in the index, however many jobs an account has. Either all jobs of a kind belong to accounts, or none.
    package static func accounts(_ kind: String, after account: String, count: Int) -> SQL {
        """
        WITH RECURSIVE turn (owner, number) AS (
            SELECT owner, 1 FROM (
                SELECT owner FROM job WHERE state = 'ready' AND kind = \(kind) AND owner > \(account)
                ORDER BY owner, run_at, id LIMIT 1) AS beginning
            UNION ALL
            SELECT (
                SELECT job.owner FROM job WHERE job.state = 'ready' AND job.kind = \(kind) AND job.owner > turn.owner
                ORDER BY job.owner, job.run_at, job.id LIMIT 1), turn.number + 1
            FROM turn WHERE turn.owner IS NOT NULL AND turn.number < \(count))
        SELECT turn.owner AS owner, (
            SELECT job.run_at FROM job WHERE job.state = 'ready' AND job.kind = \(kind) AND job.owner = turn.owner
            ORDER BY job.run_at, job.id LIMIT 1) AS run_at, (
            SELECT job.turn_key FROM job WHERE job.state = 'ready' AND job.kind = \(kind) AND job.owner = turn.owner
            ORDER BY job.run_at, job.id LIMIT 1) AS turn_key
        FROM turn WHERE turn.owner IS NOT NULL
        """
    }

    /// Like `accounts`, for the turn keys of ready jobs that belong to no account.
    package static func turnKeys(_ kind: String, after key: String, count: Int) -> SQL {
        """
        WITH RECURSIVE turn (turn_key, number) AS (
            SELECT turn_key, 1 FROM (
                SELECT turn_key FROM job WHERE state = 'ready' AND kind = \(kind) AND owner IS NULL AND turn_key > \(key)
                ORDER BY turn_key, run_at, id LIMIT 1) AS beginning
            UNION ALL
            SELECT (
                SELECT job.turn_key FROM job
                WHERE job.state = 'ready' AND job.kind = \(kind) AND job.owner IS NULL AND job.turn_key > turn.turn_key
                ORDER BY job.turn_key, job.run_at, job.id LIMIT 1), turn.number + 1
            FROM turn WHERE turn.turn_key IS NOT NULL AND turn.number < \(count))
        SELECT turn.turn_key AS turn_key, (
            SELECT job.run_at FROM job
            WHERE job.state = 'ready' AND job.kind = \(kind) AND job.owner IS NULL AND job.turn_key = turn.turn_key
            ORDER BY job.run_at, job.id LIMIT 1) AS run_at
        FROM turn WHERE turn.turn_key IS NOT NULL
        """
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

    /// A materialized WITH selects the rows once. Otherwise PostgreSQL may run a subselect of IN again for every row. Each run would skip
    /// the rows claimed before it, so the statement would claim all waiting jobs despite the LIMIT. The selected rows are locked, so the
    /// UPDATE need not check their state; that check could make PostgreSQL scan the whole index of that state.
    package func take(_ jobs: JobGroup, now: Timestamp, count: Int, _ skippingLocked: SQL) -> SQL {
        let owner: SQL = jobs.owner.map { "owner = \($0)" } ?? "owner IS NULL"
        let key = jobs.turn?.text
        let turnKey: SQL = key.map { "turn_key = \($0)" } ?? "turn_key IS NULL"
        return """
            WITH picked AS MATERIALIZED (
                SELECT id FROM job
                WHERE state = 'ready' AND kind = \(jobs.kind) AND \(sql: owner) AND \(sql: turnKey) AND run_at <= \(now)
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

    /// Extends leases, but skips jobs whose rows another transaction has locked, such as one that finishes the job.
    package static func extend(_ leases: [JobLease], until: Timestamp, _ skippingLocked: SQL) -> SQL {
        """
        WITH picked AS MATERIALIZED (SELECT id FROM job WHERE \(sql: isHeld(leases)) \(sql: skippingLocked))
        UPDATE job SET lease_until = \(until) WHERE id IN (SELECT id FROM picked)
        """
    }

    /// Those of the leases that no other attempt has taken over.
    package static func held(among leases: [JobLease]) -> SQL { "SELECT id, attempt FROM job WHERE \(sql: isHeld(leases))" }

    /// The ids appear twice: an engine uses the index for a list, but not always for an OR.
    private static func isHeld(_ leases: [JobLease]) -> SQL {
        func isThis(_ lease: JobLease) -> SQL { "id = \(lease.id) AND attempt = \(lease.attempt)" }
        let all = leases.dropFirst().reduce(isThis(leases[0])) { $0 + " OR " + isThis($1) }
        return "state = 'running' AND id IN (\(sql: .list(leases.map(\.id)))) AND (\(sql: all))"
    }
}
