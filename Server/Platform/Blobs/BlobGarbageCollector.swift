package import Core
package import Database
package import Logging
import ServiceLifecycle

/// Deletes unreferenced bytes: dead blobs after 10 minutes (`reap`), bytes that never got a row after 48 hours (`sweep`).
package actor BlobGarbageCollector: Service {
    package struct Pace: Sendable {
        /// The interval between two passes over dead blobs; default one minute.
        package var reaping = Duration.minutes(1)
        /// The interval between two passes over all files; default six hours.
        package var sweeping = Duration.hours(6)

        package init() {}
    }

    let database: any Database
    let store: any BlobStore
    let ledger: BlobLedger
    let logger: Logger
    private let clock: WallClock
    private let pace: Pace
    private let sleep: @Sendable (Duration) async throws -> Void

    private var pauses = 0
    private var isWorking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter sleep: waits for a duration; tests inject their own.
    package init(
        database: any Database, store: any BlobStore, ledger: BlobLedger, clock: WallClock, logger: Logger, pace: Pace = Pace(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.database = database
        self.store = store
        self.ledger = ledger
        self.clock = clock
        self.logger = logger
        self.pace = pace
        self.sleep = sleep
    }

    /// Runs until the server stops. A failed pass is logged, and the next one retries.
    package func run() async throws {
        var nextSweep = clock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                _ = try await reap(now: clock.now)
                if clock.now >= nextSweep {
                    _ = try await sweep(now: clock.now)
                    nextSweep = clock.now + pace.sweeping
                }
            } catch {
                logger.error("deleting unused blobs failed", metadata: ["error": "\(error)"])
            }
            do {
                try await cancelWhenGracefulShutdown { [sleep, pace] in try await sleep(pace.reaping) }
            } catch is CancellationError {
                return
            }
        }
    }

    /// Runs `body` while nothing is deleted: for a backup, which copies the rows first and then the bytes they refer to.
    package func whilePaused<T: Sendable>(_ body: @Sendable () async throws -> T) async rethrows -> T {
        pauses += 1
        defer {
            pauses -= 1
            wake()
        }
        while isWorking { await change() }
        return try await body()
    }

    // MARK: One batch at a time

    /// Runs one batch of deletions.
    /// - Returns: `nil` when the pass must end because of a pause or the server's stop. The next pass does the rest.
    func batch<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T? {
        while isWorking { await change() }
        guard pauses == 0, !Task.isCancelled, !Task.isShuttingDownGracefully else { return nil }
        isWorking = true
        defer {
            isWorking = false
            wake()
        }
        return try await body()
    }

    private func change() async { await withCheckedContinuation { waiting.append($0) } }

    private func wake() {
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }
}
