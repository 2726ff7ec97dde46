import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The lock file DIR/keepsake.lock, which lets only one process serve a folder. The kernel releases it when the process ends.
/// Tools that run while a server runs (`token`, `verify`) do not take it.
package final class StoreLock: Sendable {
    private let descriptor: Mutex<CInt?>

    private init(_ descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    /// - Throws: `BlobError.locked` when another process holds it.
    package static func take(in folder: String) throws -> StoreLock {
        let path = folder + "/keepsake.lock"
        // O_CLOEXEC is essential here: a child process would otherwise hold the lock after this process ends.
        let descriptor = try Disk.open(path, O_RDWR | O_CREAT, "opening keepsake.lock")
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            defer { Disk.close(descriptor) }
            if code == EWOULDBLOCK { throw BlobError.locked(folder: folder, process: holder(descriptor)) }
            throw BlobError("locking the folder", code)
        }
        // The process ID serves only the error message; flock is the lock.
        let line = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, line, line.count, 0) }
        return StoreLock(descriptor)
    }

    deinit { release() }

    package func release() {
        descriptor.withLock { descriptor in
            if let held = descriptor.take() { Disk.close(held) }
        }
    }

    private static func holder(_ descriptor: CInt) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress!, $0.count, 0) }
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
