import Blobs
import Core
import Database
import FeatureKit
import HTTPServer
import Jobs
import Live
import Logging
import MediaTools
import Nodes
import Outbound
import ServiceLifecycle
import Web

extension Backend {
    /// Services that must stop before the server drains: they end the requests of clients that wait for events, and close sockets. They
    /// come after the server in the service group, because a group stops its services in reverse order.
    var frontServices: [any Service] { [sockets, hub] + features.all.flatMap(\.frontServices) }

    /// Services that run as long as the server and stop after it.
    var services: [any Service] {
        var services: [any Service] = [workers, garbageCollector, pruner]
        services += runners as [any Service]
        services += [heartbeat, upkeep, dates, gauges] as [any Service]
        services += FreeMemory.upkeep(database, logger: logger) as [any Service]
        services += features.all.flatMap(\.services)
        services += [CertificateReload(settings: settings, clock: identifiers.clock, logger: logger), readiness] as [any Service]
        return services + scannerServices
    }

    /// Updates the readiness metric. It is separate from the other gauges, so that a check that hangs does not delay those.
    private var readiness: Upkeep {
        let gauge = ReadyGauge(metrics, checks)
        return Upkeep("readiness metric", every: ReadyGauge.pause, logger: logger) { await gauge.refresh() }
    }

    private var scannerServices: [any Service] {
        guard let scanner else { return [] }
        let gauge = ScannerGauge(metrics) { _ = try await scanner.version(within: .seconds(5)) }
        return [
            OutageNotice(scanner, setting: settings.clamdName, logger: logger),
            // This is separate from the other gauges, so that a clamd that hangs does not delay those.
            Upkeep("scanner metric", every: ScannerGauge.pause, logger: logger) { await gauge.refresh() },
        ]
    }

    /// Updates the gauges that the metrics page shows in addition to the request metrics.
    private var gauges: Upkeep {
        metrics.gauge("keepsake_event_subscriptions", help: "Open event streams and long polls.") { [hub] in
            Double(hub.counts.subscriptions)
        }
        metrics.counter("keepsake_event_gaps_total", help: "Gaps found in event logs; 0 unless the server has a bug.") { [hub] in
            Double(hub.counts.gaps)
        }
        if let identity = settings.tls {
            metrics.gauge("keepsake_tls_certificate_expiry_seconds", help: "When the server's certificate ends, as a Unix time.") {
                Double(identity.certificate.end.seconds)
            }
        }
        ProcessGauges.add(to: metrics)
        let store = jobs
        let counted = JobGauges(metrics, kinds: jobKinds)
        return Upkeep("metrics", every: InstallationGauges.pause, logger: logger) { [installation] in
            let jobs = try await store.counts()
            counted.set(jobs)
            try await installation.refresh(jobs)
        }
    }

    /// Adds the number of dropped log lines to the metrics page.
    func count(_ log: LogWriter) {
        metrics.counter("keepsake_log_lines_dropped_total", help: "Log lines lost: the buffer was full, or the output accepted no more.") {
            Double(log.droppedLineCount)
        }
    }

    private var jobKinds: [String] {
        features.all.flatMap { [$0.jobs, $0.longJobs, $0.patientJobs, $0.mailJobs, $0.heavyJobs].flatMap { $0 } }.map(\.kind)
    }

    /// Corrects times that a node wrote while its clock was far ahead.
    private var dates: Upkeep {
        let start = ContinuousClock.now
        let (store, kinds, clock) = (jobs, jobKinds, identifiers.clock)
        return Upkeep("dates", every: .minutes(10), logger: logger) { [database] in
            guard try await Backend.mayCorrectDates(database, now: clock.now, running: ContinuousClock.now - start) else { return }
            try await store.correctDates(of: kinds)
            try await BlobLedger.correctDates(database, now: clock.now)
        }
    }

    /// Whether this server may correct times in the database by its own clock. If that clock is days behind, all correct times seem to be
    /// in the future. Corrected, planned jobs would start too early, and running jobs would start a second time. So PostgreSQL's clock
    /// must agree. With SQLite there is no second clock, but a clock that is wrong when the computer starts is usually right an hour
    /// later.
    /// - Parameter time: how long this server has been running.
    static func mayCorrectDates(_ database: any Database, now: Timestamp, running time: Duration) async throws -> Bool {
        guard time >= .hours(1) else { return false }
        return try await database.agrees(with: now, within: .days(1))
    }

    /// Deletes expired idempotency keys and rate-limit buckets, abandoned uploads, and old records of calls to outside services.
    private var upkeep: Upkeep {
        Upkeep("requests", every: .minutes(10), logger: logger) { [idempotency, buckets, uploads, calls] in
            try await uploads.sweep()
            try await idempotency.sweep()
            try await buckets.sweep()
            try await calls.sweep()
        }
    }
}
