package import Core
package import Database
package import Logging
import ServiceLifecycle

/// Deletes old events, in writes so small that other writes do not wait long. It always deletes the oldest events of a log, so that the
/// rest has no gap. A reader who has not seen the deleted events gets a reset.
package struct EventPruner: Service {
    package struct Settings: Sendable {
        /// How long an event is kept, unless the account has too many; default 7 days.
        package var keptTime = Duration.days(7)
        /// The most events kept per account, 1...; default 10,000. An account may have more until the next pass.
        package var keptCount = 10_000
        /// The most events deleted per write, 1...; default 200.
        package var batchCount = 200
        /// The interval between two passes; default five minutes.
        package var pace = Duration.minutes(5)

        package init() {}
    }

    private let database: any Database
    private let clock: WallClock
    private let logger: Logger
    private let settings: Settings
    private let sleep: @Sendable (Duration) async throws -> Void
    /// The most accounts that one read returns.
    private static let accountCount = 500

    /// - Parameter sleep: waits for a duration; tests inject their own.
    package init(
        database: any Database, clock: WallClock, logger: Logger, settings: Settings = Settings(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.database = database
        self.clock = clock
        self.logger = logger
        self.settings = settings
        self.sleep = sleep
    }

    /// Runs until the server stops. A failed pass is logged, and the next one retries.
    package func run() async throws {
        while !isEnding {
            do {
                _ = try await prune(now: clock.now)
            } catch is CancellationError {
                // The server stops, for example because it cannot listen on its port.
            } catch {
                logger.error("deleting old events failed; the server will retry it", metadata: ["error": "\(error)"])
            }
            do {
                try await cancelWhenGracefulShutdown { try await sleep(settings.pace) }
            } catch is CancellationError {
                return
            }
        }
    }

    /// - Returns: the number of events deleted.
    @discardableResult
    package func prune(now: Timestamp) async throws -> Int {
        try await pruneByAge(before: now - settings.keptTime) + pruneByCount()
    }

    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    private func pruneByAge(before limit: Timestamp) async throws -> Int {
        var last = (at: Timestamp(microseconds: .min), account: "", seq: Int64(0))
        var pruned = 0
        while !isEnding {
            let batch = try await database.read { [last, settings] tx in
                try tx.rows(EventLog.expired(before: limit, after: last, count: settings.batchCount)).map { row in
                    (
                        at: try row.get("at", as: Timestamp.self), account: try row.get("account", as: String.self),
                        seq: try row.get("seq", as: Int64.self)
                    )
                }
            }
            guard let end = batch.last else { break }
            last = end
            // Times never decrease within a log. So all events of an account that are older than its last one in the batch are in the batch
            // or deleted already.
            var through: [String: Int64] = [:]
            for event in batch { through[event.account] = event.seq }
            pruned += try await database.write { [through] tx in
                try through.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.reduce(0) {
                    try $0 + tx.run(EventLog.prune($1.key, through: $1.value))
                }
            }
        }
        return pruned
    }

    private func pruneByCount() async throws -> Int {
        var last = ""
        var pruned = 0
        while !isEnding {
            let logs = try await database.read { [last, settings] tx in
                try tx.rows(EventLog.long(after: last, kept: settings.keptCount, count: Self.accountCount)).map { row in
                    (
                        account: try row.get("account", as: String.self), head: try row.get("seq", as: Int64.self),
                        oldest: try row.get("oldest", as: Int64?.self)
                    )
                }
            }
            guard let end = logs.last else { break }
            last = end.account
            for log in logs {
                guard var oldest = log.oldest else { continue }
                let surplus = log.head - Int64(settings.keptCount)
                while oldest <= surplus, !isEnding {
                    let through = min(surplus, oldest + Int64(settings.batchCount) - 1)
                    pruned += try await database.write { tx in try tx.run(EventLog.prune(log.account, through: through)) }
                    oldest = through + 1
                }
            }
        }
        return pruned
    }
}
