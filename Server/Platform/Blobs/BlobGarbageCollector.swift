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
    let clock: WallClock
    private let pace: Pace
    private let sleep: @Sendable (Duration) async throws -> Void
    private let turn: Turn

    /// Asks whether this node is the one to do `work` now; the next turn is after `pause`.
    package typealias Turn = @Sendable (_ work: String, _ pause: Duration) async throws -> Bool

    private var isWorking = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - sleep: waits for a duration; tests inject their own.
    ///   - turn: decides whether this node does a piece of work, so that only one of the nodes that share a store lists the store's files.
    ///     By default this node does all work.
    package init(
        database: any Database, store: any BlobStore, ledger: BlobLedger, clock: WallClock, logger: Logger, pace: Pace = Pace(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        turn: @escaping Turn = { _, _ in true }
    ) {
        self.database = database
        self.store = store
        self.ledger = ledger
        self.clock = clock
        self.logger = logger
        self.pace = pace
        self.sleep = sleep
        self.turn = turn
    }

    /// Runs until the server stops. A failed pass is logged, and the next one retries.
    package func run() async throws {
        var nextSweep = clock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                if try await turn("blobs/reap", pace.reaping) { _ = try await reap(now: clock.now) }
            } catch {
                report(error)
            }
            // The sweep runs even if the pass over dead blobs failed.
            do {
                if clock.now >= nextSweep {
                    let isOurs = try await turn("blobs/sweep", pace.sweeping)
                    if isOurs { _ = try await sweep(now: clock.now) }
                    // Another node has swept or sweeps now. It may stop before its next turn, so ask again before that.
                    nextSweep = clock.now + (isOurs ? pace.sweeping : min(pace.sweeping, .minutes(10)))
                }
            } catch {
                report(error)
            }
            do {
                try await cancelWhenGracefulShutdown { [sleep, pace] in try await sleep(pace.reaping) }
            } catch is CancellationError {
                return
            }
        }
    }

    private func report(_ error: any Error) {
        // The server is stopping, for example because it cannot listen on its port.
        if error is CancellationError { return }
        logger.error("deleting unused blobs failed; the server will retry it", metadata: ["error": "\(error)"])
    }

    // MARK: One batch at a time

    /// Runs one batch of deletions.
    /// - Returns: `nil` when the pass must end because the server stops. The next pass does the rest.
    func batch<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T? {
        while isWorking { await change() }
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return nil }
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
