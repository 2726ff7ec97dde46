import HTTPServer
import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// Reads the certificate and its key again on SIGHUP, as programs that renew certificates send it. Connections go on; what cannot be
/// used is logged, and what was there before stays.
struct CertificateReload: Service {
    let identity: TLSIdentity
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            do {
                try identity.reload()
                logger.notice("certificate read again")
            } catch {
                logger.error("the new certificate cannot be used; the old one stays", metadata: ["error": "\(error)"])
            }
        }
    }
}
