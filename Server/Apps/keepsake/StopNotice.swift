import Logging
import ServiceLifecycle

/// Logs one line when the server is told to stop. A service group lists it last, so that it is the first to stop.
struct StopNotice: Service {
    let logger: Logger

    func run() async throws {
        // After a failed start it throws: the task is cancelled, and nobody told the server to stop.
        try await gracefulShutdown()
        logger.notice("stopping")
    }
}
