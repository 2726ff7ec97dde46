import Logging
import Mail
import ServiceLifecycle

/// Logs a warning if the mail server cannot be reached when the server starts, or refuses its sign-in. It tries once, because a mail server
/// may lock out a client that signs in with a wrong password again and again. Later failures are logged with the mails that they delay.
struct MailNotice: Service {
    private let address: String
    /// What the operator wrote to set the address: a flag, a variable, or a key and its file.
    private let setting: String
    private let logger: Logger
    private let reach: @Sendable () async throws -> Void

    /// - Returns: `nil` when the server sends no mail.
    init?(_ settings: Settings, logger: Logger) {
        guard var smtp = settings.smtp else { return nil }
        // This is the time limit for each step: the connection, the TLS handshake and each reply.
        smtp.timeout = .seconds(10)
        self.init(smtp.address.place, setting: settings.naming("KEEPSAKE_SMTP"), logger: logger) { [smtp] in
            try await SMTPClient(smtp).probe()
        }
    }

    /// - Parameter reach: throws if the mail server does not answer.
    init(_ address: String, setting: String, logger: Logger, reach: @escaping @Sendable () async throws -> Void) {
        self.address = address
        self.setting = setting
        self.logger = logger
        self.reach = reach
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.examine() }
        // Wait here, because the server stops when a service returns.
        try await gracefulShutdown()
    }

    private func examine() async {
        do {
            try await reach()
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning(
                "the mail server cannot be used now; the server tries each mail ten times within an hour",
                metadata: ["address": "\(address)", "setting": "\(setting)", "error": "\(error)"])
        }
    }
}
