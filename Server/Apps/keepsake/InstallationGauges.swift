import Accounts
import Core
import Database
import DatabaseEngines
import Foundation
import Installation
import Jobs
import Media
import Synchronization
import Transfer
import Web

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures the installation for the metrics page and for administrators: accounts, stored bytes, the size of the database, and the disk.
/// `refresh` does so every 30 seconds, because requests must not wait for a large table or a slow disk.
final class InstallationGauges: Sendable {
    /// How often `refresh` should run.
    static let pause = Duration.seconds(30)

    private struct Values {
        var accounts: Int?
        var originals: [String: TableTotals.Sum]?
        var copies: TableTotals.Sum?
        var databaseByteCount: Int64?
        /// The time of the last backup in seconds since 1970; 0 when there was none, and `nil` before it was read.
        var lastBackup: Double?
        var disk: InstallationFigures.Disk?
        var jobs: [JobCounts] = []
        var measuredAt: Timestamp?
    }

    private let values = Mutex(Values())
    private let settings: Settings
    private let database: any Database
    private let clock: WallClock
    private let accounts: TableTotals
    private let originals: TableTotals
    private let copies: TableTotals

    init(_ metrics: Metrics, _ settings: Settings, _ database: any Database, clock: WallClock) {
        self.settings = settings
        self.database = database
        self.clock = clock
        let sizes = StoredSizes(database)
        accounts = TableTotals { key, limit in
            try await AccountsFeature.open(in: database, after: key.first ?? "", limit: limit).map {
                TableTotals.Row(key: [$0.id], kind: "account", byteCount: 0)
            }
        }
        originals = TableTotals { key, limit in try await sizes.originals(after: key, limit: limit).map(TableTotals.Row.init) }
        copies = TableTotals { key, limit in try await sizes.copies(after: key, limit: limit).map(TableTotals.Row.init) }
        addGauges(metrics)
    }

    /// Reads all values again. Of a large table it reads only the next pages (see `TableTotals`).
    /// - Parameter jobs: the counts of jobs, which the caller has just read.
    func refresh(_ jobs: [JobCounts]) async throws {
        values.withLock { $0.jobs = jobs }
        let disk = Self.disk(of: settings.dataFolder)
        values.withLock { $0.disk = disk }
        if settings.measuresDatabase {
            let byteCount = try await settings.database.byteCount(of: database)
            values.withLock { $0.databaseByteCount = byteCount }
        }
        let lastBackup = try await TransferState(database: database, clock: clock).lastBackup()
        values.withLock { $0.lastBackup = lastBackup.map { Double($0.seconds) } ?? 0 }
        if let sums = try await accounts.advance() {
            values.withLock { $0.accounts = sums.values.reduce(0) { $0 + $1.rowCount } }
        }
        if let sums = try await originals.advance() { values.withLock { $0.originals = sums } }
        if let sums = try await copies.advance() {
            let sum = sums.values.reduce(into: TableTotals.Sum()) {
                $0.rowCount += $1.rowCount
                $0.byteCount += $1.byteCount
            }
            values.withLock { $0.copies = sum }
        }
        let now = clock.now
        values.withLock { $0.measuredAt = now }
    }

    /// The latest values, for `GET /admin/status`.
    var figures: InstallationFigures {
        let values = values.withLock { $0 }
        var figures = InstallationFigures()
        figures.measuredAt = values.measuredAt
        figures.accounts = values.accounts
        figures.databaseByteCount = values.databaseByteCount
        figures.disk = values.disk
        figures.jobs = values.jobs
        if let originals = values.originals, let copies = values.copies {
            let sums = StoredSizes.kinds.map { ($0, originals[$0] ?? TableTotals.Sum()) } + [("copy", copies)]
            figures.stored = sums.map { InstallationFigures.Stored(kind: $0, fileCount: $1.rowCount, byteCount: $1.byteCount) }
        }
        return figures
    }

    private func addGauges(_ metrics: Metrics) {
        metrics.gauges("keepsake_build_info", help: "1; the version of the program is a label.") {
            [Metrics.Sample(1, [("version", Keepsake.version)])]
        }
        addGauge(metrics, "keepsake_disk_free_bytes", help: "Bytes of the data folder's disk that the server may still use.") {
            $0.disk.map { Double($0.free) }
        }
        addGauge(metrics, "keepsake_disk_used_bytes", help: "Bytes of the data folder's disk in use, by all programs.") {
            $0.disk.map { Double($0.used) }
        }
        addGauge(
            metrics, "keepsake_last_backup_timestamp_seconds",
            help: "When the newest backup without damaged files was made, as a Unix time; 0: never."
        ) {
            $0.lastBackup
        }
        addGauge(metrics, "keepsake_accounts", help: "Accounts, without deleted ones.") { $0.accounts.map(Double.init) }
        addGauge(metrics, "keepsake_database_bytes", help: "Bytes of the database on its disk.") { $0.databaseByteCount.map(Double.init) }
        metrics.gauges("keepsake_stored_bytes", help: "Bytes of stored files, by kind; copy: smaller copies that the server made.") {
            [self] in stored { Double($0.byteCount) }
        }
        metrics.gauges("keepsake_stored_files", help: "Stored files, by kind; copy: smaller copies that the server made.") {
            [self] in stored { Double($0.rowCount) }
        }
    }

    private func addGauge(_ metrics: Metrics, _ name: String, help: String, _ read: @escaping @Sendable (Values) -> Double?) {
        metrics.gauges(name, help: help) { [self] in values.withLock { read($0) }.map { [Metrics.Sample($0)] } ?? [] }
    }

    /// One sample for each kind, also for kinds with nothing stored.
    private func stored(_ value: (TableTotals.Sum) -> Double) -> [Metrics.Sample] {
        let (originals, copies) = values.withLock { ($0.originals, $0.copies) }
        guard let originals, let copies else { return [] }
        return StoredSizes.kinds.map { Metrics.Sample(value(originals[$0] ?? TableTotals.Sum()), [("kind", $0)]) }
            + [Metrics.Sample(value(copies), [("kind", "copy")])]
    }

    /// - Returns: `nil` when the folder does not exist.
    static func disk(of folder: String) -> InstallationFigures.Disk? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return disk(
            blocks: UInt64(status.f_blocks), freeBlocks: UInt64(status.f_bfree), available: UInt64(status.f_bavail),
            unit: UInt64(status.f_frsize))
    }

    /// - Parameters:
    ///   - freeBlocks: may be more than `blocks`, because some network file systems report more, for example with a quota.
    ///   - unit: the size of a block in bytes.
    static func disk(blocks: UInt64, freeBlocks: UInt64, available: UInt64, unit: UInt64) -> InstallationFigures.Disk {
        func bytes(_ count: UInt64) -> Int64 {
            let (bytes, isOver) = count.multipliedReportingOverflow(by: unit)
            return isOver ? .max : Int64(clamping: bytes)
        }
        return InstallationFigures.Disk(free: bytes(available), used: bytes(blocks - min(freeBlocks, blocks)))
    }
}

extension TableTotals.Row {
    fileprivate init(_ row: StoredSizes.Row) { self.init(key: row.key, kind: row.kind, byteCount: row.byteCount) }
}
