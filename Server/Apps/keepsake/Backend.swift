import Blobs
import Core
import Database
import DatabaseEngines
import FeatureKit
import HTTPServer
import Jobs
import Live
import Logging
import Media
import MediaTools
import Nodes
import Outbound
import S3Blobs
import ServiceLifecycle
import Transfer
import Web

/// Creates all parts of the server and connects them.
struct Backend: Sendable {
    enum Mode: Sendable {
        /// The only server on the data folder. It takes the folder's lock and removes leftover temporary files.
        case serving
        /// A command that may run while a server runs. It refuses to run if there is no installation.
        case tool
        /// Like `tool`, but creates the installation if there is none.
        case firstTool
        /// `keepsake restore`, once it has restored all rows. The other modes refuse an installation whose restore or copy is not finished.
        /// What they wrote would be lost, and their migrations would give the target a different schema than the snapshot has.
        case restoring
    }

    let settings: Settings
    let logger: Logger
    let database: any Database
    /// Watches the writes of the server's parts. `fullDisk` asks it whether they fail.
    let writes: WriteWatch
    let identifiers: Identifiers
    let blobs: any BlobStore
    let features: Features
    let audit: BlobAudit
    let garbageCollector: BlobGarbageCollector
    let hub: Hub
    let sockets: OpenSockets
    /// The memory for bytes from and to clients, which the server and its sockets share.
    let memory: ClientMemory
    let pruner: EventPruner
    /// The runners that `jobRunners` makes.
    let runners: [JobRunner]
    let idempotency: IdempotencyStore
    let buckets: SharedBuckets
    let uploads: UploadJournal
    let calls: CallLedger
    let limiter: RateLimiter?
    let scanner: ClamdScanner?
    let workers: MediaWorkers
    private let lock: StoreLock?
    let address: ListeningAddress
    let origins: AllowedOrigins
    let metrics: Metrics
    let installation: InstallationGauges
    let heartbeat: Heartbeat
    let requests: RequestCount
    /// Whether the database was empty when it was opened.
    let isNew: Bool

    /// - Parameter observing: wraps the database that the server's parts use. Tests record statements with it. The property `database`
    ///   stays unwrapped.
    /// - Throws: `FullDisk` when there is too little space to open the installation.
    static func open(
        _ settings: Settings, mode: Mode, clock: WallClock = .system, entropy: Entropy = .system, logger: Logger,
        observing: (any Database) -> any Database = { $0 }
    ) async throws -> Backend {
        do {
            let backend = try await assemble(
                settings, mode: mode, clock: clock, entropy: entropy, logger: logger, observing: observing)
            if mode == .serving { await backend.warnIfFilesAreAbsent() }
            return backend
        } catch {
            throw settings.explainingFull(error, mode)
        }
    }

