package import Core
internal import Database

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
    package let payload: String?
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

    init(_ row: Row, withPayload: Bool) throws {
        guard let state = JobState(rawValue: try row.get("state")) else { throw DatabaseError.column("state") }
        self.state = state
        id = try row.get("id")
        kind = try row.get("kind")
        key = try row.get("key")
        owner = try row.get("owner")
        payload = withPayload ? try row.get("payload") : nil
        attempt = try row.get("attempt")
        tries = try row.get("tries")
        lost = try row.get("lost")
        runAt = try row.get("run_at")
        leaseUntil = try row.get("lease_until")
        worker = try row.get("worker")
        error = try row.get("error")
        createdAt = try row.get("created_at")
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
