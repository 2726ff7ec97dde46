package import Logging
import ServiceLifecycle

/// Runs a small task periodically while the server runs. If a run fails, it logs the error and tries again after the pause.
package struct Upkeep: Service, CustomStringConvertible {
    private let name: String
    private let pause: Duration
    private let logger: Logger
    private let work: @Sendable () async throws -> Void

    package init(_ name: String, every pause: Duration, logger: Logger, _ work: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.pause = pause
        self.logger = logger
        self.work = work
    }

    package var description: String { "upkeep of \(name)" }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await work()
                } catch {
                    if !Task.isCancelled {
                        logger.warning("upkeep failed; the server will retry it", metadata: ["of": "\(name)", "error": "\(error)"])
                    }
                }
                try? await Task.sleep(for: pause)
            }
        }
    }
}