    private static func assemble(
        _ settings: Settings, mode: Mode, clock: WallClock, entropy: Entropy, logger: Logger,
        observing: (any Database) -> any Database
    ) async throws -> Backend {
        if mode == .tool { try settings.requireInstallation() }
        try settings.createDataFolder()
        try settings.requireAccess(serving: mode == .serving)
        if mode == .serving { try requirePrograms(settings, logger: logger) }
        let lock = mode == .serving ? try settings.takeLock() : nil
        let (opened, isNew) = try await openDatabase(settings, mode, clock: clock, logger: logger)
        let writes = WriteWatch(observing(opened))
        let database: any Database = writes
        let metrics = Metrics()
        let blobs = try await settings.openBlobs(mode, clock: clock, entropy: entropy, metrics: metrics, logger: logger)
        let ledger = BlobLedger(clock: clock)
        let address = ListeningAddress(scheme: settings.scheme, host: settings.host, port: settings.port)
        let publicURL: @Sendable () -> String = { settings.publicURL ?? address.url }
        let identifiers = Identifiers(clock: clock, entropy: entropy)
        try await database.migrate(migrations, release: Keepsake.release)
        if mode == .serving { try await beginServing(settings, database, identifiers, isNew: isNew, logger: logger) }
        // The id identifies this process among the nodes, and as the worker of its jobs.
        let nodeID = identifiers.next()
        let scanner = settings.clamd.map { ClamdScanner($0, logger: logger) }
        let workers = MediaWorkers(settings.mediaWorker, logger: logger)
        let hub = Hub(database: database, logger: logger, settings: settings.live)
        let calls = CallLedger(database: database, identifiers: identifiers)
        let files = BlobFiles(folder: settings.copiesFolder)
        if mode == .serving { try await TemporaryFile.removeAll(in: files.folder) }
        let installation = InstallationGauges(metrics, settings, opened, clock: clock)
        let limiter: RateLimiter? = settings.rateLimits.map { limits in
            switch settings.database {
            case .sqlite: .local(limits, clock: clock)
            case .postgres: .shared(limits, database, clock: clock)
            }
        }
        let platform = FeaturePlatform(
            database: database, blobs: blobs, ledger: ledger, scanner: scanner, workers: workers, files: files,
            outbound: OutboundHTTP(settings.outboundPolicy), calls: calls, limiter: limiter, hub: hub, identifiers: identifiers,
            publicURL: publicURL,
            checks: Self.checks(opened, blobs, scanner, folders: { try settings.requireUploadFolders() }) {
                writes.isFull ? settings.explainFull(DatabaseError.full) : nil
            },
            installation: installation, logger: logger)
        let features = try await Features(platform, settings)
        let runners = jobRunners(of: features.all, explainFull: { settings.explainFull(DatabaseError.full) }) { handlers, options in
            JobRunner(
                database: database, handlers: handlers, node: nodeID, clock: clock, entropy: entropy, logger: logger, options: options)
        }
        let requests = RequestCount()
        let heartbeat = Heartbeat(
            NodeStore(database: database, clock: clock), id: nodeID, version: Keepsake.version,
            host: { MachineName.current + ":\(address.boundPort)" },
            load: { Heartbeat.Load(requests: requests.current, jobs: runners.reduce(0) { $0 + $1.runningCount }) },
            clock: clock, logger: logger,
            onCompany: {
                for warning in settings.warningsForSeveralNodes { logger.warning("\(settings.naming(warning))") }
            })
        // The reference is weak, because the heartbeat refers to the server, which refers to the metrics.
        metrics.gauge("keepsake_nodes", help: "Nodes with a heartbeat in the last 30 seconds.") { [weak heartbeat] in
            Double(heartbeat?.nodeCount ?? 0)
        }
        let memory = ClientMemory(settings.channelLimits)
        return Backend(
            settings: settings, logger: logger, database: opened, writes: writes, identifiers: identifiers, blobs: blobs,
            features: features,
            audit: BlobAudit(
                database: database, store: blobs, references: Features.types.flatMap { $0.blobReferences }, clock: clock),
            garbageCollector: BlobGarbageCollector(
                database: database, store: blobs, ledger: ledger, clock: clock, logger: logger,
                turn: settings.garbageTurn(Turns(database: database, clock: clock))),
            hub: hub,
            sockets: OpenSockets(
                watch: features.authenticator, wakes: database.wakes, metrics: metrics, logger: logger, settings: settings.sockets,
                memory: memory),
            memory: memory,
            pruner: EventPruner(database: database, clock: clock, logger: logger),
            runners: runners,
            idempotency: IdempotencyStore(
                database: database, clock: clock, retention: .days(Int64(settings.idempotencyDays)), count: features.countRowBytes),
            buckets: SharedBuckets(database: database, clock: clock),
            uploads: UploadJournal(database: database, clock: clock), calls: calls,
            limiter: limiter, scanner: scanner, workers: workers, lock: lock, address: address,
            origins: AllowedOrigins(publicURL: publicURL, others: settings.origins), metrics: metrics,
            installation: installation, heartbeat: heartbeat, requests: requests, isNew: isNew)
    }

    /// Why no row can be changed; `nil` unless the last write found the database's disk full.
    var fullDisk: String? { writes.isFull ? settings.explainFull(DatabaseError.full) : nil }

    /// Every type that owns tables, in the order in which its migrations first run.
    private static var tableOwners: [any TableOwner.Type] { PlatformTables.owners + Features.types }
    static var migrations: [Migration] { tableOwners.flatMap { $0.migrations } }
    /// What copies and backups must know about the tables.
    static var tableRules: TableRules { TableRules(tableOwners, indexes: Features.types.flatMap { $0.tokenTables }) }
    /// Every table with rows that belong to an account.
    static var personalTables: [PersonalTable] { tableOwners.flatMap { $0.personalTables } }

    /// The nodes, for `keepsake nodes`.
    var nodes: NodeStore { NodeStore(database: database, clock: identifiers.clock) }

    /// The installation as the source of a backup, for `keepsake backup`.
    var transferSource: TransferSource {
        TransferSource(
            database: database, store: blobs, rules: Self.tableRules, identifiers: identifiers, program: Keepsake.version)
    }

    /// The jobs, for `keepsake jobs`.
    var jobs: JobStore { JobStore(database: database, clock: identifiers.clock) }

    func close() async throws {
        try await database.close()
        await blobs.close()
        lock?.release()
    }
}
