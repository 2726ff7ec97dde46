package import Core
package import Database

/// What there is to see and to steer for whoever runs the server: jobs waiting, running and parked.
package struct JobStore: Sendable {
    private let database: any Database
    private let clock: WallClock

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// What runners listen to; the key is the kind.
    package static let channel: Wake.Channel = "jobs"

    /// A page of the jobs in `state`, by kind, then by the time they run at.
    ///
    /// - Parameters:
    ///   - kind: only those of that kind; all unless given.
    ///   - cursor: of the last row of the page before.
    ///   - limit: 1...100; what is outside is moved to its nearer end. Default 20.
    package func list(
        state: JobState, kind: String? = nil, after cursor: JobCursor? = nil, limit: Int = 20
    ) async throws -> [JobEntry] {
        let count = min(max(limit, JobLimits.listCount.lowerBound), JobLimits.listCount.upperBound)
        return try await database.read { tx in
            try tx.list(Self.page(state: state, kind: kind, after: cursor, count: count), JobEntry.init)
        }
    }

    /// - Returns: `nil` when there is none of that id, or it is done.
    package func show(_ id: String) async throws -> JobEntry? {
        try await database.read { tx in
            try tx.first(Self.one(id)) { row in
                var job = try JobEntry(&row)
                job.payload = try row.next("payload")
                return job
            }
        }
    }

    /// Lets a parked job run again, with all its attempts before it.
    /// - Returns: false when there is no parked job of that id.
    @discardableResult
    package func retry(_ id: String) async throws -> Bool {
        try await database.write { [clock] tx in
            // The fence keeps growing: an attempt of long ago may still be running somewhere.
            guard
                let row = try tx.row(
                    """
                    UPDATE job SET state = 'ready', tries = 0, lost = 0, run_at = \(clock.now)
                    WHERE id = \(id) AND state = 'parked'
                    RETURNING kind
                    """)
            else { return false }
            tx.wake(Wake(Self.channel, try row.get("kind")))
            return true
        }
    }

    /// Takes a job out for good. One that runs loses its lease with it: its effect will not be.
    /// - Returns: false when there is none of that id.
    @discardableResult
    package func remove(_ id: String) async throws -> Bool {
        try await database.write { tx in try tx.run("DELETE FROM job WHERE id = \(id)") == 1 }
    }

    /// Takes out all jobs that hold data of `owner`, in the transaction that deletes the rest of it.
    /// - Returns: how many.
    @discardableResult
    package static func removeAll(of owner: String, _ tx: WriteTransaction) throws -> Int {
        try tx.run("DELETE FROM job WHERE owner = \(owner)")
    }

    /// By kind. Its cost grows with the number of jobs: for a metrics page, not for a request.
    package func counts() async throws -> [JobCounts] {
        let now = clock.now
        return try await database.read { tx in
            var counts: [String: JobCounts] = [:]
            for row in try tx.rows(Self.readyCounts) {
                let kind: String = try row.get("kind")
                counts[kind, default: JobCounts(kind: kind)].ready = try row.get("n")
                counts[kind]?.oldestReady = max(.zero, now - (try row.get("first_run_at", as: Timestamp.self)))
            }
            for row in try tx.rows(Self.runningCounts) {
                let kind: String = try row.get("kind")
                counts[kind, default: JobCounts(kind: kind)].running = try row.get("n")
            }
            for row in try tx.rows(Self.parkedCounts) {
                let kind: String = try row.get("kind")
                counts[kind, default: JobCounts(kind: kind)].parked = try row.get("n")
            }
            return counts.values.sorted { $0.kind < $1.kind }
        }
    }
}
