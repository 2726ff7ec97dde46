package import Core
package import Database
package import Jobs
package import Logging
import ServiceLifecycle

/// A store with the job tables and a table of effects, a manual clock, and helpers that enqueue, claim and inspect jobs.
package struct JobFixture: Sendable {
    package let database: any Database
    package let clock = TestClock()
    package let queue: JobQueue
    package let store: JobStore
    private let open: JobSuite.Opener
    private let name: String

    package static let logger = Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() }

    /// Each row holds the number of a job and how often it took effect.
    package static let effects = Migration(
        "suite/001-effect", ["CREATE TABLE effect (number BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)"])

    package init(_ open: @escaping JobSuite.Opener, store name: String) async throws {
        self.open = open
        self.name = name
        database = try await open(name)
        queue = JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system))
        store = JobStore(database: database, clock: clock.wall)
        do {
            try await database.migrate(JobStore.migrations + [Self.effects])
        } catch {
            try? await database.close()
            throw error
        }
    }

    /// Opens another node's handle on the same store. The caller closes it.
    package func openAgain() async throws -> any Database { try await open(name) }

    // MARK: Jobs

    @discardableResult
    package func put(
        _ job: some Job, key: String? = nil, owner: String? = nil, turn: JobTurnKey? = nil, in delay: Duration = .zero
    ) async throws -> String? {
        try await database.write { [queue, clock] tx in
            try queue.enqueue(job, key: key, owner: owner, turn: turn, at: clock.now + delay, tx)
        }
    }

    package static func makeEffect(_ number: Int, _ tx: WriteTransaction) throws {
        try tx.run("INSERT INTO effect (number, n) VALUES (\(number), 1) ON CONFLICT (number) DO UPDATE SET n = effect.n + 1")
    }

    package func effects() async throws -> [Int: Int] {
        try await database.read { tx in
            try tx.rows("SELECT number, n FROM effect").reduce(into: [:]) { effects, row in
                effects[try row.get("number")] = try row.get("n", as: Int.self)
            }
        }
    }

    package func shown(_ id: String?) async throws -> JobEntry {
        guard let id, let entry = try await store.show(id) else { throw JobSuite.Failure(description: "there is no such job") }
        return entry
    }

    package func isGone(_ id: String?) async throws -> Bool { try await store.show(id ?? "") == nil }

    // MARK: Workers

    package func leases(_ worker: String, isFenced: Bool = true) -> JobLeases {
        JobLeases(database: database, clock: clock.wall, worker: worker, isFenced: isFenced)
    }

    /// Polls the table at a short interval, because the test's clock does not advance while the runner sleeps.
    package static var quick: JobRunner.Options {
        var options = JobRunner.Options()
        options.poll = .milliseconds(10)
        options.heartbeat = .milliseconds(10)
        return options
    }

    package func runner(
        _ handlers: [JobHandler], node: String = "here", over database: (any Database)? = nil, clock: WallClock? = nil,
        options: JobRunner.Options = quick, entropy: Entropy = .system, logger: Logger = logger
    ) -> JobRunner {
        JobRunner(
            database: database ?? self.database, handlers: handlers, node: node, clock: clock ?? self.clock.wall, entropy: entropy,
            logger: logger, options: options)
    }

    /// Runs the runners while `body` runs, then shuts them down gracefully.
    package static func running<T: Sendable>(_ runners: JobRunner..., body: () async throws -> T) async throws -> T {
        let services = runners.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do {
                let value = try await body()
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return value
            } catch {
                tasks.cancelAll()
                throw error
            }
        }
    }
}
