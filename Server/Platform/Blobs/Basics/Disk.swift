import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls of this module. An interrupted call is repeated; a failed one throws `BlobError`.
enum Disk {
    /// - Parameter mode: the permissions of a new file or folder; by default for its owner only.
    static func open(_ path: String, _ flags: CInt, mode: mode_t = 0o600, _ operation: String) throws -> CInt {
        try value(operation) { systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW, mode) }
    }

    static func close(_ descriptor: CInt) {
        // close is never repeated: Linux has closed the descriptor even on EINTR, and another thread may have reused its number.
        _ = systemClose(descriptor)
    }

    /// - Returns: a descriptor of the same open file, which the caller must close.
    static func duplicate(_ descriptor: CInt, _ operation: String) throws -> CInt {
        try value(operation) { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    static func sync(_ descriptor: CInt, _ operation: String) throws {
        // Never repeat a failed fsync: after a failure the kernel marks the lost pages clean, so a second fsync would succeed wrongly.
        #if canImport(Darwin)
            // On Darwin, fsync(2) leaves the bytes in the drive's cache.
            try value(operation) { fcntl(descriptor, F_FULLFSYNC) }
        #else
            try value(operation) { fsync(descriptor) }
        #endif
    }

    static func syncFolder(_ path: String) throws {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY, "opening a blob folder")
        defer { close(descriptor) }
        try sync(descriptor, "syncing a blob folder")
    }

    /// - Returns: whether the folder was created.
    @discardableResult
    static func makeFolder(_ path: String) throws -> Bool {
        guard mkdir(path, 0o700) != 0 else { return true }
        let code = errno
        guard code == EEXIST else { throw BlobError("making a blob folder", code) }
        return false
    }

    /// Makes the owner of `model` the owner of `path`. Does so only when this process runs as root, because its new folders belong to root.
    static func changeOwner(of path: String, toOwnerOf model: String) throws {
        guard geteuid() == 0 else { return }
        var status = stat()
        try value("reading a blob folder's owner") { lstat(model, &status) }
        guard status.st_uid != 0 else { return }
        try value("changing a blob folder's owner") { lchown(path, status.st_uid, status.st_gid) }
    }

    /// - Returns: whether there was such a file.
    @discardableResult
    static func remove(_ path: String) throws -> Bool {
        guard unlink(path) != 0 else { return true }
        let code = errno
        guard code == ENOENT else { throw BlobError("removing a blob", code) }
        return false
    }

    /// - Returns: whether there was such a file.
    static func move(_ path: String, to target: String) throws -> Bool {
        guard rename(path, target) != 0 else { return true }
        let code = errno
        guard code == ENOENT else { throw BlobError("publishing a blob", code) }
        return false
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func truncate(_ descriptor: CInt, to byteCount: Int64) throws {
        try value("truncating a blob") { ftruncate(descriptor, off_t(byteCount)) }
    }

    static func byteCount(of descriptor: CInt) throws -> Int64 {
        var status = stat()
        try value("reading a blob's size") { fstat(descriptor, &status) }
        return Int64(status.st_size)
    }

    /// The number of the file's names (hard links); `nil` on an error.
    static func linkCount(of descriptor: CInt) -> Int? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : nil
    }

    /// Lets the kernel read the bytes in large pieces; only a hint.
    static func willRead(_ descriptor: CInt, _ range: Range<Int64>) {
        #if canImport(Glibc)
            _ = posix_fadvise(descriptor, off_t(range.lowerBound), off_t(range.count), CInt(POSIX_FADV_WILLNEED))
        #endif
    }

    /// When the file was last written; `nil` when it does not exist or is not a regular file.
    static func modificationTime(of name: UnsafePointer<CChar>, in folder: CInt) -> Timestamp? {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    static func setModificationTime(_ descriptor: CInt, _ time: Timestamp) throws {
        let spec = timespec(tv_sec: Int(time.seconds), tv_nsec: Int(time.microseconds - time.seconds * 1_000_000) * 1_000)
        try value("setting a blob's modification time") {
            withUnsafePointer(to: (spec, spec)) { $0.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) } }
        }
    }

    static func freeByteCount(_ path: String) throws -> Int64 {
        var status = statvfs()
        try value("reading the free space") { statvfs(path, &status) }
        return freeByteCount(status)
    }

    /// The free space of the file system that holds the open file.
    static func freeByteCount(_ descriptor: CInt) throws -> Int64 {
        var status = statvfs()
        try value("reading the free space") { fstatvfs(descriptor, &status) }
        return freeByteCount(status)
    }

    private static func freeByteCount(_ status: statvfs) -> Int64 {
        Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    /// Fills `target` with the bytes from `offset`.
    /// - Returns: the number of bytes read; fewer than `target.count` only at the end of the file.
    static func read(_ descriptor: CInt, into target: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        var done = 0
        while done < target.count {
            let count = try value("reading a blob") {
                pread(descriptor, target.baseAddress! + done, target.count - done, off_t(offset) + off_t(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all of `bytes` at `offset`.
    static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < bytes.count {
            done += try value("writing a blob") {
                pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
            }
        }
    }

    @discardableResult
    private static func value<T: SignedInteger>(_ operation: String, _ call: () -> T) throws -> T {
        while true {
            let answer = call()
            if answer >= 0 { return answer }
            let code = errno
            if code != EINTR { throw BlobError(operation, code) }
        }
    }
}

// The methods `open` and `close` above shadow the system's functions.
#if canImport(Glibc)
    private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { Glibc.open(path, flags, mode) }
    private func systemClose(_ descriptor: CInt) -> CInt { Glibc.close(descriptor) }
#elseif canImport(Darwin)
    private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { Darwin.open(path, flags, mode) }
    private func systemClose(_ descriptor: CInt) -> CInt { Darwin.close(descriptor) }
#endif
