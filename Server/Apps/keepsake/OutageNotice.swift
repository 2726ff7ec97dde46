import Logging
import MediaTools
import S3Blobs
import ServiceLifecycle

/// Logs a warning if another service cannot be used when the server starts, and a notice as soon as it can be used. Later outages are
/// logged with the requests and jobs that they stop.
struct OutageNotice: Service {
    /// The line of the warning, which also says what the outage means.
    let away: Logger.Message
    let back: Logger.Message
    let address: String
    /// The name of the setting that gives the address, as the operator wrote it: a flag, a variable, or a key and its file.
    let setting: String
    /// The pause between two attempts.
    var pause = Duration.seconds(10)
    let logger: Logger
    /// Throws if the service cannot be used. The error says why.
    let reach: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.watch() }
        // Wait here, because the server stops when a service returns.
        try await gracefulShutdown()
    }

    /// Returns when the service can be used, or the task is cancelled.
    private func watch() async {
        var isAway = false
        while !Task.isCancelled {
            do {
                try await reach()
                if isAway { logger.notice(back, metadata: ["address": "\(address)"]) }
                return
            } catch {
                if !isAway, !Task.isCancelled {
                    logger.warning(away, metadata: ["address": "\(address)", "setting": "\(setting)", "error": "\(error)"])
                }
                isAway = true
            }
            try? await Task.sleep(for: pause)
        }
    }
}

extension OutageNotice {
    /// A notice for clamd.
    init(_ scanner: ClamdScanner, setting: String, logger: Logger) {
        self.init(
            away: "clamd does not answer; uploads get 503 until it does", back: "clamd answers now", address: scanner.address.description,
            setting: setting, logger: logger
        ) { _ = try await scanner.version(within: .seconds(5)) }
    }

    /// A notice for the bucket of the files. The bucket may also be missing, or refuse the keys.
    init(_ store: S3BlobStore, _ settings: Settings, logger: Logger) {
        self.init(
            away: "the object store cannot be used; uploads and downloads fail until it can", back: "the object store can be used now",
            address: "\(store.address)", setting: settings.naming("KEEPSAKE_BLOBS"), logger: logger
        ) {
            do {
                try await store.requireBucket()
            } catch let fault as S3Fault {
                throw S3Fault(description: settings.naming(fault.description))
            }
        }
    }
}
