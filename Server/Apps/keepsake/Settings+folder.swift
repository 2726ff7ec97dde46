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
}
