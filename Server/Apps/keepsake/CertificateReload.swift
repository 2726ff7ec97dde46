import HTTPServer
import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// Reloads the certificate and its key on SIGHUP, which programs that renew certificates send. Open connections continue. If the new files
/// cannot be used, it logs an error and keeps the old certificate.
struct CertificateReload: Service {
    /// `nil` without TLS: SIGHUP would otherwise end the process.
    let identity: TLSIdentity?
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() { reload() }
    }

    func reload() {
        guard let identity else {
            logger.notice("SIGHUP: there is no certificate to reload, because KEEPSAKE_TLS_CERT is not set; other settings need a restart")
            return
        }
        do {
            try identity.reload()
            logger.notice("the certificate was reloaded")
        } catch {
            logger.error("the new certificate cannot be used; the server keeps the old one", metadata: ["error": "\(error)"])
        }
    }
}
