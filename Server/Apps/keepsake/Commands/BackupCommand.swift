import AccountData
import ArgumentParser
import Core
import Foundation
import Transfer

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up all rows and files to a folder or an S3 bucket. Works while the server runs.",
        subcommands: [Make.self, List.self, Verify.self, Prune.self], defaultSubcommand: Make.self)

    /// The argument that all backup commands take.
    struct Place: ParsableArguments {
        @Argument(help: "A folder, or s3://BUCKET?endpoint=URL&region=REGION&prefix=NAME. Keys: KEEPSAKE_BACKUP_AWS_…, or AWS_…")
        var place: String
    }

    /// The option for commands that need only the place. They accept `--config` so that a script may give all commands the same flag.
    struct ConfigFile: ParsableArguments {
        @Option(help: "A file of settings in YAML. The command checks it, but uses none of its settings.")
        var config: String?

        /// - Throws: `Settings.Wrong` when the file is not a file of settings.
        func check() throws {
            if let config { _ = try SettingsFile.check(config, namedBy: "--config") }
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Make a snapshot. Files that the place has already are not copied again.")

        @OptionGroup var place: Place

        @Option(help: "A folder with room for all rows while the command runs. Default: DATA/transfer")
        var work: String?

        @OptionGroup var options: ToolOptions

        func validate() throws {
            let commands: Set = ["list", "verify", "prune"]
            guard !place.place.contains("/"), let command = SettingsFile.nearest(to: place.place, in: commands) else { return }
            throw ValidationError(
                "There is no subcommand \(place.place); did you mean \(command)? For a folder of that name, write ./\(place.place).")
        }

        func run() async throws {
            try await Exit.reporting {
                let settings = try await Settings.read(options)
                let progress = TransferProgress()
                let report = try await settings.backUp(to: place.place, work: work) { progress.show($0) }
                progress.finish()
                print(
                    """
                    snapshot \(report.snapshot): \(Output.count(report.rows, "row")) and \(Output.count(report.blobs, "file")); new: \
                    \(Output.count(report.newBlobs, "file")) with \(SizeText.rounded(report.newBytes))
                    """)
                for key in report.damaged { print("damaged at the source, not in the snapshot: \(key)") }
                if !report.damaged.isEmpty { throw Exit.fault }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the snapshots, oldest first, and mark those that lack files which were damaged at the source.")

        @OptionGroup var place: Place

        @OptionGroup var file: ConfigFile

        func run() async throws {
            try await Exit.reporting {
                try file.check()
                let repository = try await TransferPlaces().repository(place.place)
                var rows: [[String]] = []
                for id in try await repository.snapshots() { rows.append(try await row(id, repository)) }
                print(Output.table(["SNAPSHOT", "TIME", "ROWS", "FILES", "SIZE", "STATE"], rows))
            }
        }

        /// The row shows the state that the snapshot's description records; only `keepsake backup verify` reads the files that it names.
        private func row(_ id: String, _ repository: BackupRepository) async throws -> [String] {
            let snapshot: Snapshot
            do {
                snapshot = try await repository.snapshot(id)
            } catch let failure as TransferFailure where failure.kind == .damaged {
                // List the other snapshots anyway: if one is damaged, the operator needs another one.
                return [id, "", "", "", "", "unusable: its description is damaged"]
            }
            let count = snapshot.damaged.count
            return [
                id, Output.time(snapshot.createdAt), "\(snapshot.tables.reduce(0) { $0 + $1.rowCount })", "\(snapshot.blobCount)",
                SizeText.rounded(snapshot.blobByteCount), count == 0 ? "complete" : "without \(Output.count(count, "damaged file"))",
            ]
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Read every row file and every file, and compare them with their hashes.")

        @OptionGroup var place: Place

        @Option(help: "Only this snapshot. Default: all")
        var snapshot: String?

        @Option(
            help: "A folder with room for the largest table and the lists of files. Default: the system's folder for temporary files")
        var work: String?

        @OptionGroup var file: ConfigFile

        func run() async throws {
            try await Exit.reporting {
                try file.check()
                let repository = try await TransferPlaces().repository(place.place)
                let progress = TransferProgress()
                let folder = CommandFolder(path: work ?? FileManager.default.temporaryDirectory.path)
                let report = try await folder.explainingFullDisk {
                    try await VerifyBackup(repository, workFolder: folder.path).run(snapshot) { progress.show($0) }
                }
                progress.finish()
                for problem in report.problems { print("damaged: \(problem)") }
                print(
                    """
                    \(Output.count(report.snapshots, "snapshot")), \(Output.count(report.rows, "row")), \
                    \(Output.count(report.blobs, "file")), \(SizeText.rounded(report.bytes)) checked; \
                    \(Output.count(report.problemCount, "problem"))
                    """)
                if report.problemCount > 0 { throw Exit.fault }
            }
        }
    }

    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete old snapshots, and files that no other snapshot names. The newest snapshot always stays.")

        @OptionGroup var place: Place

        @Option(help: "Delete snapshots that are older than this: 12h (hours), 30d (days)", transform: SnapshotAge.parse)
        var keep: SnapshotAge

        @Option(help: "A folder with room for the lists of files. Default: the system's folder for temporary files")
        var work: String?

        @OptionGroup var file: ConfigFile

        func run() async throws {
            try await Exit.reporting {
                try file.check()
                let repository = try await TransferPlaces().repository(place.place)
                let folder = CommandFolder(path: work ?? FileManager.default.temporaryDirectory.path)
                let report = try await folder.explainingFullDisk {
                    try await PruneBackups(repository, workFolder: folder.path).run(keeping: keep.duration)
                }
                print(
                    """
                    kept \(Output.count(report.kept, "snapshot")); deleted \(Output.count(report.snapshots.count, "snapshot")) and \
                    \(Output.count(report.blobs, "file"))
                    """)
            }
        }
    }
}

extension Settings {
    /// Makes a snapshot of the installation.
    /// - Parameters:
    ///   - place: a folder, or `s3://BUCKET?…`.
    ///   - work: a folder that holds all rows while the command runs; by default `transfer` in the data folder.
    /// - Throws: when a disk is full, `FullDisk`, which advises `--work`.
    func backUp(
        to place: String, work: String? = nil, progress: @escaping @Sendable (TransferStep) -> Void = { _ in }
    ) async throws -> MakeBackup.Report {
        try requireInstallation()
        try requireOutside(place)
        return try await CommandFolder(path: workFolder(work)).explainingFullDisk(of: self) {
            let backend = try await Backend.open(self, mode: .tool, logger: .silent)
            let report: MakeBackup.Report
            do {
                // Create the repository this late, so that a command that is refused, for example because root runs it, creates no folder.
                let repository = try await TransferPlaces().repository(place, creating: true)
                report = try await backend.backup(to: repository, work: work).run(progress: progress)
            } catch {
                try? await backend.close()
                throw explainingRefusal(error)
            }
            try await backend.close()
            return report
        }
    }

    fileprivate func workFolder(_ work: String?) -> String { work ?? dataFolder + "/transfer" }
}

extension Backend {
    /// - Parameter work: a folder that holds all rows while the backup runs; by default `transfer` in the data folder.
    func backup(to repository: BackupRepository, work: String? = nil) -> MakeBackup {
        let log = features[AccountDataFeature.self].deletionLog
        return MakeBackup(transferSource, to: repository, workFolder: settings.workFolder(work)) { limit in
            try await log.deletions(after: limit).map {
                BackupRepository.Deletion(account: $0.hash, at: $0.at, keepsCoves: $0.keepsCoves)
            }
        }
    }
}
