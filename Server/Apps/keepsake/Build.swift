import Blobs
import Capsules
import Console
import Core
import Database
import DatabaseEngines
import FeatureKit
import Foundation
import HTTPServer
import Hummingbird
import Jobs
import Live
import Logging
import Media
import MediaTools
import Nodes
import Outbound
import Phone
import S3Blobs
import ServiceLifecycle
import Synchronization
import Transfer
import Web

/// The server's parts, made and connected.
struct Backend: Sendable {
    enum Mode: Sendable {
        /// The only server on the data folder: takes its lock and removes leftover temporary files.
        case serving
        /// A command that may run beside a server. It refuses a place without an installation.
        case tool
        /// The same for the commands with which people begin: they create the installation if there is none.
        case firstTool
    }

    let settings: Settings
    let logger: Logger
    let database: any Database
    private let identifiers: Identifiers
    let blobs: any BlobStore
    let features: Features
    let audit: BlobAudit
    private let garbageCollector: BlobGarbageCollector
    let hub: Hub
    let sockets: OpenSockets
    private let pruner: EventPruner
    private let runner: JobRunner
    private let longRunner: JobRunner
    private let patientRunner: JobRunner
    private let heavyRunner: JobRunner
    private let idempotency: IdempotencyStore
    private let buckets: SharedBuckets
    private let uploads: UploadJournal
    private let calls: CallLedger
    private let limiter: RateLimiter?
    private let scanner: ClamdScanner?
    private let workers: MediaWorkers
    private let lock: StoreLock?
    private let address: ListeningAddress
    private let origins: AllowedOrigins
    private let metrics: Metrics
    let installation: InstallationGauges
    private let heartbeat: Heartbeat
    private let requests: RequestCount
    /// Whether the database was empty when it was opened.
    let isNew: Bool

