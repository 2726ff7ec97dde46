package import Core
package import Database
package import Logging
import ServiceLifecycle

/// Takes away bytes nobody refers to: dead blobs after 10 minutes (`reap`), bytes that never got a row after 48 hours (`sweep`).
package actor BlobGarbageCollector: Service {
    package struct Pace: Sendable {
        /// Between two looks at the dead; default one minute.
        package var reaping = Duration.minutes(1)
        /// Between two looks at every file; default six hours.
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

    /// - Parameter sleep: lets time pass; tests take their own.
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

    /// Until the server stops. A pass that fails is logged, and the next one tries again.
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
                logger.error("removing unused blobs failed", metadata: ["error": "\(error)"])
            }
            do {
                try await cancelWhenGracefulShutdown { [sleep, pace] in try await sleep(pace.reaping) }
            } catch is CancellationError {
                return
            }
        }
    }

    /// Runs `body` while nothing is removed: for a backup, which copies the rows first and then the bytes they refer to.
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

    /// Removes one batch of something.
    /// - Returns: `nil` when the pass is to end here, because of a pause or the server's end. The next pass does the rest.
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
