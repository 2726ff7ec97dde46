import Blobs
import Core
import Database
import DatabaseEngines
import FeatureKit
import HTTPServer
import Logging
import Media
import MediaTools
import Phone
import S3Blobs
import Transfer
import Web

extension Backend {
    /// The checks of `/health/ready`. They are quick, and only read.
    var checks: [Operations.Check] {
        Self.checks(database, blobs, nil, folders: { [settings] in try settings.requireUploadFolders() }) { self.fullDisk }
    }

    /// The checks of `/health/ready` and of `/admin/status`. `/admin/status` passes the scanner, and then one check is whether the scanner
    /// finds a test virus.
    /// - Parameters:
    ///   - folders: throws when the folders of the files cannot be used. It may block.
    ///   - fullDisk: returns why no row can be changed because the disk is full; otherwise `nil`.
    static func checks(
        _ database: any Database, _ blobs: any BlobStore, _ scanner: ClamdScanner?,
        folders: @escaping @Sendable () throws -> Void = {}, fullDisk: @escaping @Sendable () -> String?
    ) -> [Operations.Check] {
        var checks = [
            Operations.Check("database") {
                _ = try await database.read { tx in try tx.row("SELECT 1 AS one") }
                if let reason = fullDisk() { throw Settings.Wrong(description: "no row can be changed: \(reason)") }
            },
            Operations.Check("blobs") {
                do {
                    try await blocking(folders)
                } catch let problem as Problem {
                    throw Settings.Wrong(description: problem.message)
                }
                let free = try await blobs.freeByteCount()
                guard free >= BlobLimits.ready else {
                    throw Settings.Wrong(
                        description: """
                            the disk is full: \(SizeText.rounded(free)) are free, and at least \(SizeText.limit(BlobLimits.ready)) are \
                            needed
                            """)
                }
            },
        ]
        if let scanner {
            checks.append(Operations.Check("scanner") { _ = try await scanner.probe(byteCount: 1_024, within: .seconds(5)) })
        }
        return checks
    }

    /// The checks of `keepsake doctor`. Unlike `checks`, they may also write.
    var examinations: [Examination] {
        installationExaminations + Self.otherExaminations(settings, clock: identifiers.clock, logger: logger)
            + features.all.flatMap(\.examinations)
    }

    /// The examinations that need neither the database nor the files. They run even when the installation cannot be opened.
    static func otherExaminations(_ settings: Settings, clock: WallClock, logger: Logger) -> [Examination] {
        [
            Examination(name: "scanner") {
                guard let address = settings.clamd else { return "none: uploads are not scanned for viruses; set KEEPSAKE_CLAMD" }
                let scanner = ClamdScanner(address, logger: logger)
                return try await scanner.probe(byteCount: max(ClamdScanner.largestByteCount, settings.uploads.fileByteCount)).description
            },
            Examination(name: "media") {
                let workers = MediaWorkers(settings.mediaWorker, logger: logger)
                return try await withThrowingTaskGroup(of: String?.self) { group in
                    group.addTask {
                        try await workers.run()
                        return nil
                    }
                    group.addTask { try await workers.probe() }
                    defer { group.cancelAll() }
                    return try await group.first { $0 != nil }?.flatMap { $0 } ?? "no result"
                }
            },
            Examination(name: "phone") { try PhoneNumber.probe() },
            Examination(name: "certificate") {
                try settings.requireCertificate()
                guard let identity = settings.tls else { return "none: the server accepts plain HTTP only" }
                return try CertificateExamination(settings, now: clock.now).run(identity.certificate)
            },
            Examination(name: "links") {
                settings.publicURL ?? "derived from the listening address; set KEEPSAKE_PUBLIC_URL for clients on other machines"
            },
        ]
    }

    /// - Throws: `Settings.Wrong` if less than 1 GiB is free.
    static func room(in folder: String, free: Int64) throws -> String {
        guard free > 1_073_741_824 else {
            throw Settings.Wrong(
                description: "the disk of \(folder) has \(SizeText.rounded(free)) free, and should have more than 1024 MB; free some space")
        }
        return "\(SizeText.rounded(free)) free"
    }

    private var installationExaminations: [Examination] {
        [
            Examination(name: "database") { [database, identifiers, settings] in
                try await TransferState(database: database, clock: identifiers.clock).requireFinished()
                try await DatabaseProbe(identifiers: identifiers).run(database)
                return "\(settings.database.engineName): a row was committed to the disk, read back and removed"
            },
            Examination(name: "blobs") { [blobs] in
                if let store = blobs as? S3BlobStore { return try await store.diagnose() }
                try await blobs.probe()
                return "written, synced, read back, removed"
            },
            Examination(name: "files") { [audit, blobs] in try await FileExamination(isRemote: blobs.isRemote).run(audit) },
            Examination(name: "disk") { [blobs, settings] in
                guard case .file(let folder) = settings.blobs else { return "files are in the object store" }
                return try Self.room(in: folder, free: await blobs.freeByteCount())
            },
            Examination(name: "sandbox") { [settings] in
                // The server hides its process too, so the probe runs under the same conditions.
                OwnProcess.hide()
                let report = try SandboxProbe(settings.mediaWorker).run(file: settings.probedFile)
                if let fault = report.fault { throw Settings.Wrong(description: fault) }
                return report.description
            },
            Examination(name: "backup") { [database, identifiers] in
                let clock = identifiers.clock
                let last = try await TransferState(database: database, clock: clock).lastBackup()
                return try BackupExamination(now: clock.now).run(last: last)
            },
        ]
    }
}
