package import Core
package import Database

package enum JobState: String, Sendable, Hashable, CaseIterable {
    /// Waits for its time, or for a place.
    case ready
    case running
    /// Given up until somebody says `retry`.
    case parked
}

/// A job as it is stored.
package struct JobEntry: Sendable, Hashable {
    package let id: String
    package let kind: String
    package let key: String?
    /// The account whose data the payload holds.
    package let owner: String?
    /// JSON; `nil` in a list.
    package internal(set) var payload: String?
    package let state: JobState
    /// Of all attempts ever; the fence.
    package let attempt: Int
    /// Attempts of this series that count.
    package let tries: Int
    /// Those of them that ended with their worker.
    package let lost: Int
    package let runAt: Timestamp
    /// While it runs.
    package let leaseUntil: Timestamp?
    /// The node it runs on, while it runs.
    package let worker: String?
    /// Of the last attempt that failed.
    package let error: String?
    package let createdAt: Timestamp

    /// Where the next page begins.
    package var cursor: JobCursor { JobCursor(kind: kind, runAt: runAt, id: id) }
}

/// Without the payload, which lists do not show.
extension JobEntry: TableRow {
    package static let table = Table<JobEntry>("job")

    package init(_ row: inout RowReader, writing job: JobEntry?) throws {
        id = try row.next("id", job?.id)
        kind = try row.next("kind", job?.kind)
        key = try row.next("key", job?.key)
        owner = try row.next("owner", job?.owner)
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
