public import Foundation

/// Keeps the session in a file that only its owner can read (mode 0600). Several processes can share the file; lock files beside it guard
/// it.
public struct FileTokenStore: TokenStore {
    public let file: URL

    /// - Parameter file: the file's path. If its folder is missing, the store creates it with mode 0700.
    public init(_ file: URL) { self.file = file }

    public func load() async throws -> StoredSession? { try available { try read() } }

    public func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool {
        try await withLock("lock") {
            try available {
                if let expected {
                    guard try read()?.id == expected else { return false }
                }
                if let session { try write(session) } else { try remove() }
                return true
            }
        }
    }

    public func withRefreshLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await withLock("refresh", body)
    }

    private func read() throws -> StoredSession? {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return nil
        }
        return try JSONDecoder().decode(StoredSession.self, from: data)
    }

    /// Writes a new file, syncs it and renames it, so that a crash leaves either the old session or the new one.
    private func write(_ session: StoredSession) throws {
        let data = try JSONEncoder().encode(session)
        let part = file.path + ".\(UUID().uuidString)"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        // The handle closes the file even if writing fails. Otherwise, on a full disk, each attempt to store the tokens would leave a
        // descriptor open.
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
        } catch {
            _ = unlink(part)
            throw error
        }
        guard rename(part, file.path) == 0 else {
            _ = unlink(part)
            throw CocoaError(.fileWriteUnknown)
        }
    }

    private func remove() throws {
        guard unlink(file.path) == 0 || errno == ENOENT else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// Runs `body`.
    /// - Throws: `store_unavailable` instead of any error.
    private func available<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw KeepsakeError(.storeUnavailable, "The file with the tokens cannot be used: \(error.localizedDescription)")
        }
    }

    /// The kernel releases the lock whenever the process ends, even after a crash.
    private func withLock<Result: Sendable>(_ name: String, _ body: @Sendable () async throws -> Result) async throws -> Result {
        try available {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let descriptor = open(file.path + "." + name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw KeepsakeError(.storeUnavailable, "The lock of the file with the tokens cannot be opened.") }
        defer { _ = close(descriptor) }
        // Poll instead of waiting in the kernel, which would block a thread that other tasks need.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw KeepsakeError(.storeUnavailable, "The file with the tokens cannot be locked.")
            }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { throw KeepsakeError(.cancelled, "The call was cancelled.") }
        }
        return try await body()
    }
}
