internal import Logging
internal import Synchronization

/// Logs once when the database becomes unreachable, and once when it is reachable again.
final class JobOutage: Sendable {
    private let isAway = Mutex(false)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func began(_ error: any Error) {
        let isNews = isAway.withLock { isAway in
            defer { isAway = true }
            return !isAway
        }
        if isNews { logger.error("jobs wait for the database", metadata: ["error": "\(JobErrorText.of(error))"]) }
    }

    func ended() {
        let isNews = isAway.withLock { isAway in
            defer { isAway = false }
            return isAway
        }
        if isNews { logger.info("the database is back; jobs go on") }
    }
}
