import Blobs
import Core
import Database
import DatabaseEngines
import FeatureKit
import HTTPServer
import Media
import MediaTools
import Phone
import S3Blobs
import Transfer
import Web

extension Backend {
    /// The checks of `/health/ready`: quick, and read-only.
    var checks: [Operations.Check] { Self.checks(database, blobs, nil) }

    /// The same, and for `/admin/status` also whether the scanner finds a virus.
    static func checks(_ database: any Database, _ blobs: any BlobStore, _ scanner: ClamdScanner?) -> [Operations.Check] {
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
            Examination(name: "certificate") { [settings, identifiers] in
                try settings.requireCertificate()
                guard let identity = settings.tls else { return "none: the server accepts plain HTTP only" }
                return try CertificateExamination(settings, now: identifiers.clock.now).run(identity.certificate)
            },
            Examination(name: "backup") { [database, identifiers] in
                let clock = identifiers.clock
                let last = try await TransferState(database: database, clock: clock).lastBackup()
                return try BackupExamination(now: clock.now).run(last: last)
            },
            Examination(name: "links") { [settings] in
                settings.publicURL ?? "derived from the listening address; set KEEPSAKE_PUBLIC_URL for clients on other machines"
            },
        ]
    }
}
