package import Core
package import Database

/// The nodes of an installation. Contains all SQL of the table `node`.
package struct NodeStore: TableOwner {
    /// How long the row of a node that no longer runs is kept.
    package static let memory = Duration.days(1)

    private let database: any Database
    private let clock: WallClock

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    package static let migrations = [
        Migration(
            "nodes/001-node",
            [
                // There is no index on seen_at: a table of a few rows needs none, and without it PostgreSQL updates a heartbeat in place.
                """
                CREATE TABLE node (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    host TEXT NOT NULL,
                    version TEXT NOT NULL,
                    started_at BIGINT NOT NULL,
                    seen_at BIGINT NOT NULL,
                    requests BIGINT NOT NULL,
                    jobs BIGINT NOT NULL
                )
                """
            ])
    ]

    /// A copy of the installation gets none of these rows, because it runs on other nodes.
    package static var localTables: [String] { ["node"] }

    /// Stores a heartbeat. One statement and one row.
    package func beat(_ node: Node) async throws { try await database.run(Self.beat(node)) }

    /// Deletes the row of a node that stops.
    package func leave(_ id: String) async throws { try await database.run("DELETE FROM node WHERE id = \(id)") }

    /// Deletes the rows of all nodes. A server on SQLite calls it when it starts: only one process serves such an installation, so any row
    /// belongs to a process that was killed. If another server uses the same file nevertheless, that server's next heartbeat stores its row
    /// again.
    package func clear() async throws { try await database.run("DELETE FROM node") }

    /// The number of nodes with a recent heartbeat.
    package func liveCount() async throws -> Int {
        try await all(limit: 1_000).count { $0.isAlive(at: clock.now) }
    }

    /// The nodes in the order in which they started, including those that ended within the last day without removing their row.
    package func all(limit: Int) async throws -> [Node] { try await database.list(Self.all(limit: limit), Node.init) }

    /// Deletes the rows of nodes that have sent no heartbeat for a day.
    package func sweep() async throws { try await database.run(Self.forget(before: clock.now - Self.memory)) }

    // MARK: Statements

    static func beat(_ node: Node) -> SQL {
        Node.table.insert(node)
            + """
             ON CONFLICT (id) DO UPDATE SET host = excluded.host, seen_at = excluded.seen_at, requests = excluded.requests, jobs = excluded.jobs
            """
    }

    /// Ids begin with the time at which a node started.
    package static func all(limit: Int) -> SQL { "\(sql: Node.table.select) ORDER BY id LIMIT \(limit)" }

    static func forget(before limit: Timestamp) -> SQL { "DELETE FROM node WHERE seen_at < \(limit)" }
}
