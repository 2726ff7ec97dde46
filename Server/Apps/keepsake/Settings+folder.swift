import Core
import DatabaseEngines
import Foundation
import S3Blobs

extension Settings {
    /// For commands that examine an installation: a mistyped folder is an error, and not a new installation. With PostgreSQL and S3 the
    /// folder holds nothing to examine.
    func requireDataFolder() throws {
        if case .postgres = database, case .s3 = blobs { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: dataFolder, isDirectory: &isFolder), isFolder.boolValue else {
            throw Problem(.unavailable, "there is no folder \(dataFolder); name the server's data folder with --data")
        }
    }

    /// - Parameter serving: whether the program will also write files, and not only rows.
    /// - Throws: `Problem` with one line that names the user and the owner, where SQLite would say only that it cannot open a file.
    func requireAccess(serving: Bool) throws {
        if serving {
            for path in [dataFolder, dataFolder + "/keepsake.lock"] { try SystemUser.requireAccess(to: path) }
            if case .file(let folder) = blobs {
                for path in [folder, folder + "/blobs"] { try SystemUser.requireAccess(to: path) }
            }
        }
        try database.requireAccess()
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
