package import Core
package import Database

/// Corrects jobs to which a node has given times far in the future, because its clock was far ahead. Otherwise they wait until that time
/// comes, which may be years away.
extension JobStore {
    /// If the time of a job's creation, retry or lease is further in the future than this, it comes from a clock that was ahead. The clocks
    /// of nodes differ by less, and no retry delay and no lease is this long.
    private static let mostAhead = Duration.days(2)
    private static let correctedCount = 500

    /// - Parameter kinds: the kinds of all handlers.
    package func correctDates(of kinds: [String]) async throws {
        guard !kinds.isEmpty else { return }
        let now = clock.now
        for statement in [Self.correctStart(kinds, now: now), Self.correctLease(kinds, now: now)] {
            while try await database.run(statement) == Self.correctedCount {}
        }
    }

    /// A new job keeps the delay between its creation and its start, counted from now. A job that waits for a retry starts now. The
    /// condition appears twice: when another node has just corrected the row, PostgreSQL checks only the outer condition again.
    package static func correctStart(_ kinds: [String], now: Timestamp) -> SQL {
        let latest = now + mostAhead
        return """
            UPDATE job SET run_at = CASE WHEN created_at > \(latest) THEN run_at - created_at + \(now) ELSE \(now) END,
                created_at = CASE WHEN created_at > \(latest) THEN \(now) ELSE created_at END
            WHERE id IN (
                SELECT id FROM job
                WHERE state = 'ready' AND kind IN (\(sql: .list(kinds))) AND run_at > \(latest) AND (created_at > \(latest) OR tries > 0)
                LIMIT \(correctedCount))
            AND run_at > \(latest) AND (created_at > \(latest) OR tries > 0)
            """
    }

    /// The lease of a worker that died ends now, so another worker takes the job over.
    package static func correctLease(_ kinds: [String], now: Timestamp) -> SQL {
        let latest = now + mostAhead
        return """
            UPDATE job SET lease_until = \(now)
            WHERE id IN (
                SELECT id FROM job WHERE state = 'running' AND kind IN (\(sql: .list(kinds))) AND lease_until > \(latest)
                LIMIT \(correctedCount))
            AND lease_until > \(latest)
            """
    }
}
