package import Core
import Database
package import Logging
import ServiceLifecycle
import Synchronization

/// Tells the other nodes and `keepsake nodes` every few seconds that this node runs, and counts the nodes that do.
package final class Heartbeat: Service {
    /// The load of this node at the moment.
    package struct Load: Sendable {
        package var requests: Int
        package var jobs: Int

        package init(requests: Int, jobs: Int) {
            self.requests = requests
            self.jobs = jobs
        }
    }

    /// The interval between two heartbeats. Three of them fit into `Node.silence`, so two may be lost.
    package static let pause = Duration.seconds(8)

    private let store: NodeStore
    private let id: String
    private let version: String
    private let host: @Sendable () -> String
    private let load: @Sendable () -> Load
    private let clock: WallClock
    private let logger: Logger
    private let onCompany: @Sendable () -> Void
    private let startedAt: Timestamp
    private let counted = Mutex((now: 1, hadCompany: false))

    /// - Parameters:
    ///   - id: from `Identifiers`, new for each start.
    ///   - host: a name for people. It is read at each heartbeat, because a server knows its port only once it listens.
    ///   - load: read at each heartbeat; must not block.
    ///   - onCompany: called once, when another node is seen.
    package init(
        _ store: NodeStore, id: String, version: String, host: @escaping @Sendable () -> String, load: @escaping @Sendable () -> Load,
        clock: WallClock, logger: Logger, onCompany: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.id = id
        self.version = version
        self.host = host
        self.load = load
        self.clock = clock
        self.logger = logger
        self.onCompany = onCompany
        startedAt = clock.now
    }

    /// The number of live nodes at the last heartbeat, this one included.
    package var nodeCount: Int { counted.withLock { $0.now } }

    /// Runs until the server stops, then removes this node from the list. A killed node stays in it for a day.
    package func run() async throws {
        let isListed = await cancelWhenGracefulShutdown { await self.pulse() }
        // A stop must not wait for a database that does not answer.
        guard isListed else { return }
        // This runs in a task of its own: the database cancels the writes of a cancelled task.
        await Task { [store, id] in try? await store.leave(id) }.value
    }

    /// Sends heartbeats until the task is cancelled.
    /// - Returns: whether the last one arrived.
    private func pulse() async -> Bool {
        var isFailing = false
        var nextSweep = clock.now
        while !Task.isCancelled {
            do {
                try await beat()
                if clock.now >= nextSweep {
                    try await store.sweep()
                    nextSweep = clock.now + .hours(1)
                }
                isFailing = false
            } catch {
                // The warning is logged once for each outage; the requests that fail are logged too.
                if Task.isCancelled { break }
                if !isFailing {
                    logger.warning("this node's heartbeat was not stored; the server will retry it", metadata: ["error": "\(error)"])
                }
                isFailing = true
            }
            try? await Task.sleep(for: Self.pause)
        }
        return !isFailing
    }

    /// Writes one heartbeat.
    package func beat() async throws {
        let load = load()
        try await store.beat(
            Node(
                id: id, host: host(), version: version, startedAt: startedAt, seenAt: clock.now, requests: load.requests, jobs: load.jobs))
        let count = try await store.liveCount()
        let isFirstCompany = counted.withLock { counted in
            defer { counted = (count, counted.hadCompany || count > 1) }
            return count > 1 && !counted.hadCompany
        }
        if isFirstCompany { onCompany() }
    }
}
