import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Logging
import S3Blobs

extension Settings {
    /// For `keepsake doctor`, which may be the first command on an installation but must not make the folder: a mistyped one is an error. With
    /// PostgreSQL and S3 the folder holds nothing to examine.
    func requireDataFolder() throws {
        if case .postgres = database, case .s3 = blobs { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: dataFolder, isDirectory: &isFolder), isFolder.boolValue else {
            throw Problem(.unavailable, "there is no folder \(dataFolder); name the server's data folder with --data")
        }
    }

    /// For commands that need an installation: a mistyped folder or file is an error, and not a new installation.
    func requireInstallation() throws {
        try requireDataFolder()
        // This check comes first: to a user who may not look into the folder, its files do not exist.
        try database.requireAccess()
        if case .sqlite(let path) = database, !FileManager.default.fileExists(atPath: path) { throw noInstallation }
    }

    /// - Throws: `Wrong` when the path of the data folder leads to or through a file, or the user may not write where the folder would be;
    ///   `.unavailable` when it cannot be created for another reason, such as a full disk.
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

    /// - Throws: `Wrong` with the name of the setting when no SQLite database can be created at its path, or a part of the address of
    ///   PostgreSQL is wrong; `.unavailable` with that name when PostgreSQL cannot be reached.
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
    /// - Throws: also when the tables belong to another program, and when there are files of an installation, but not its database: the
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
        // The message does not quote the address: it may contain a password.
        case .postgres:
            Problem(
                .unavailable,
                """
                the PostgreSQL database is empty; name the server's database with --database (keepsake serve creates an installation)\
                \(adviceOnLostDatabase)
                """)
        }
    }

    /// The advice for an installation whose files exist, but not its database; empty without such files.
    private var adviceOnLostDatabase: String {
        guard case .file(let folder) = blobs, let kept = Self.keptFile(in: folder + "/blobs") else { return "" }
        return """
            . \(folder) has files of an installation, such as \(kept): if its database is lost, move them away, and restore a backup with \
            keepsake restore
            """
    }

    /// Where the data is, for the log.
    var place: Logger.Metadata {
        ["data": "\(URL(filePath: dataFolder).standardizedFileURL.path)", "database": "\(database.engineName)"]
    }

    /// The name of a blob below the folder; `nil` if there is none.
    private static func keptFile(in folder: String) -> String? {
        let names = FileManager.default.enumerator(atPath: folder)
        while let name = names?.nextObject() as? String {
            // Others are temporary: two hexadecimal digits, and the blob's key.
            if name.wholeMatch(of: /[0-9a-f]{2}\/[0-9a-f]{40}/) != nil { return "blobs/" + name }
        }
        return nil
    }

    /// Refuses a place for backups in the folders that it backs up: it would be lost together with them.
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
    /// - Throws: `Problem` with one line that names the user and the owner, where SQLite would say only that it cannot open a file.
    func requireAccess(serving: Bool) throws {
        try requireOwner(serving: serving)
        if serving {
            for path in [dataFolder, dataFolder + "/keepsake.lock"] { try SystemUser.requireAccess(to: path) }
            try requireFileAccess()
        }
        do {
            try database.requireAccess()
        } catch let problem as Problem {
            // If the database is outside the data folder, in a folder that this user may not use, its path is most likely wrong. The data
            // folder itself was checked before.
            guard case .sqlite(let path) = database, !FileManager.default.fileExists(atPath: path),
                URL(filePath: path).deletingLastPathComponent().standardizedFileURL.path
                    != URL(filePath: dataFolder).standardizedFileURL.path
            else { throw problem }
            throw uncreatable(path, problem.message)
        }
    }

    /// - Throws: `Problem` with one line that names the folder or file, its owner and the user when this user may not use it.
    func requireFileAccess() throws {
        guard case .file(let folder) = blobs else { return }
        let uploads = LocalBlobStore.uploadFolders(in: folder)
        for path in [folder, StoreMark(in: folder).path] + uploads + LocalBlobStore.fileFolders(in: folder) {
            try SystemUser.requireAccess(to: path)
        }
    }

    /// What a running server checks again and again: the folders that every upload uses. Blocks.
    /// - Throws: also when one of them is missing.
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

    /// Refuses to run as root on an installation that another user owns. A server that root starts in an empty folder of another user is
    /// not refused: containers do that, and all files then belong to root.
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
