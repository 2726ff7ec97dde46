import AccountData
import Accounts
import ArgumentParser
import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Live
import Logging
import S3Blobs
import Transfer

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty database and an empty store, of any kind.",
        discussion: """
            --database and --blobs, or their variables, name the target. Accounts that were deleted after the snapshot, as later backups
            recorded, are deleted again. Everybody signs in again, unless --keep-sessions is given.
            """)

    @OptionGroup var place: BackupCommand.Place

    @Option(help: "The snapshot, as keepsake backup list shows it. Default: the newest")
    var snapshot: String?

    @Flag(help: "Keep sessions valid. Only if no server has run since the snapshot: otherwise sessions that were ended come back.")
    var keepSessions = false

    @Flag(help: "Leave out files that are missing or damaged in the backup, and restore everything else. Default: stop at the first ones")
    var withoutDamaged = false

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            let repository = try await TransferPlaces().repository(place.place)
            let progress = TransferProgress()
            let restored = try await Restoration(settings: settings, repository: repository)
                .run(snapshot, keepsSessions: keepSessions, skipsLost: withoutDamaged) { progress.show($0) }
            progress.finish()
            for line in restored.lines { print(line) }
            print("Next: keepsake verify, and then serve.")
            if restored.report.wasFinished, !restored.report.lost.isEmpty { throw Exit.fault }
        }
    }
}

/// Restores a backup into the place that the settings name.
struct Restoration: Sendable {
    let settings: Settings
    let repository: BackupRepository
    var clock = WallClock.system
    let logger = Logger.silent

    struct Restored: Sendable {
        let report: RestoreBackup.Report
        let deletedAccounts: Int

        /// The lines that the command prints.
        var lines: [String] {
            var lines = report.lost.map { "missing or damaged in the backup, not restored: \($0)" }
            let deleted = "\(Output.count(deletedAccounts, "account")) deleted again"
            if report.wasFinished {
                lines.append(
                    """
                    snapshot \(report.snapshot.id) was restored before: its rows stay as they are now; \
                    \(Output.count(report.blobs, "missing file")) restored; \(deleted)
                    """)
            } else {
                let rows = report.snapshot.tables.reduce(0) { $0 + $1.rowCount }
                let files = report.snapshot.blobCount - report.lost.count - report.absent.count
                lines.append(
                    "snapshot \(report.snapshot.id): \(Output.count(rows, "row")) and \(Output.count(files, "file")) restored; \(deleted)")
            }
            let damaged = Set(report.snapshot.damaged).intersection(report.absent).count
            if damaged > 0 { lines.append("\(Output.count(damaged, "file")) damaged when the backup was made; missing here") }
            if !report.lost.isEmpty {
                lines.append("\(Output.count(report.lost.count, "file")) missing or damaged in the backup; keepsake verify names them, too")
            }
            return lines
        }
    }

    func run(
        _ snapshot: String?, keepsSessions: Bool, skipsLost: Bool = false,
        progress: @escaping @Sendable (TransferStep) -> Void = { _ in }
    ) async throws -> Restored {
        // List the snapshots first, so that a mistyped place of the backup creates nothing.
        let snapshots = try await repository.snapshots()
        // If the snapshot cannot be read, the restore below reports the error.
        if let id = snapshot ?? snapshots.last, let description = try? await repository.snapshot(id) {
            try settings.blobs.requireMark(description.installation, setBy: settings.placeNames.blobs)
        }
        try settings.createDataFolder()
        // Check even an empty folder: it must belong to this user, because a restore as root would leave files that the server's user
        // cannot use.
        try SystemUser.requireOwner(of: settings.dataFolder)
        try settings.requireAccess(serving: true)
        let lock: StoreLock
        do {
            lock = try StoreLock.take(in: settings.dataFolder)
        } catch BlobError.locked {
            throw served
        }
        defer { lock.release() }
        let name = settings.placeNames.database
        let (database, serverConnectionCount) = try await DatabaseAddress.naming(name) {
            try await settings.database.openBeside(clock: clock, connections: 4)
        }
        guard try await serverConnectionCount() == 0 else { throw served }
        // This throws when another program's tables are in the database. Tables from an interrupted restore are not an error.
        _ = try await settings.database.isEmpty(database, setBy: name)
        let store = try await settings.blobs.open(
            BlobAddress.Options(scratchFolder: settings.dataFolder + "/scratch"), clock: clock, logger: logger)
        let restore = RestoreBackup(
            repository, into: database, store, rules: Backend.tableRules, workFolder: settings.dataFolder + "/transfer")
        let report = try await restore.run(snapshot, keepsSessions: keepsSessions, skipsLost: skipsLost, progress: progress) { database in
            try await Self.raiseEventNumbers(database, at: clock.now)
        }
        try settings.blobs.mark(as: report.snapshot.installation)
        // The features close the accounts. The server erases the accounts' data when it runs.
        let backend = try await Backend.open(settings, mode: .restoring, clock: clock, logger: logger)
        let deletions = report.deletions.map { DeletionLog.Deletion(hash: $0.account, at: $0.at, keepsCoves: $0.keepsCoves) }
        let count = try await backend.features[AccountDataFeature.self].repeatDeletions(deletions)
        try await backend.close()
        try await restore.finish()
        try await database.close()
        await store.close()
        return Restored(report: report, deletedAccounts: count)
    }

    private var served: TransferFailure {
        TransferFailure(.unavailable, "A server uses the target. Stop its nodes, and choose an empty database and an empty store.")
    }

    private static func raiseEventNumbers(_ database: any Database, at now: Timestamp) async throws {
        var last = ""
        while true {
            let ids = try await AccountsFeature.open(in: database, after: last, limit: 500).map(\.id)
            guard let end = ids.last else { return }
            last = end
            try await database.write { tx in try EventLog.raise(ids, at: now, tx) }
        }
    }
}
