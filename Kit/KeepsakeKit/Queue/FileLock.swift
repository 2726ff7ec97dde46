import Foundation

/// An exclusive lock on a file (`flock`). The kernel releases it whenever the process ends, even after a crash. Two locks in one process
/// exclude each other too.
final class FileLock: Sendable {
    private let descriptor: CInt

    /// - Returns: `nil` while another process or task holds the lock.
    /// - Throws: an error of the file system.
    static func attempt(_ path: String) throws -> FileLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Disk.error(path) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let isHeld = errno == EWOULDBLOCK
            _ = close(descriptor)
            if isHeld { return nil }
            throw Disk.error(path)
        }
        return FileLock(descriptor: descriptor)
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Runs `body` while no other process holds the lock. `body` should be short.
    static func hold<Result>(_ path: String, _ body: () throws -> Result) async throws -> Result {
        while true {
            if let lock = try attempt(path) {
                defer { withExtendedLifetime(lock) {} }
                return try body()
            }
            // Poll instead of waiting in the kernel, which would block a thread that other tasks need.
            do { try await Task.sleep(for: .milliseconds(2)) } catch { throw KeepsakeError(.cancelled, "The call was cancelled.") }
        }
    }
}

/// Operations on the disk that Foundation lacks.
enum Disk {
    /// The error of the last system call.
    static func error(_ path: String) -> CocoaError {
        let code: CocoaError.Code =
            switch errno {
            case ENOENT: .fileNoSuchFile
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            case EACCES, EPERM: .fileWriteNoPermission
            default: .fileWriteUnknown
            }
        return CocoaError(code, userInfo: [NSFilePathErrorKey: path])
    }

    /// Makes a file's bytes durable, or the names of the files in a folder.
    static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error(path) }
        defer { _ = close(descriptor) }
        #if canImport(Darwin)
            // On Apple's systems, `fsync` alone leaves the bytes in the drive's cache. Some file systems support only `fsync`.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw error(path) }
    }

    /// Replaces a file atomically: after a crash, it holds either all the old bytes or all the new ones.
    /// - Parameter isDurable: whether the new bytes also survive a power failure after this returns.
    /// - Returns: `false` if the file's folder does not exist any more.
    static func replace(_ path: String, with data: Data, isDurable: Bool) throws -> Bool {
        let part = path + ".part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw error(part)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.close()
        // Without this, a power failure could leave an empty file under the new name.
        do { try sync(part) } catch let error as CocoaError where error.code == .fileNoSuchFile { return false }
        return try rename(part, to: path, syncing: isDurable ? [(path as NSString).deletingLastPathComponent] : [])
    }

    /// - Returns: `false` if the file does not exist any more.
    static func rename(_ path: String, to target: String, syncing folders: [String]) throws -> Bool {
        guard Foundation.rename(path, target) == 0 else {
            if errno == ENOENT { return false }
            throw error(path)
        }
        for folder in folders { try sync(folder) }
        return true
    }

    static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
