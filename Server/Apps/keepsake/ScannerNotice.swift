import Logging
import MediaTools
import ServiceLifecycle

/// Logs a warning when clamd does not answer at the start of the server, and a notice as soon as it does. Later outages are logged with the
/// uploads that they refuse.
struct ScannerNotice: Service {
    private let address: String
    /// What the operator wrote to set the address: a flag, a variable, or a key and its file.
    private let setting: String
    private let pause: Duration
    private let logger: Logger
    private let reach: @Sendable () async throws -> Void

    init(_ scanner: ClamdScanner, setting: String, logger: Logger) {
        self.init(scanner.address.description, setting: setting, logger: logger) { _ = try await scanner.version(within: .seconds(5)) }
    }

    /// - Parameters:
    ///   - pause: between two attempts; default 10 seconds.
    ///   - reach: throws if the scanner does not answer.
    init(
        _ address: String, setting: String, pause: Duration = .seconds(10), logger: Logger,
        reach: @escaping @Sendable () async throws -> Void
    ) {
        self.address = address
        self.setting = setting
        self.pause = pause
        self.logger = logger
        self.reach = reach
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.watch() }
        // A service that returns stops the server.
        try await gracefulShutdown()
    }

    /// Returns when the scanner answers, or the task is cancelled.
    private func watch() async {
        var isAway = false
        while !Task.isCancelled {
            do {
                try await reach()
                if isAway { logger.notice("clamd answers now", metadata: ["address": "\(address)"]) }
                return
            } catch {
                if !isAway, !Task.isCancelled {
                    logger.warning(
                        "clamd does not answer; uploads get 503 until it does",
                        metadata: ["address": "\(address)", "setting": "\(setting)", "error": "\(error)"])
                }
                isAway = true
            }
            try? await Task.sleep(for: pause)
        }
    }
}
