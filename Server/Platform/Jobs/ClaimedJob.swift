internal import Database

/// A job that this worker has just taken, or taken over.
package struct ClaimedJob: Sendable {
    package let lease: JobLease
    package let kind: String
    package let owner: String?
    package let payload: String
    /// Attempts that count, this one included.
    package let tries: Int
    /// Those before it that ended with their worker.
    package let lost: Int

    /// May be what kills workers.
    var isSuspect: Bool { lost >= JobLimits.suspectLosses }

    static let columns: SQL = "id, kind, owner, payload, attempt, tries, lost, run_at"

    init(_ row: Row) throws {
        lease = JobLease(id: try row.get("id"), attempt: try row.get("attempt"))
        kind = try row.get("kind")
        owner = try row.get("owner")
        payload = try row.get("payload")
        tries = try row.get("tries")
        lost = try row.get("lost")
    }
}
