import Core
import FeatureKit
import HTTPServer
import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// Reloads the certificate and its key on SIGHUP, the signal of programs that renew certificates. Open connections continue. If the new
/// files cannot be used, the service logs an error and keeps the old certificate. At the start and after each reload, it logs the problems
/// that `keepsake doctor` would report: clients refuse the certificate, or will do so soon.
struct CertificateReload: Service {
    /// The service also runs without TLS, because SIGHUP would otherwise end the process.
    let settings: Settings
    let clock: WallClock
    let logger: Logger

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        examine()
        for await _ in signals.cancelOnGracefulShutdown() { reload() }
    }

    func reload() {
        guard let identity = settings.tls else {
            logger.notice("SIGHUP: there is no certificate to reload, because KEEPSAKE_TLS_CERT is not set; other settings need a restart")
            return
        }
        do {
            try identity.reload()
        } catch {
            logger.error(
                "the new certificate cannot be used; the server keeps the old one", metadata: ["error": "\(settings.naming("\(error)"))"])
            return
        }
        logger.notice("the certificate was reloaded")
        examine()
    }

    func examine() {
        guard let identity = settings.tls else { return }
        do {
            _ = try CertificateExamination(settings, now: clock.now).run(identity.certificate)
        } catch let warning as Examination.Warning {
            let message: Logger.Message = identity.certificate.names.isEmpty ? "the certificate names no host" : "the certificate ends soon"
            logger.warning(message, metadata: ["reason": "\(warning)"])
        } catch {
            logger.error("clients refuse the certificate", metadata: ["reason": "\(settings.naming("\(error)"))"])
        }
    }
}
