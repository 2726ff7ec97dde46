import ArgumentParser
import Core
import Foundation
import HTTPServer
import Logging
import MediaTools
import S3Blobs
import ServiceLifecycle
import UnixSignals
import Web

struct ListenOptions: ParsableArguments {
    @Option(help: "The address to listen on (KEEPSAKE_HOST). Default: 127.0.0.1")
    var host: String?

    @Option(help: "The port; 0 picks a free one (KEEPSAKE_PORT). Default: 8080")
    var port: String?
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the API until the process gets SIGTERM or SIGINT.")

    @OptionGroup(title: CommonOptions.title)
    var address: ListenOptions

    @Flag(help: "Print how to send a first photo.")
    var welcome = false

    // These are the groups of `Options`. They are not inside one more group: in a debug build, each level of groups makes ArgumentParser
    // check the groups below it five times as often, and the start would take a tenth of a second longer.
    @OptionGroup(title: CommonOptions.title)
    var common: CommonOptions

    @OptionGroup(title: AccountOptions.title)
    var accounts: AccountOptions

    @OptionGroup(title: ConnectionOptions.title)
    var connections: ConnectionOptions

    @OptionGroup(title: MailOptions.title)
    var mail: MailOptions

    @OptionGroup(title: StorageOptions.title)
    var storage: StorageOptions

    @OptionGroup(title: EngineOptions.title)
    var engines: EngineOptions

    @OptionGroup(title: IdentityOptions.title)
    var identities: IdentityOptions

    @OptionGroup(title: FeatureOptions.title)
    var features: FeatureOptions

    /// The flags of all settings.
    var options: Options { Options(common, accounts, connections, mail, storage, engines, identities, features) }

    /// The text that is printed, and logged as a warning, at every start.
    private static let anonymous =
        "KEEPSAKE_ALLOW_ANONYMOUS is on: everybody who can reach this server can read and change all users' data without a password"

    func run() async throws {
        try await Exit.reporting {
            // Ignore SIGHUP until `CertificateReload` handles it. Otherwise it would end the process, for example when a certificate is
            // renewed during a migration.
            signal(SIGHUP, SIG_IGN)
            // This must precede the reading of any secret.
            OwnProcess.hide()
            FreeMemory.limit()
            // This comes first, because the limit of connections is computed from it.
            OpenFiles.raiseLimit()
            EventLoops.fitProcessors()
            let settings = try await Settings.read(options, host: address.host, port: address.port)
            try settings.requireCertificate()
            let log = LogWriter(names: settings.written)
            // Write the log before an error is printed, so that the error follows the lines that explain it.
            defer { log.drain() }
            let logger = Logger(label: "keepsake") { _ in LineLogHandler(level: settings.logLevel, writer: log) }
            if settings.clamd == nil { logger.notice("uploads are not scanned for viruses: KEEPSAKE_CLAMD is not set") }
            let anonymous = settings.naming(Self.anonymous)
            if settings.allowsAnonymous { logger.warning("\(anonymous)") }
            for warning in settings.warnings { logger.warning("\(settings.naming(warning))") }
            for variable in MisspeltVariable.all(in: ProcessInfo.processInfo.environment) {
                logger.warning(
                    "a variable is not a setting and is ignored; its name may be misspelt",
                    metadata: ["variable": "\(variable.name)", "nearest": "\(variable.nearest)"])
            }
            try await settings.requireAddress()
            let backend = try await Backend.open(settings, mode: .serving, logger: logger)
            backend.count(log)
            let welcome = welcome ? try await FirstPhoto.prepare(backend) : nil
            let server = backend.makeServer { port in
                let address = "\(settings.scheme)://\(settings.host.contains(":") ? "[\(settings.host)]" : settings.host):\(port)"
                print("listening on \(address)")
                print("keepsake \(Keepsake.version), data in \(settings.dataFolder)")
                if settings.allowsAnonymous { print("WARNING: \(anonymous)") }
                if let welcome { print(welcome.explain(address)) }
                // Standard output to a pipe is buffered. Without this flush, a program that waits for the line would wait forever.
                fflush(nil)
                ServiceManager(ProcessInfo.processInfo.environment)?.ready()
            }
            var services: [any Service] = backend.services + [server] + backend.frontServices
            services.append(StopNotice(logger: logger))
            if let notice = MailNotice(settings, logger: logger) { services.append(notice) }
            if let store = backend.blobs as? S3BlobStore { services.append(OutageNotice(store, settings, logger: logger)) }
            var configuration = ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            configuration.maximumGracefulShutdownDuration = .seconds(10)
            do {
                try await ServiceGroup(configuration: configuration).run()
            } catch {
                throw CannotListen(error, settings) ?? error
            }
            try await backend.close()
        }
    }
}
