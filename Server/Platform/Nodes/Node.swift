package import Core
package import Database

/// A running `keepsake serve`, as its last heartbeat described it.
package struct Node: Sendable, Hashable {
    /// Jobs that the node runs name it as their worker.
    package let id: String
    /// The name of its machine and the port it listens on, for people.
    package let host: String
    /// The version of its program.
    package let version: String
    package let startedAt: Timestamp
    /// The time of its last heartbeat, by its own clock.
    package let seenAt: Timestamp
    /// Requests in progress at that time.
    package let requests: Int
    /// Jobs that ran at that time.
    package let jobs: Int

    package init(id: String, host: String, version: String, startedAt: Timestamp, seenAt: Timestamp, requests: Int, jobs: Int) {
        self.id = id
        self.host = host
        self.version = version
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.requests = requests
        self.jobs = jobs
    }

    /// A node whose heartbeat is older was killed, hangs, or cannot reach the database.
    package static let silence = Duration.seconds(30)

    package func isAlive(at now: Timestamp) -> Bool { now - seenAt <= Self.silence }
}

extension Node: TableRow {
    package static let table = Table<Node>("node")

    package init(_ row: inout RowReader, writing node: Node?) throws {
        id = try row.next("id", node?.id)
        host = try row.next("host", node?.host)
        version = try row.next("version", node?.version)
        startedAt = try row.next("started_at", node?.startedAt)
        seenAt = try row.next("seen_at", node?.seenAt)
        requests = try row.next("requests", node?.requests)
        jobs = try row.next("jobs", node?.jobs)
    }
}
