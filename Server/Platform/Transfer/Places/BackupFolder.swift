package import Core
import Foundation
package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Backups in a local folder. Each file is written under a temporary name, synced and renamed.
package struct BackupFolder: BackupPlace {
    /// How the names of unfinished files begin.
    static let temporary = "tmp-"

    private let root: String
    private let entropy: Entropy

    /// - Parameter creating: whether to create the folder if it does not exist.
    /// - Throws: when it does not exist and is not created, is not a folder, or this user may not use it.
    package static func open(_ root: String, creating: Bool = true, entropy: Entropy = .system) async throws -> BackupFolder {
        let root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        return try await NIOThreadPool.singleton.runIfActive {
            try LocalFile.requireFolder(root, writable: creating)
            if creating {
                try LocalFile.makeFolders(root)
            } else if try LocalFile.byteCount(root) == nil {
                throw TransferFailure(.refused, "There is no backup in \(root).")
            }
            return BackupFolder(root: root, entropy: entropy)
        }
    }

    package var description: String { root }

    private func path(_ name: String) -> String { root + "/" + name }

    private static func folder(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    package func write(_ name: String, byteCount: Int64, _ bytes: any ByteSource) async throws {
        let target = path(name)
        let temporary = Self.folder(of: target) + "/" + Self.temporary + Hex.encode(entropy.bytes(8))
        let pool = NIOThreadPool.singleton
        let descriptor = try await pool.runIfActive {
            try LocalFile.makeFolders(Self.folder(of: target))
            return try LocalFile.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
        }
        do {
            var written: Int64 = 0
            while let piece = try await bytes.next() {
                written += Int64(piece.readableBytes)
                try await pool.runIfActive { try piece.withUnsafeReadableBytes { try LocalFile.write(descriptor, $0, target) } }
            }
            guard written == byteCount else { throw TransferFailure(.damaged, "\(name) has \(written) bytes, not \(byteCount).") }
            try await pool.runIfActive {
                try LocalFile.sync(descriptor, target)
                try LocalFile.rename(temporary, to: target)
                try LocalFile.syncFolder(Self.folder(of: target))
            }
        } catch {
            _ = try? await pool.runIfActive {
                LocalFile.close(descriptor)
                try LocalFile.remove(temporary)
            }
            throw error
        }
        try await pool.runIfActive { LocalFile.close(descriptor) }
    }

    package func create(_ name: String, _ bytes: ByteBuffer) async throws -> Bool {
        let target = path(name)
        return try await NIOThreadPool.singleton.runIfActive {
            try LocalFile.makeFolders(Self.folder(of: target))
            let temporary = target + "-" + Hex.encode(entropy.bytes(8))
            let descriptor = try LocalFile.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
            defer {
                LocalFile.close(descriptor)
                _ = try? LocalFile.remove(temporary)
            }
            try bytes.withUnsafeReadableBytes { try LocalFile.write(descriptor, $0, target) }
            try LocalFile.sync(descriptor, target)
            // A link, unlike a rename, does not replace what is there.
            guard link(temporary, target) == 0 else {
                guard errno == EEXIST else {
                    throw TransferFailure(.unavailable, "creating \(target) failed: \(String(cString: strerror(errno)))")
                }
                return false
            }
            try LocalFile.syncFolder(Self.folder(of: target))
            return true
        }
    }

    package func read(_ name: String) async throws -> (byteCount: Int64, bytes: any ByteSource)? {
        let path = path(name)
        return try await NIOThreadPool.singleton.runIfActive {
            guard let byteCount = try LocalFile.byteCount(path) else { return nil }
            return (byteCount, try FileBytes(path))
        }
    }

    package func delete(_ name: String) async throws {
        let path = path(name)
        try await NIOThreadPool.singleton.runIfActive {
            guard try LocalFile.remove(path) else { return }
            // `rmdir` fails unless the folder is empty.
            if name.hasPrefix("snapshots/"), rmdir(Self.folder(of: path)) == 0 { rmdir(Self.folder(of: Self.folder(of: path))) }
        }
    }

    package func list(_ folder: String) -> any BackupListing { FolderBackupListing(root: root, folder: folder) }
}

/// Reads a file in pieces of 256 KiB.
final class FileBytes: ByteSource {
    private static let pieceByteCount = 262_144

    private let path: String
    private let descriptor: CInt

    /// Blocks.
    init(_ path: String) throws {
        self.path = path
        descriptor = try LocalFile.open(path, O_RDONLY)
    }

    deinit { LocalFile.close(descriptor) }

    func next() async throws -> ByteBuffer? {
        try await NIOThreadPool.singleton.runIfActive {
            var piece = ByteBuffer()
            let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceByteCount) { target in
                try LocalFile.read(
                    self.descriptor, into: UnsafeMutableRawBufferPointer(rebasing: target.prefix(Self.pieceByteCount)), self.path)
            }
            return count == 0 ? nil : piece
        }
    }
}

/// Lists folder by folder, so that only the names of one folder are in memory.
private final class FolderBackupListing: BackupListing {
    private let root: String
    /// Whether the whole place is listed. Then folders that this user may not read, such as `lost+found`, are skipped.
    private let isWhole: Bool
    /// Folders and files to list, in descending order, so that the next one is the last.
    private var waiting: [String]

    init(root: String, folder: String) {
        self.root = root
        isWhole = folder.isEmpty
        waiting = [folder]
    }

    func next() async throws -> [BackupEntry] {
        var entries: [BackupEntry] = []
        while entries.count < 500, let name = waiting.popLast() {
            if name.isEmpty || name.hasSuffix("/") {
                let (path, skips) = (root + "/" + name, isWhole)
                waiting += try await NIOThreadPool.singleton.runIfActive { () throws -> [String] in
                    do {
                        return try Self.content(of: path, named: name)
                    } catch {
                        // A folder that cannot be read must not count as empty: a prune would then delete the files that only the snapshots
                        // in it name.
                        guard skips else { throw error }
                        return []
                    }
                }
            } else if let byteCount = try LocalFile.byteCount(root + "/" + name) {
                entries.append(BackupEntry(name: name, byteCount: byteCount))
            }
        }
        return entries
    }

    /// The content of a folder in descending order of bytes, in which `/` precedes all letters and digits.
    private static func content(of path: String, named name: String) throws -> [String] {
        try LocalFile.names(in: path).map { one in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + one, isDirectory: &isFolder)
            return name + one + (isFolder.boolValue ? "/" : "")
        }.sorted { $1.utf8.lexicographicallyPrecedes($0.utf8) }
    }
}