    /// - Parameter observing: wraps the database that the server uses, for tests that record its statements. `database` stays unwrapped.
    static func open(
        _ settings: Settings, mode: Mode, clock: WallClock = .system, entropy: Entropy = .system, logger: Logger,
        observing: (any Database) -> any Database = { $0 }
    ) async throws -> Backend {
        if mode == .tool { try settings.requireInstallation() }
        do {
            try FileManager.default.createDirectory(
                atPath: settings.dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Problem(.unavailable, "the data folder \(settings.dataFolder) cannot be created by the user \(SystemUser.name)")
        }
        try settings.requireAccess(serving: mode == .serving)
        for program in [settings.mediaWorker.program, settings.mediaWorker.ffmpeg, settings.mediaWorker.ffprobe]
        where mode == .serving && !FileManager.default.isExecutableFile(atPath: program) {
            throw Problem(.unavailable, "\(program) is missing; the server needs it to read pictures, films and sounds")
        }
        if mode == .serving, !FileManager.default.isReadableFile(atPath: PhoneNumber.libraryPath) {
            throw Problem(.unavailable, "\(PhoneNumber.libraryPath) is missing; the server needs it to read phone numbers")
        }
        if mode == .serving, case .pocketsphinx? = settings.transcriber?.engine, let program = settings.transcriber?.program,
            !FileManager.default.isExecutableFile(atPath: program)
        {
            throw Problem(.unavailable, "\(program) is missing; install the packages pocketsphinx and pocketsphinx-en-us")
        }
        if mode == .serving, !FileManager.default.isExecutableFile(atPath: settings.analyzer.tesseract) {
            logger.warning("tesseract is missing; the text in pictures is not read. Install tesseract-ocr and tesseract-ocr-eng")
        }
        let lock = mode == .serving ? try StoreLock.take(in: settings.dataFolder) : nil
        let opened = try await settings.database.open(clock: clock, connections: settings.databaseConnections)
        let isNew: Bool
        do {
            isNew = try await settings.isNew(opened, mayBegin: mode != .tool)
        } catch {
            try? await opened.close()
            throw error
        }
        let database = observing(opened)
        let metrics = Metrics()
        let blobs = try await settings.openBlobs(mode, clock: clock, entropy: entropy, metrics: metrics, logger: logger)
        let ledger = BlobLedger(clock: clock)
        let address = ListeningAddress(scheme: settings.scheme, host: settings.host, port: settings.port)
        let publicURL: @Sendable () -> String = { settings.publicURL ?? address.url }
        let identifiers = Identifiers(clock: clock, entropy: entropy)
        try await database.migrate(migrations, release: Keepsake.release)
        if isNew, mode == .serving {
            logger.notice("a new installation was created", metadata: settings.place)
        }
        if mode == .serving { try await TransferState(database: database, clock: clock).beginServing() }
        if mode == .serving, case .sqlite = settings.database { try await NodeStore(database: database, clock: clock).clear() }
        // Names this process among the nodes, and as the worker of its jobs.
        let nodeID = identifiers.next()
        let scanner = settings.clamd.map { ClamdScanner($0, logger: logger) }
        let workers = MediaWorkers(settings.mediaWorker, logger: logger)
        let hub = Hub(database: database, logger: logger, settings: settings.live)
        let calls = CallLedger(database: database, identifiers: identifiers)
        let files = BlobFiles(folder: settings.copiesFolder)
        if mode == .serving { try await TemporaryFile.removeAll(in: files.folder) }
        let installation = InstallationGauges(metrics, settings, opened, clock: clock)
        let platform = FeaturePlatform(
            database: database, blobs: blobs, ledger: ledger, scanner: scanner, workers: workers, files: files,
            outbound: OutboundHTTP(settings.outboundPolicy), calls: calls, hub: hub, identifiers: identifiers, publicURL: publicURL,
            checks: Self.checks(opened, blobs, scanner), installation: installation, logger: logger)
        let features = try await Features(platform, settings)
        var longJobs = JobRunner.Options()
        // Each long job may keep a core busy for minutes.
        longJobs.concurrency = CapsulesFeature.transcriptionCount
        var patientJobs = JobRunner.Options()
        // A job that waits keeps no thread and no connection.
        patientJobs.concurrency = 8
        let runner = JobRunner(
            database: database, handlers: features.all.flatMap(\.jobs), node: nodeID, clock: clock, entropy: entropy, logger: logger)
        let longRunner = JobRunner(
            database: database, handlers: features.all.flatMap(\.longJobs), node: nodeID, clock: clock, entropy: entropy,
            logger: logger, options: longJobs)
        let patientRunner = JobRunner(
            database: database, handlers: features.all.flatMap(\.patientJobs), node: nodeID, clock: clock, entropy: entropy,
            logger: logger, options: patientJobs)
        var heavyJobs = JobRunner.Options()
        heavyJobs.concurrency = 1
        // Such a job takes longer than any stop may wait, so it starts again afterwards.
        heavyJobs.grace = .zero
        let heavyRunner = JobRunner(
            database: database, handlers: features.all.flatMap(\.heavyJobs), node: nodeID, clock: clock, entropy: entropy,
            logger: logger, options: heavyJobs)
        let requests = RequestCount()
        let heartbeat = Heartbeat(
            NodeStore(database: database, clock: clock), id: nodeID, version: Keepsake.version,
            host: { MachineName.current + ":\(address.boundPort)" },
            load: {
                Heartbeat.Load(
                    requests: requests.current,
                    jobs: [runner, longRunner, patientRunner, heavyRunner].reduce(0) { $0 + $1.runningCount })
            },
            clock: clock, logger: logger, onCompany: { for warning in settings.warningsForSeveralNodes { logger.warning("\(warning)") } })
        // Weak: the heartbeat refers to the server, which refers to the metrics.
        metrics.gauge("keepsake_nodes", help: "Nodes with a heartbeat in the last 30 seconds.") { [weak heartbeat] in
            Double(heartbeat?.nodeCount ?? 0)
        }
        return Backend(
            settings: settings, logger: logger, database: opened, identifiers: identifiers, blobs: blobs,
            features: features,
            audit: BlobAudit(
                database: database, store: blobs, references: Features.types.flatMap { $0.blobReferences }, clock: clock),
            garbageCollector: BlobGarbageCollector(
                database: database, store: blobs, ledger: ledger, clock: clock, logger: logger,
                turn: settings.garbageTurn(Turns(database: database, clock: clock))),
            hub: hub,
            sockets: OpenSockets(
                watch: features.authenticator, wakes: database.wakes, metrics: metrics, logger: logger, settings: settings.sockets),
            pruner: EventPruner(database: database, clock: clock, logger: logger),
            runner: runner, longRunner: longRunner, patientRunner: patientRunner, heavyRunner: heavyRunner,
            idempotency: IdempotencyStore(
                database: database, clock: clock, retention: .days(Int64(settings.idempotencyDays)), count: features.countRowBytes),
            buckets: SharedBuckets(database: database, clock: clock),
            uploads: UploadJournal(database: database, clock: clock), calls: calls,
            limiter: settings.rateLimits.map { limits in
                switch settings.database {
                case .sqlite: .local(limits, clock: clock)
                case .postgres: .shared(limits, database, clock: clock)
                }
            },
            scanner: scanner, workers: workers, lock: lock, address: address,
            origins: AllowedOrigins(publicURL: publicURL, others: settings.origins), metrics: metrics,
            installation: installation, heartbeat: heartbeat, requests: requests, isNew: isNew)
    }

    /// Every owner of tables, in the order in which its migrations first run.
    private static var tableOwners: [any TableOwner.Type] { PlatformTables.owners + Features.types }
    static var migrations: [Migration] { tableOwners.flatMap { $0.migrations } }
    /// What copies and backups must know about the tables.
    static var tableRules: TableRules { TableRules(tableOwners, indexes: Features.types.flatMap { $0.tokenTables }) }
    /// Every table with rows that belong to an account.
    static var personalTables: [PersonalTable] { tableOwners.flatMap { $0.personalTables } }

    /// Services that a service group lists after the server, so that they stop before it: they answer clients that wait for events and
    /// close sockets, and then the server drains.
    var frontServices: [any Service] { [sockets, hub] + features.all.flatMap(\.frontServices) }

    /// Loops that run beside the server and stop after it.
    var services: [any Service] {
        [
            workers, garbageCollector, pruner, runner, longRunner, patientRunner, heavyRunner, heartbeat, upkeep, gauges,
            FreeMemory.upkeep(logger: logger),
        ]
            + features.all.flatMap(\.services) + [CertificateReload(identity: settings.tls, logger: logger)]
            + (scanner.map { [ScannerNotice($0, setting: settings.clamdName, logger: logger)] } ?? [])
    }

    /// For `keepsake nodes`.
    var nodes: NodeStore { NodeStore(database: database, clock: identifiers.clock) }

    /// Updates the gauges that the metrics page shows beside the request metrics.
    private var gauges: Upkeep {
        metrics.gauge("keepsake_event_subscriptions", help: "Open event streams and long polls.") { [hub] in
            Double(hub.counts.subscriptions)
        }
        metrics.counter("keepsake_event_gaps_total", help: "Holes found in event logs; anything but 0 is a fault.") { [hub] in
            Double(hub.counts.gaps)
        }
        ProcessGauges.add(to: metrics)
        let store = jobs
        let handlers = features.all.flatMap { [$0.jobs, $0.longJobs, $0.patientJobs, $0.heavyJobs].flatMap { $0 } }
        let counted = JobGauges(metrics, kinds: handlers.map(\.kind))
        return Upkeep("metrics", every: InstallationGauges.pause, logger: logger) { [installation] in
            let jobs = try await store.counts()
            counted.set(jobs)
            try await installation.refresh(jobs)
        }
    }

    /// Adds the log's dropped lines to the metrics page.
    func count(_ log: LogWriter) {
        metrics.counter("keepsake_log_lines_dropped_total", help: "Log lines lost: the buffer was full, or the output took no more.") {
            Double(log.droppedLineCount)
        }
    }

    /// For `keepsake backup`.
    var transferSource: TransferSource {
        TransferSource(
            database: database, store: blobs, rules: Self.tableRules, identifiers: identifiers, program: Keepsake.version)
    }

    /// For `keepsake jobs`.
    var jobs: JobStore { JobStore(database: database, clock: identifiers.clock) }

    /// Deletes expired idempotency keys, rate-limit buckets, abandoned uploads, and old records of calls.
    private var upkeep: Upkeep {
        Upkeep("requests", every: .minutes(10), logger: logger) { [idempotency, buckets, uploads, calls] in
            try await uploads.sweep()
            try await idempotency.sweep()
            try await buckets.sweep()
            try await calls.sweep()
        }
    }

    /// Every route of every feature.
    func makeRoutes(on server: WebServer) -> Routes {
        let routes = makeEmptyRoutes(on: server)
        for feature in features.all { feature.addRoutes(to: routes) }
        PollEvents(hub: hub).addRoutes(to: routes)
        StreamEvents(hub: hub).addRoutes(to: routes)
        Operations(checks: checks, metrics: metrics, authenticator: features.authenticator).addRoutes(to: routes)
        Self.openAPI.addRoutes(to: routes)
        ServeConsole(
            fileOrigin: settings.redirectOrigin, fileByteCount: settings.uploads.fileByteCount, timeZone: settings.timeZone.identifier
        ).addRoutes(to: routes)
        routes.finish()
        return routes
    }

    /// The routes object before any feature has added its routes.
    func makeEmptyRoutes(on server: WebServer) -> Routes {
        Routes(
            router: server.makeRouter(origins: origins, surfaces: Self.surfaces), methods: server.methods,
            authenticator: features.authenticator,
            links: features.links, idempotency: Idempotency(store: idempotency), limiter: limiter, sockets: sockets, origins: origins,
            allowsAnonymous: settings.allowsAnonymous)
    }

    static var surfaces: PathSurfaces { PathSurfaces(Features.types.flatMap { $0.surfaces }) }

    static var openAPI: ServeOpenAPI { ServeOpenAPI(Features.types.map { $0.openAPI }, version: Keepsake.version) }

    /// - Parameter onListening: receives the port as soon as the server accepts requests.
    func makeServer(_ onListening: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
        let server = WebServer(
            metrics: metrics, limits: settings.channelLimits, tls: settings.tls, proxies: settings.trustedProxies,
            threads: database.threads,
            explainFull: { [settings] in settings.explainFull($0) })
        requests.count(on: server)
        let routes = makeRoutes(on: server)
        return server.makeApplication(router: routes.router, host: settings.host, port: settings.port, logger: logger) { [address] port in
            address.set(port: port)
            onListening(port)
        }
    }

    func close() async throws {
        try await database.close()
        await blobs.close()
        lock?.release()
    }

    // MARK: Health checks

    /// The checks of `/health/ready`: quick, and read-only.
    private var checks: [Operations.Check] { Self.checks(database, blobs, nil) }

    /// The same, and for `/admin/status` also whether the scanner finds a virus.
    private static func checks(_ database: any Database, _ blobs: any BlobStore, _ scanner: ClamdScanner?) -> [Operations.Check] {
        var checks = [
            Operations.Check("database") { _ = try await database.read { tx in try tx.row("SELECT 1 AS one") } },
            Operations.Check("blobs") {
                let free = try await blobs.freeByteCount()
                guard free >= BlobLimits.ready else {
                    throw Settings.Wrong(description: "the disk is full: \(free / 1_048_576) MB are free, and at least 64 MB are needed")
                }
            },
        ]
        if let scanner {
            checks.append(Operations.Check("scanner") { _ = try await scanner.probe(byteCount: 1_024, within: .seconds(5)) })
        }
        return checks
    }

    /// The checks of `keepsake doctor`, which also write.
    var examinations: [Examination] { platformExaminations + features.all.flatMap(\.examinations) }

    private var platformExaminations: [Examination] {
        [
            Examination(name: "database") { [database, identifiers, settings] in
                try await DatabaseProbe(identifiers: identifiers).run(database)
                return "\(settings.database.engineName): a row was committed to the disk, read back and removed"
            },
            Examination(name: "blobs") { [blobs] in
                if let store = blobs as? S3BlobStore { return try await store.diagnose() }
                try await blobs.probe()
                return "written, synced, read back, removed"
            },
            Examination(name: "disk") { [blobs] in
                if blobs is S3BlobStore { return "files are in the object store" }
                let free = try await blobs.freeByteCount()
                guard free > 1_073_741_824 else { throw Settings.Wrong(description: "less than 1 GB free: \(free / 1_048_576) MB") }
                return "\(free / 1_073_741_824) GB free"
            },
            Examination(name: "scanner") { [scanner, settings] in
                guard let scanner else { return "none: uploads are not scanned for viruses; set KEEPSAKE_CLAMD" }
                return try await scanner.probe(byteCount: max(ClamdScanner.largestByteCount, settings.uploads.fileByteCount)).description
            },
            Examination(name: "media") { [workers] in
                try await withThrowingTaskGroup(of: String?.self) { group in
                    group.addTask {
                        try await workers.run()
                        return nil
                    }
                    group.addTask { try await workers.probe() }
                    defer { group.cancelAll() }
                    return try await group.first { $0 != nil }?.flatMap { $0 } ?? "no result"
                }
            },
            Examination(name: "sandbox") { [settings] in
                // The server hides its process in the same way.
                OwnProcess.hide()
                let report = try SandboxProbe(settings.mediaWorker).run(file: settings.probedFile)
                if let fault = report.fault { throw Settings.Wrong(description: fault) }
                return report.description
            },
            Examination(name: "phone") { try PhoneNumber.probe() },
            Examination(name: "links") { [settings] in
                settings.publicURL ?? "derived from the listening address; set KEEPSAKE_PUBLIC_URL for clients on other machines"
            },
        ]
    }
}

extension Settings {
    fileprivate func openBlobs(
        _ mode: Backend.Mode, clock: WallClock, entropy: Entropy, metrics: Metrics, logger: Logger
    ) async throws -> any BlobStore {
        var options = BlobAddress.Options(scratchFolder: dataFolder + "/scratch")
        options.removingLeftovers = mode == .serving
        options.keptOpen = mode == .serving ? channelLimits.openFiles : 0
        options.keptFree = BlobLimits.keptFree
        options.observe = { metrics.count($0) }
        return try await blobs.open(options, clock: clock, entropy: entropy, logger: logger)
    }

