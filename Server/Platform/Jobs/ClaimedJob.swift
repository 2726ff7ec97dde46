package import Core
package import Database

/// A job that this worker has just claimed, or taken over from another worker.
package struct ClaimedJob: Sendable {
    package let lease: JobLease
    package let kind: String
    package let owner: String?
    package let turn: JobTurnKey?
    package let payload: String
    /// Attempts that count, including this one.
    package let tries: Int
    /// Earlier attempts whose worker died.
    package let lost: Int
    /// When it was due.
    package let runAt: Timestamp

    package var group: JobGroup { JobGroup(kind: kind, owner: owner, turn: turn) }

    /// Whether the job may be the reason why its workers crash.
    var isSuspect: Bool { lost >= JobLimits.suspectLosses }
}

/// The columns of a job that a worker needs.
extension ClaimedJob: TableRow {
    package static let table = Table<ClaimedJob>("job")

    package init(_ row: inout RowReader, writing job: ClaimedJob?) throws {
        lease = JobLease(id: try row.next("id", job?.lease.id), attempt: try row.next("attempt", job?.lease.attempt))
        kind = try row.next("kind", job?.kind)
        owner = try row.next("owner", job?.owner)
        let turnKey: String? = try row.next("turn_key", job?.turn?.text)
        turn = turnKey.map(JobTurnKey.init(text:))
        payload = try row.next("payload", job?.payload)
        tries = try row.next("tries", job?.tries)
        lost = try row.next("lost", job?.lost)
        runAt = try row.next("run_at", job?.runAt)
    }
}
