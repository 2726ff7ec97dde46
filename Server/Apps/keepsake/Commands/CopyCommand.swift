import ArgumentParser
import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Logging
import S3Blobs
import Transfer

struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a whole installation into another database and another store, of any kind.",
        discussion: """
            First, while the server runs: keepsake copy --prepare … It copies nearly everything. If it took long, repeat it.
            Then stop all nodes, and run the same command without --prepare. It copies only what changed since.
            Then start the server with the new database and the new store. Never start it on the old ones again: they would accept writes.
            """)

    @Option(help: "sqlite:PATH or postgres://… (KEEPSAKE_FROM_DATABASE)")
    var fromDatabase: String?

    @Option(help: "file:DIR or s3://BUCKET?… (KEEPSAKE_FROM_BLOBS)")
    var fromBlobs: String?

    @Option(help: "sqlite:PATH or postgres://… (KEEPSAKE_TO_DATABASE)")
    var toDatabase: String?

    @Option(help: "file:DIR or s3://BUCKET?… (KEEPSAKE_TO_BLOBS)")
    var toBlobs: String?

    @Flag(help: "Servers may use the source meanwhile. A server can use the target only after another run without this flag.")
    var prepare = false

    @Option(help: "A folder with room for all rows while the command runs. Default: the system's folder for temporary files")
    var work: String?

    func run() async throws {
        try await Exit.reporting {
            let environment = ProcessInfo.processInfo.environment
            func text(_ flag: String?, _ name: String) throws -> String {
                guard let text = flag ?? environment["KEEPSAKE_" + name] else {
                    let option = name.lowercased().replacing("_", with: "-")
                    throw Settings.Wrong(description: "--\(option) or KEEPSAKE_\(name) is missing")
                }
                return text
            }
            func named(_ flag: String?, _ name: String) -> String {
                flag == nil ? "KEEPSAKE_" + name : "--" + name.lowercased().replacing("_", with: "-")
            }
            func database(_ flag: String?, _ name: String) throws -> DatabaseAddress {
                // The message does not quote the value, because it may contain a password.
                guard let address = DatabaseAddress(try text(flag, name)) else {
                    throw Settings.Wrong(description: "\(named(flag, name)) must look like sqlite:PATH or postgres://USER@HOST/NAME")
                }
                return address
            }
            let places = TransferPlaces(environment: environment)
            let copy = CopyCommand.Places(
                fromDatabase: try database(fromDatabase, "FROM_DATABASE"),
                fromBlobs: try places.blobs(text(fromBlobs, "FROM_BLOBS"), named(fromBlobs, "FROM_BLOBS"), keys: "FROM"),
                toDatabase: try database(toDatabase, "TO_DATABASE"),
                toBlobs: try places.blobs(text(toBlobs, "TO_BLOBS"), named(toBlobs, "TO_BLOBS"), keys: "TO"),
                work: work ?? FileManager.default.temporaryDirectory.path,
                names: Places.Names(
                    fromDatabase: named(fromDatabase, "FROM_DATABASE"), toDatabase: named(toDatabase, "TO_DATABASE"),
                    toBlobs: named(toBlobs, "TO_BLOBS")))
            let progress = TransferProgress()
            let report = try await CommandFolder(path: copy.work).explainingFullDisk {
                try await copy.run(isLast: !prepare) { progress.show($0) }
            }
            progress.finish()
            print(
                """
                \(Output.count(report.rows, "row")) and \(Output.count(report.blobs, "file")): wrote \
                \(Output.count(report.writtenRows, "row")), deleted \(report.deletedRows), copied \
                \(Output.count(report.copiedBlobs, "file")); all rows compare equal
                """)
            print(prepare ? Self.nextOfPrepared : Self.nextOfCopied)
        }
    }

    private static let nextOfPrepared =
        "Next: stop every node of the source, and run this command again without --prepare. Until then, start no server on the target."

    /// The message is needed because nothing marks the source as copied: a server that still has the old settings would start on it.
    private static let nextOfCopied = """
        Next:
          1. Name the target in the settings of every node: KEEPSAKE_DATABASE and KEEPSAKE_BLOBS.
          2. Keep the source stopped, and rename its folder or database: otherwise a server could start on it by mistake, and what
             that server stores would be missing from the target.
          3. Start the nodes with these settings.
        """

    /// The source and the target of a copy.
    struct Places: Sendable {
        let fromDatabase: DatabaseAddress
        let fromBlobs: BlobAddress
        let toDatabase: DatabaseAddress
        let toBlobs: BlobAddress
        let work: String
        var names = Names()

        /// The names of the settings or flags with which the operator set the places, for errors.
        struct Names: Sendable {
            var fromDatabase = "--from-database"
            var toDatabase = "--to-database"
            var toBlobs = "--to-blobs"
        }

        func run(
            isLast: Bool, clock: WallClock = .system, progress: @escaping @Sendable (TransferStep) -> Void = { _ in }
        ) async throws -> CopyInstallation.Report {
            // Check that the file exists, because opening a missing database would create it.
            if case .sqlite(let path) = fromDatabase, !FileManager.default.fileExists(atPath: path) { throw noSource }
            try requireDifferentPlaces()
            try requireOwner()
            // The command holds these locks until its end, so that no server starts on the folders meanwhile.
            var locks: [StoreLock] = []
            if isLast { locks += try folders(fromDatabase, fromBlobs).map { try lock($0, of: "source") } }
            locks += try folders(toDatabase, toBlobs).map { try lock($0, of: "target") }
            defer { for lock in locks { lock.release() } }
            try fromDatabase.requireAccess()
            let source = try await DatabaseAddress.naming(names.fromDatabase) {
                try await fromDatabase.openBeside(clock: clock, connections: 4)
            }
            let target = try await DatabaseAddress.naming(names.toDatabase) {
                try await toDatabase.openBeside(clock: clock, connections: 4)
            }
            if let identity = try await fromDatabase.identity(of: source.database),
                try await toDatabase.identity(of: target.database) == identity
            {
                throw Settings.Wrong(
                    description: """
                        The source and the target are the same database and schema of PostgreSQL. Name another one with --to-database.
                        """)
            }
            if isLast, try await source.serverConnectionCount() > 0 { throw served("source") }
            if try await target.serverConnectionCount() > 0 { throw served("target") }
            guard try await !fromDatabase.isEmpty(source.database, setBy: names.fromDatabase) else { throw noSource }
            // This throws when another program's tables are in the target.
            _ = try await toDatabase.isEmpty(target.database, setBy: names.toDatabase)
            try await source.database.migrate(Backend.migrations)
            try await target.database.migrate(Backend.migrations)
            let identifiers = Identifiers(clock: clock, entropy: .system)
            let installation = try await TransferState(database: source.database, clock: clock)
                .installation(candidate: identifiers.next())
            try toBlobs.requireMark(installation, setBy: names.toBlobs)
            let logger = Logger.silent
            let options = BlobAddress.Options(scratchFolder: work + "/keepsake-scratch")
            let from = try await fromBlobs.open(options, clock: clock, logger: logger)
            let to = try await toBlobs.open(options, clock: clock, logger: logger)
            let copy = CopyInstallation(
                TransferSource(
                    database: source.database, store: from, rules: Backend.tableRules,
                    identifiers: identifiers, program: Keepsake.version),
                to: target.database, to, workFolder: work)
            let report = try await copy.run(isLast: isLast, progress: progress) {
                // A server that started meanwhile may have written to the source.
                if isLast, try await source.serverConnectionCount() > 0 { throw served("source") }
            }
            // Mark the folder this late: a copy that is refused must not mark a folder that another installation uses.
            try toBlobs.mark(as: installation)
            try await source.database.close()
            try await target.database.close()
            await from.close()
            await to.close()
            return report
        }

        /// Refuses a target that is also the source. Without this check, the command would find its own lock of the source on the target,
        /// and report that a server uses the target.
        private func requireDifferentPlaces() throws {
            func wrong(_ what: String, _ place: String, _ options: String) -> Settings.Wrong {
                Settings.Wrong(description: "The source and the target \(what), \(place). Name another one with \(options).")
            }
            if case .sqlite(let from) = fromDatabase, case .sqlite(let to) = toDatabase, Settings.resolved(from) == Settings.resolved(to) {
                throw wrong("are the same database", Settings.resolved(to), "--to-database")
            }
            if case .file(let from) = fromBlobs, case .file(let to) = toBlobs, Settings.resolved(from) == Settings.resolved(to) {
                throw wrong("keep their files in the same folder", Settings.resolved(to), "--to-blobs")
            }
            if case .s3(let from, _) = fromBlobs, case .s3(let to, _) = toBlobs, from.isSamePlace(as: to) {
                throw wrong("keep their files in the same bucket", "\(to)", "--to-blobs")
            }
            // The database of one place may be in the folder of the other place's database or files. A server locks the whole folder, so
            // such places conflict too.
            let shared = Set(folders(fromDatabase, fromBlobs).map(Settings.resolved))
                .intersection(folders(toDatabase, toBlobs).map(Settings.resolved))
            if let folder = shared.min() { throw wrong("use the same folder", folder, "--to-database or --to-blobs") }
        }

        /// Refuses to run as root if another user owns the source. The files of the target would belong to root, and that user's server
        /// could not use them.
        private func requireOwner() throws {
            if case .sqlite(let path) = fromDatabase { try SystemUser.requireOwner(of: path) }
            if case .file(let folder) = fromBlobs { try SystemUser.requireOwner(of: folder + "/blobs") }
        }

        private var noSource: TransferFailure {
            TransferFailure(.refused, "The source has no installation: its database does not exist or is empty.")
        }

        /// The local folders that a server would lock. Such a data folder contains the database, the files, or both.
        private func folders(_ database: DatabaseAddress, _ blobs: BlobAddress) -> Set<String> {
            var folders: Set<String> = []
            if case .sqlite(let path) = database {
                folders.insert(URL(filePath: path).deletingLastPathComponent().standardizedFileURL.path)
            }
            if case .file(let folder) = blobs { folders.insert(URL(filePath: folder).standardizedFileURL.path) }
            return folders
        }

        private func lock(_ folder: String, of side: String) throws -> StoreLock {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try SystemUser.requireAccess(to: folder)
                return try StoreLock.take(in: folder)
            } catch BlobError.locked {
                throw served(side)
            }
        }

        private func served(_ side: String) -> TransferFailure {
            TransferFailure(
                .unavailable,
                side == "source"
                    ? "A server uses the source. Copy with --prepare now; then stop all nodes of the source, and copy without --prepare."
                    : "A server uses the target. Choose an empty database and an empty store that no server uses.")
        }
    }
}
