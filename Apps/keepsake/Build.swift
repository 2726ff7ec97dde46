import Accounts
import Blobs
import Core
import Database
import Foundation
import Hummingbird
import Jobs
import Live
import Logging
import Media
import MediaTools
import ServiceLifecycle
import Synchronization
import Web

/// Everything wired together, once.
struct Backend: Sendable {
    enum Mode: Sendable {
        /// Owns the folder: locked against a second server, left-over temporary files removed.
        case serving
        /// Beside a running server.
        case tool
    }

    let settings: Settings
    let logger: Logger
    let database: any Database
    private let identifiers: Identifiers
    let blobs: LocalBlobStore
    let accounts: AccountsFeature
    let media: MediaFeature
    let audit: BlobAudit
    private let janitor: BlobJanitor
    let hub: Hub
    private let pruner: EventPruner
    private let runner: JobRunner
    private let idempotency: IdempotencyStore
    private let buckets: SharedBuckets
    private let uploads: UploadJournal
    private let limiter: RateLimiter?
    private let scanner: ClamdScanner?
    private let lock: StoreLock?
    private let address: ListeningAddress
    private let links: SignedLinks
    private let metrics = Metrics()

    static func open(
        _ settings: Settings, mode: Mode, clock: WallClock = .system, entropy: Entropy = .system, passwordCost: PasswordCost = .recommended,
        logger: Logger
    ) async throws -> Backend {
        do {
            try FileManager.default.createDirectory(
                atPath: settings.dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Problem(.unavailable, "the data folder \(settings.dataFolder) cannot be made")
        }
        let lock = mode == .serving ? try StoreLock.take(in: settings.dataFolder) : nil
        let database = try await settings.database.open(clock: clock, connections: settings.databaseConnections)
        let blobs = try await LocalBlobStore.open(
            folder: settings.blobFolder, removingLeftovers: mode == .serving, clock: clock, entropy: entropy)
        let ledger = BlobLedger(clock: clock)
        let address = ListeningAddress(host: settings.host, port: settings.port)
        let publicURL: @Sendable () -> String = { settings.publicURL ?? address.url }
        let accounts = AccountsFeature(
            database: database, clock: clock, entropy: entropy,
            settings: AccountsSettings(
                issuer: { settings.publicURL ?? "keepsake" }, registration: settings.registration.forAccounts, passwordCost: passwordCost),
            logger: logger)
        let identifiers = Identifiers(clock: clock, entropy: entropy)
        try await database.migrate(
            DatabaseProbe.migrations + BlobLedger.migrations + UploadJournal.migrations + JobStore.migrations + EventLog.migrations
                + IdempotencyStore.migrations
                + SharedBuckets.migrations + featureTypes.flatMap { $0.migrations })
        let links = SignedLinks(
            publicURL: publicURL, seal: Seal(key: try await accounts.secret(named: "links").exposed), lifetimeDays: settings.linkDays,
            clock: clock)
        let scanner = settings.clamd.map { ClamdScanner($0, logger: logger) }
        let media = MediaFeature(
            database: database, blobs: blobs, ledger: ledger, links: links,
            cursors: Cursors(seal: Seal(key: try await accounts.secret(named: "cursors").exposed)),
            identifiers: identifiers, quota: MediaQuota(byteCount: settings.quotaByteCount),
            events: EventLog(clock: clock), scanner: scanner)
        let features: [any Feature] = [accounts, media]
        return Backend(
            settings: settings, logger: logger, database: database, identifiers: identifiers, blobs: blobs, accounts: accounts,
            media: media,
            audit: BlobAudit(database: database, store: blobs, references: [MediaFeature.blobReferences], clock: clock),
            janitor: BlobJanitor(database: database, store: blobs, ledger: ledger, clock: clock, logger: logger),
            hub: Hub(database: database, logger: logger), pruner: EventPruner(database: database, clock: clock, logger: logger),
            runner: JobRunner(
                database: database, handlers: features.flatMap(\.jobs), node: identifiers.next(), clock: clock, entropy: entropy,
                logger: logger),
            idempotency: IdempotencyStore(database: database, clock: clock),
            buckets: SharedBuckets(database: database, clock: clock),
            uploads: UploadJournal(database: database, clock: clock),
            limiter: settings.rateLimits.map { limits in
                switch settings.database {
                case .sqlite: .local(limits, clock: clock)
                case .postgres: .shared(limits, database, clock: clock)
                }
            },
            scanner: scanner, lock: lock, address: address, links: links)
    }

    /// Loops that run beside the server and stop after it.
    var services: [any Service] { [janitor, pruner, runner, upkeep, gauges] + features.flatMap(\.services) }

    /// What stands on the page of metrics beside the requests.
    private var gauges: Upkeep {
        metrics.gauge("keepsake_event_subscriptions", help: "Open event streams and long polls.") { [hub] in
            Double(hub.counts.subscriptions)
        }
        metrics.gauge("keepsake_event_gaps", help: "Holes found in event logs; anything but 0 is a fault.") { [hub] in
            Double(hub.counts.gaps)
        }
        let store = JobStore(database: database, clock: identifiers.clock)
        let counted = JobGauges(metrics)
        return Upkeep("job metrics", every: .seconds(30), logger: logger) { counted.set(try await store.counts()) }
    }

    /// What is kept for a while only.
    private var upkeep: Upkeep {
        Upkeep("requests", every: .minutes(10), logger: logger) { [idempotency, buckets, uploads] in
            try await uploads.sweep()
            try await idempotency.sweep()
            try await buckets.sweep()
        }
    }

    /// - Parameter onListening: hears the port once requests are taken.
    func makeServer(_ onListening: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
        let server = WebServer(metrics: metrics)
        let router = server.makeRouter()
        let routes = Routes(
            router: router, authenticator: accounts, links: links, idempotency: Idempotency(store: idempotency), limiter: limiter)
        for feature in features { feature.addRoutes(to: routes) }
        PollEvents(hub: hub).addRoutes(to: routes)
        Operations(checks: checks, metrics: metrics, authenticator: accounts).addRoutes(to: routes)
        routes.finish()
        return server.makeApplication(router: router, host: settings.host, port: settings.port, logger: logger) { [address] port in
            address.set(port: port)
            onListening(port)
        }
    }

    func close() async throws {
        try await database.close()
        await blobs.close()
        lock?.release()
    }

    // MARK: Does it work?

    /// What `/health/ready` asks: quick, and without writing.
    private var checks: [Operations.Check] {
        [
            Operations.Check("database") { [database] in _ = try await database.read { tx in try tx.row("SELECT 1 AS one") } },
            Operations.Check("blobs") { [blobs] in _ = try await blobs.freeByteCount() },
        ]
    }

    struct Examination: Sendable {
        let name: String
        let run: @Sendable () async throws -> String
    }

    /// What `keepsake doctor` proves by writing and reading.
    var examinations: [Examination] {
        [
            Examination(name: "database") { [database, identifiers, settings] in
                try await DatabaseProbe(identifiers: identifiers).run(database)
                return "\(settings.database.engineName): a row was committed to the disk, read back and removed"
            },
            Examination(name: "blobs") { [blobs] in
                try await blobs.probe()
                return "written, synced, read back, removed"
            },
            Examination(name: "disk") { [blobs] in
                let free = try await blobs.freeByteCount()
                guard free > 1_073_741_824 else { throw Settings.Wrong(description: "less than 1 GB free: \(free / 1_048_576) MB") }
                return "\(free / 1_073_741_824) GB free"
            },
            Examination(name: "scanner") { [scanner] in
                guard let scanner else { return "none: uploads are not scanned for viruses; name a clamd with KEEPSAKE_CLAMD" }
                return try await scanner.probe().description
            },
            Examination(name: "links") { [settings] in
                settings.publicURL ?? "made of the listening address; set KEEPSAKE_PUBLIC_URL for clients elsewhere"
            },
        ]
    }
}

/// Where the server listens, known once it does: port 0 picks one.
private final class ListeningAddress: Sendable {
    private let host: String
    private let port: Mutex<Int>

    init(host: String, port: Int) {
        self.host = host.contains(":") ? "[\(host)]" : host
        self.port = Mutex(port)
    }

    func set(port new: Int) { port.withLock { $0 = new } }
    var url: String { "http://\(host):\(port.withLock { $0 })" }
}

extension Settings.Registration {
    fileprivate var forAccounts: AccountsSettings.Registration {
        switch self {
        case .open: .open
        case .invite: .invite
        case .closed: .closed
        }
    }
}
