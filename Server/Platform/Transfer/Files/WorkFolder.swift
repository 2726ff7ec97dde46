import Core
import Foundation
import NIOPosix

/// A local folder for the row files of one run, which are deleted at its end.
package struct WorkFolder: Sendable {
    /// The parent may be the system's folder for temporary files, where other programs have folders too.
    private static let prefix = "keepsake-transfer-"

    let path: String

    /// Creates it in `parent`, and deletes the folders that killed runs left there more than a day ago.
    static func make(in parent: String, entropy: Entropy) async throws -> WorkFolder {
        try await NIOThreadPool.singleton.runIfActive {
            try LocalFile.makeFolders(parent)
            for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
                let path = parent + "/" + name
                let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                if let changed, changed.timeIntervalSinceNow < -86_400 { try? FileManager.default.removeItem(atPath: path) }
            }
            let folder = WorkFolder(path: "\(parent)/\(prefix)\(Hex.encode(entropy.bytes(8)))")
            try LocalFile.makeFolders(folder.path)
            return folder
        }
    }

    func remove() async {
        _ = try? await NIOThreadPool.singleton.runIfActive { try FileManager.default.removeItem(atPath: path) }
    }
}
