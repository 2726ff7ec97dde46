import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// DIR/keepsake.lock: one process serves a folder. The kernel lets go of it when the process ends, however it ends.
/// Tools that work beside a server (`token`, `verify`) do not take it.
package final class StoreLock: Sendable {
    private let descriptor: Mutex<CInt?>

    private init(_ descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    /// - Throws: `BlobError.locked` when somebody else holds it.
    package static func take(in folder: String) throws -> StoreLock {
        let path = folder + "/keepsake.lock"
        // O_CLOEXEC matters twice here: a child process would hold the lock beyond our end.
        let descriptor = try Disk.open(path, O_RDWR | O_CREAT, "opening keepsake.lock")
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            defer { Disk.close(descriptor) }
            if code == EWOULDBLOCK { throw BlobError.locked(process: holder(descriptor)) }
            throw BlobError("locking the folder", code)
        }
        // Only for the message above; the lock is the kernel's.
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