    /// Where blobs of an object store are copied for programs that need a file.
    fileprivate var copiesFolder: String { dataFolder + "/copies" }

    /// Where links to the object store lead; `nil` when clients get none.
    fileprivate var redirectOrigin: String? {
        guard blobsRedirect, case .s3(let address, _) = blobs else { return nil }
        return address.origin
    }

    /// What does not work when several nodes share the database.
    fileprivate var warningsForSeveralNodes: [String] {
        var warnings: [String] = []
        if case .file = blobs {
            warnings.append(
                "several nodes share the database, but KEEPSAKE_BLOBS is a folder: only the node that received a file can read it")
        }
        if publicURL == nil {
            warnings.append(
                "several nodes share the database, but KEEPSAKE_PUBLIC_URL is not set: links lead to the node that made them")
        }
        return warnings
    }

    /// Nodes share a bucket, so one of them lists it and deletes what is unused. A folder belongs to one node.
    fileprivate func garbageTurn(_ turns: Turns) -> BlobGarbageCollector.Turn {
        switch blobs {
        case .file: { _, _ in true }
        case .s3: { work, pause in try await turns.take(work, every: pause) }
        }
    }

    /// A file that no decoder may be able to read: the SQLite database, or with PostgreSQL the lock file in the data folder.
    fileprivate var probedFile: String {
        if case .sqlite(let path) = database { return path }
        return dataFolder + "/keepsake.lock"
    }
}

/// The address that the server listens on. Its port is known only once the server listens, since port 0 picks a free one.
private final class ListeningAddress: Sendable {
    private let scheme: String
    private let host: String
    private let port: Mutex<Int>

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host.contains(":") ? "[\(host)]" : host
        self.port = Mutex(port)
    }

    func set(port new: Int) { port.withLock { $0 = new } }
    var boundPort: Int { port.withLock { $0 } }
    var url: String { "\(scheme)://\(host):\(boundPort)" }
}

/// The number of requests in progress. The server is made after the loops that read it.
private final class RequestCount: Sendable {
    private let server = Mutex<WebServer?>(nil)

    func count(on new: WebServer) { server.withLock { $0 = new } }
    var current: Int { server.withLock { $0 }?.requestCount ?? 0 }
}
