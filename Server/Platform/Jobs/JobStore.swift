package import Core
package import Database

/// Lists, retries and removes waiting, running and parked jobs, for operators.
package struct JobStore: Sendable {
    let database: any Database
    let clock: WallClock

    package init(database: any Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// The wake channel of the runners; the key is the kind.
    package static let channel: Wake.Channel = "jobs"

    /// A page of the jobs in `state`, ordered by kind, then by the time they are due.
    ///
    /// - Parameters:
    ///   - kind: only jobs of that kind; `nil` for all kinds.
    ///   - cursor: the cursor of the previous page's last row.
    ///   - limit: the most rows, clamped to 1...101; default 20.
    package func list(
        state: JobState, kind: String? = nil, after cursor: JobCursor? = nil, limit: Int = 20
    ) async throws -> [JobEntry] {
        let count = min(max(limit, JobLimits.listCount.lowerBound), JobLimits.listCount.upperBound)
        return try await database.read { tx in
            try tx.list(Self.page(state: state, kind: kind, after: cursor, count: count), JobEntry.init)
        }
    }

    /// - Returns: `nil` when no job has that id, or it is done.
    package func show(_ id: String) async throws -> JobEntry? {
        try await database.read { tx in
            try tx.first(Self.one(id)) { row in
                var job = try JobEntry(&row)
                job.payload = try row.next("payload")
                return job
            }
        }
    }

    /// Makes a parked job ready again, with all attempts available.
    /// - Returns: `false` when no parked job has that id.
    @discardableResult
    package func retry(_ id: String) async throws -> Bool { try await retried(id) != nil }

    /// Makes a parked job ready again, as `retry`.
    /// - Returns: the job, which is ready now; `nil` when no parked job has that id.
    package func retried(_ id: String) async throws -> JobEntry? {
        try await database.write { [clock] tx in
            guard let job = try tx.first(Self.retry(id, at: clock.now), JobEntry.init) else { return nil }
            tx.wake(Wake(Self.channel, job.kind))
            return job
        }
    }

    /// Removes a job. A running job loses its lease, so its effect is not applied.
    /// - Returns: `false` when no job has that id.
    @discardableResult
    package func remove(_ id: String) async throws -> Bool {
        try await database.write { tx in try tx.run("DELETE FROM job WHERE id = \(id)") == 1 }
    }

    /// Removes all jobs with data of `owner`, in the transaction that deletes the owner's other data.
    /// - Returns: the number of jobs removed.
    @discardableResult
    package static func removeAll(of owner: String, _ tx: WriteTransaction) throws -> Int {
        try tx.run("DELETE FROM job WHERE owner = \(owner)")
    }

    /// The number of jobs by kind. The cost grows with the number of jobs, so use it for metrics, not in a request.
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
