import Logging
import ServiceLifecycle

/// Logs one line when the server is told to stop. It is the last service of its group, because a group stops its last service first.
struct StopNotice: Service {
    let logger: Logger

    func run() async throws {
        // After a failed start, this throws, so the line is not logged: the task is cancelled, although nobody told the server to stop.
        try await gracefulShutdown()
        logger.notice("stopping")
    }
}
