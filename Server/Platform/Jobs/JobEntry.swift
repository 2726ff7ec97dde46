package import Core
package import Database

package enum JobState: String, Sendable, Hashable, CaseIterable {
    /// Waits until it is due, or for a free worker.
    case ready
    case running
    /// No further attempts until an operator calls `retry`.
    case parked
}

/// A job as it is stored.
package struct JobEntry: Sendable, Hashable {
    package let id: String
    package let kind: String
    package let key: String?
    /// The account whose data the payload contains.
    package let owner: String?
    package let turn: JobTurnKey?
    /// JSON; `nil` in a list.
    package internal(set) var payload: String?
    package let state: JobState
    /// The number of all attempts ever. It is the fencing token.
    package let attempt: Int
    /// Attempts that count since the job was enqueued or last retried by an operator.
    package let tries: Int
    /// The attempts among `tries` whose worker died.
    package let lost: Int
    package let runAt: Timestamp
    /// The end of the lease while the job runs; otherwise `nil`.
    package let leaseUntil: Timestamp?
    /// The node that runs it; `nil` when it does not run.
    package let worker: String?
    /// The error of the last failed attempt.
    package let error: String?
    package let createdAt: Timestamp

    /// The cursor of a page that begins after this row.
    package var cursor: JobCursor { JobCursor(kind: kind, runAt: runAt, id: id) }
}

/// The columns without the payload, which lists do not show.
extension JobEntry: TableRow {
    package static let table = Table<JobEntry>("job")

    package init(_ row: inout RowReader, writing job: JobEntry?) throws {
        id = try row.next("id", job?.id)
        kind = try row.next("kind", job?.kind)
        key = try row.next("key", job?.key)
        owner = try row.next("owner", job?.owner)
        let turnKey: String? = try row.next("turn_key", job?.turn?.text)
        turn = turnKey.map(JobTurnKey.init(text:))
        state = try row.next("state", job?.state)
        attempt = try row.next("attempt", job?.attempt)
        tries = try row.next("tries", job?.tries)
        lost = try row.next("lost", job?.lost)
        runAt = try row.next("run_at", job?.runAt)
        leaseUntil = try row.next("lease_until", job?.leaseUntil)
        worker = try row.next("worker", job?.worker)
        error = try row.next("error", job?.error)
        createdAt = try row.next("created_at", job?.createdAt)
    }
}

/// The sort key of a list's last row.
package struct JobCursor: Sendable, Hashable {
    package let kind: String
    package let runAt: Timestamp
    package let id: String

    package init(kind: String, runAt: Timestamp, id: String) {
        self.kind = kind
        self.runAt = runAt
        self.id = id
    }
}
