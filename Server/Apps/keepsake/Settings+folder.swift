import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Logging
import S3Blobs

extension Settings {
    /// Checks that the data folder exists, for `keepsake doctor`. That may be the first command on an installation, but it must not create
    /// the folder: a mistyped path is an error. With PostgreSQL and S3 the folder holds nothing to examine.
    func requireDataFolder() throws {
        if case .postgres = database, case .s3 = blobs { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: dataFolder, isDirectory: &isFolder), isFolder.boolValue else {
            throw Problem(.unavailable, "there is no folder \(dataFolder); name the server's data folder with --data")
        }
    }

    /// Checks that the installation exists, for commands that need one: a mistyped path is an error, and must not lead to a new
    /// installation.
    func requireInstallation() throws {
        try requireDataFolder()
        // This check comes first, because files do not seem to exist if the user may not look into their folder.
        try database.requireAccess()
        if case .sqlite(let path) = database, !FileManager.default.fileExists(atPath: path) { throw noInstallation }
    }

    /// - Throws: `Wrong` when the path of the data folder, or of a folder above it, is a file, or when the user may not write there;
    ///   `.unavailable` when the folder cannot be created for another reason, such as a full disk.
    func createDataFolder() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            var existing = URL(filePath: dataFolder).standardizedFileURL
            while existing.path != "/", !FileManager.default.fileExists(atPath: existing.path) { existing.deleteLastPathComponent() }
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: existing.path, isDirectory: &isFolder), !isFolder.boolValue {
                throw Wrong(
                    description: "\(placeNames.data): \(dataFolder) cannot be the data folder, because \(existing.path) is not a folder")
            }
            guard FileManager.default.isWritableFile(atPath: existing.path) else {
                throw Wrong(
                    description: """
                        \(placeNames.data): the data folder \(dataFolder) cannot be created: the user \(SystemUser.name) may not write \
                        \(existing.path)
                        """)
            }
            throw Problem(.unavailable, "the data folder \(dataFolder) cannot be created by the user \(SystemUser.name)")
        }
    }

    /// - Throws: `Wrong` when no SQLite database can be created at its path, or a part of the PostgreSQL address is wrong; `.unavailable`
    ///   when PostgreSQL cannot be reached. Both errors name the setting.
    func openDatabase(_ mode: Backend.Mode, clock: WallClock, logger: Logger) async throws -> any Database {
        do {
            return try await DatabaseAddress.naming(placeNames.database) {
                try await database.open(clock: clock, connections: databaseConnections, isServing: mode == .serving) { reason in
                    guard let reason else { return logger.notice("space is reserved for the database's log") }
                    logger.warning(
                        "no space is reserved for the database's log; when the disk is full, nobody can sign in or delete",
                        metadata: ["reason": "\(reason)"])
                }
            }
        } catch DatabaseError.cannotCreate(let path, let reason) {
            throw uncreatable(path, reason)
        }
    }

    private func uncreatable(_ path: String, _ reason: String) -> Wrong {
        Wrong(description: "\(placeNames.database): the database \(path) cannot be created: \(reason)")
    }

    /// Whether the database has no tables yet.
    /// - Parameter mayBegin: whether the command may begin an installation. If not, an empty database is an error.
    /// - Throws: also when the tables belong to another program; and when an installation's files exist, but not its database, because the
    ///   server would in time delete these files as unused.
    func isNew(_ database: any Database, mayBegin: Bool) async throws -> Bool {
        guard try await self.database.isEmpty(database, setBy: placeNames.database) else { return false }
        guard mayBegin else { throw noInstallation }
        if case .file(let folder) = blobs, let kept = Self.keptFile(in: folder + "/blobs") {
            throw Problem(
                .unavailable,
                """
                the \(self.database.engineName) database is empty, but \(folder) has files of an installation, such as \(kept); name their \
                database with --database. If it is lost, move the files away, and restore a backup with keepsake restore, or begin with an \
                empty installation
                """)
        }
        return true
    }

    private var noInstallation: Problem {
        switch database {
        case .sqlite(let path):
            Problem(
                .unavailable,
                """
                there is no installation in \(dataFolder): \(path) does not exist or is empty; name the server's data folder with --data \
                (keepsake serve creates an installation)\(adviceOnLostDatabase)
                """)
        // The message does not quote the address, because it may contain a password.
        case .postgres:
            Problem(
                .unavailable,
                """
                the PostgreSQL database is empty; name the server's database with --database (keepsake serve creates an installation)\
                \(adviceOnLostDatabase)
                """)
        }
    }

    /// Advice for the case that an installation's files exist, but its database does not; empty if there are no files.
    private var adviceOnLostDatabase: String {
        guard case .file(let folder) = blobs, let kept = Self.keptFile(in: folder + "/blobs") else { return "" }
        return """
            . \(folder) has files of an installation, such as \(kept): if its database is lost, move them away, and restore a backup with \
            keepsake restore
            """
    }

    /// Where the installation's data is, for the log.
    var place: Logger.Metadata {
        ["data": "\(URL(filePath: dataFolder).standardizedFileURL.path)", "database": "\(database.engineName)"]
    }

    /// The name of some blob below the folder; `nil` if there is none.
    private static func keptFile(in folder: String) -> String? {
        let names = FileManager.default.enumerator(atPath: folder)
        while let name = names?.nextObject() as? String {
            // The path of a blob is two hexadecimal digits and the blob's key. All other files are temporary.
            if name.wholeMatch(of: /[0-9a-f]{2}\/[0-9a-f]{40}/) != nil { return "blobs/" + name }
        }
        return nil
    }

    /// Refuses a place for backups that is inside a folder of the installation, because the backups would be lost together with it.
    /// - Parameter place: a folder, with or without `file:`, or a bucket, which is never refused.
    func requireOutside(_ place: String) throws {
        guard !place.hasPrefix("s3:") else { return }
        let target = Self.resolved(place.hasPrefix("file:") ? String(place.dropFirst(5)) : place)
        var folders = [dataFolder]
        if case .file(let folder) = blobs { folders.append(folder) }
        for folder in folders.map(Self.resolved) where target == folder || target.hasPrefix(folder == "/" ? "/" : folder + "/") {
            throw Settings.Wrong(
                description:
                    "the place for backups, \(target), is in the folder \(folder) that it would back up, and would be lost with it; name another"
            )
        }
    }

    /// The absolute path without symbolic links. The last folders of the path need not exist.
    static func resolved(_ path: String) -> String {
        var existing = URL(filePath: path).standardizedFileURL
        var missing: [String] = []
        while existing.path != "/", !FileManager.default.fileExists(atPath: existing.path) {
            missing.insert(existing.lastPathComponent, at: 0)
            existing.deleteLastPathComponent()
        }
        return missing.reduce(existing.resolvingSymlinksInPath()) { $0.appending(path: $1) }.path
    }

    /// - Parameter serving: whether the program will also write files, and not only rows.
    /// - Throws: `Problem` with one line that names the user and the owner. SQLite would say only that it cannot open a file.
    func requireAccess(serving: Bool) throws {
        try requireOwner(serving: serving)
        if serving {
            for path in [dataFolder, dataFolder + "/keepsake.lock"] { try SystemUser.requireAccess(to: path) }
            try requireFileAccess()
        }
        do {
            try database.requireAccess()
        } catch let problem as Problem {
            // If the database is outside the data folder, and this user may not use its folder, the path is most likely wrong. The data
            // folder itself was checked before.
            guard case .sqlite(let path) = database, !FileManager.default.fileExists(atPath: path),
                URL(filePath: path).deletingLastPathComponent().standardizedFileURL.path
                    != URL(filePath: dataFolder).standardizedFileURL.path
            else { throw problem }
            throw uncreatable(path, problem.message)
        }
    }

    /// - Throws: `Problem` when this user may not use a folder or file. Its one line names the folder or file, its owner and the user.
    func requireFileAccess() throws {
        guard case .file(let folder) = blobs else { return }
        let uploads = LocalBlobStore.uploadFolders(in: folder)
        for path in [folder, StoreMark(in: folder).path] + uploads + LocalBlobStore.fileFolders(in: folder) {
            try SystemUser.requireAccess(to: path)
        }
    }

    /// Checks the folders that every upload uses. A running server calls it again and again. It blocks the thread.
    /// - Throws: also when a folder is missing.
    func requireUploadFolders() throws {
        guard case .file(let folder) = blobs else { return }
        for path in [folder] + LocalBlobStore.uploadFolders(in: folder) {
            try SystemUser.requireAccess(to: path)
            guard FileManager.default.fileExists(atPath: path) else {
                throw Problem(
                    .unavailable, "the folder \(path) is missing; mount its disk or restore its files, and start the server again")
            }
        }
    }

    /// Refuses to run as root on an installation that another user owns. An empty folder of another user is accepted: in containers, root
    /// starts the server there, and then all files belong to root.
    private func requireOwner(serving: Bool) throws {
        let file = if case .sqlite(let path) = database { path } else { dataFolder + "/keepsake.lock" }
        if FileManager.default.fileExists(atPath: file) {
            try SystemUser.requireOwner(of: file)
        } else if !serving {
            try SystemUser.requireOwner(of: dataFolder)
        }
    }
}

extension DatabaseAddress {
    /// - Throws: `Problem` when this user may not use the files of a SQLite database.
    func requireAccess() throws {
        guard case .sqlite(let path) = self else { return }
        for file in [URL(filePath: path).deletingLastPathComponent().path, path, path + "-wal", path + "-shm"] {
            try SystemUser.requireAccess(to: file)
        }
    }
}
