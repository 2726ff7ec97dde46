import Core
import Foundation

extension Settings {
    /// For commands that examine an installation: a mistyped folder is an error, and not a new installation.
    func requireDataFolder() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: dataFolder, isDirectory: &isFolder), isFolder.boolValue else {
            throw Problem(.unavailable, "there is no folder \(dataFolder); name the server's data folder with --data")
        }
    }
}
