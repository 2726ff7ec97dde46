import Core
import Foundation
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A local folder for the row files of one run: a backup, a restore, a copy, a check or a deletion of old snapshots. `remove` deletes the
/// folder at the end of the run.
package struct WorkFolder: Sendable {
    /// The parent may be the system's folder for temporary files, where other programs have folders too.
    private static let prefix = "keepsake-transfer-"

    let path: String
    /// Locked until the end of the run, which may take longer than a day: other runs delete old folders, but no locked ones.
    private let descriptor: CInt

    /// Creates it in `parent`, and deletes the folders that killed runs left there more than a day ago.
    static func make(in parent: String, entropy: Entropy) async throws -> WorkFolder {
        try await NIOThreadPool.singleton.runIfActive {
            try LocalFile.makeFolders(parent)
            for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
                let path = parent + "/" + name
                let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                guard let changed, changed.timeIntervalSinceNow < -86_400, let descriptor = try? open(path) else { continue }
                if lock(descriptor) { try? FileManager.default.removeItem(atPath: path) }
                LocalFile.close(descriptor)
            }
            let path = "\(parent)/\(prefix)\(Hex.encode(entropy.bytes(8)))"
            try LocalFile.makeFolders(path)
            let folder = WorkFolder(path: path, descriptor: try open(path))
            _ = lock(folder.descriptor)
            return folder
        }
    }

    func remove() async {
        _ = try? await NIOThreadPool.singleton.runIfActive {
            defer { LocalFile.close(descriptor) }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private static func open(_ path: String) throws -> CInt { try LocalFile.open(path, O_RDONLY | O_DIRECTORY) }

    /// - Returns: whether no other run has the lock. The kernel releases it when the process ends.
    private static func lock(_ descriptor: CInt) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}
