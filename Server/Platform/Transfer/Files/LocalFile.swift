import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls of this module. They block.
enum LocalFile {
    static func open(_ path: String, _ flags: CInt) throws -> CInt {
        try value("opening", path) { systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    }

    static func close(_ descriptor: CInt) { _ = systemClose(descriptor) }

    static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, _ path: String) throws {
        var done = 0
        while done < bytes.count {
            done += try value("writing", path) { systemWrite(descriptor, bytes.baseAddress! + done, bytes.count - done) }
        }
    }

    /// - Returns: the number of bytes read; 0 at the end.
    static func read(_ descriptor: CInt, into target: UnsafeMutableRawBufferPointer, _ path: String) throws -> Int {
        try value("reading", path) { systemRead(descriptor, target.baseAddress, target.count) }
    }

    static func sync(_ descriptor: CInt, _ path: String) throws { try value("syncing", path) { fsync(descriptor) } }

    static func syncFolder(_ path: String) throws {
        let descriptor = try open(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        try sync(descriptor, path)
    }

    /// Creates the folder and its parents, durably.
    static func makeFolders(_ path: String) throws {
        guard access(path, F_OK) != 0 else { return }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        try makeFolders(parent)
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw failure("making the folder", path, errno) }
        try syncFolder(parent)
    }

    static func rename(_ path: String, to target: String) throws { try value("renaming", target) { systemRename(path, target) } }

    /// - Returns: whether there was such a file.
    @discardableResult
    static func remove(_ path: String) throws -> Bool {
        guard unlink(path) != 0 else { return true }
        guard errno == ENOENT else { throw failure("deleting", path, errno) }
        return false
    }

    /// - Returns: `nil` when there is no such file.
    static func byteCount(_ path: String) throws -> Int64? {
        var status = stat()
        guard stat(path, &status) != 0 else { return Int64(status.st_size) }
        guard errno == ENOENT || errno == ENOTDIR else { throw failure("examining", path, errno) }
        return nil
    }

    /// The names in the folder; none when there is no such folder.
    /// - Throws: when the folder cannot be read.
    static func names(in path: String) throws -> [String] {
        guard let handle = opendir(path) else {
            let code = errno
            guard code == ENOENT || code == ENOTDIR else { throw failure("listing", path, code) }
            return []
        }
        defer { closedir(handle) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(handle) else {
                let code = errno
                guard code == 0 else { throw failure("listing", path, code) }
                return names
            }
            let length = MemoryLayout.size(ofValue: entry.pointee.d_name)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: length) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    @discardableResult
    private static func value<T: SignedInteger>(_ operation: String, _ path: String, _ call: () -> T) throws -> T {
        while true {
            let answer = call()
            if answer >= 0 { return answer }
            let code = errno
            if code != EINTR { throw failure(operation, path, code) }
        }
    }

    /// - Parameters:
    ///   - operation: what was tried, for example `opening`.
    ///   - code: its errno.
    ///   - user: the user who tried it.
    static func failure(_ operation: String, _ path: String, _ code: CInt, by user: UnixUser = .current) -> TransferFailure {
        switch code {
        case ENOSPC, EDQUOT:
            TransferFailure(.unavailable, "No space is left for \(path). Free some and run the command again.", fullPath: path)
        case EACCES, EPERM: TransferFailure(.unavailable, refusal(of: path, to: user))
        case EROFS: TransferFailure(.unavailable, "\(path) is on a disk that is mounted read-only. Mount it so that it can be written.")
        // This module does not follow symbolic links: the system then reports one of these errors.
        case ENOTDIR, ELOOP:
            TransferFailure(.refused, "\(path) is no folder, is below a file, or is a symbolic link. Name a folder itself.")
        case ENAMETOOLONG: TransferFailure(.refused, "The path \(path) is too long. Name a folder with a shorter path.")
        case ENOENT: TransferFailure(.unavailable, "\(path) is missing, or was removed while the command ran.")
        case EIO:
            // What the disk cannot read is damaged, and other files may be intact.
            TransferFailure(
                operation == "reading" ? .damaged : .unavailable,
                "The disk could not do its work: \(operation) \(path) failed. Check the disk.")
        default: TransferFailure(.unavailable, "\(operation) \(path) failed: \(String(cString: strerror(code)))")
        }
    }

    /// Why the user may not use the file or folder, and what to do. The text never suggests to run the command as root, because the files
    /// that it creates would belong to root.
    private static func refusal(of path: String, to user: UnixUser) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { return "The user \(user) may not enter a folder above \(path). Name a folder elsewhere." }
            return """
                The user \(user) may not create \(path). Create the folder for that user (sudo install --directory --owner \(user.argument) \
                --mode 0700 \(path)), or name another one.
                """
        }
        let owner = UnixUser(id: status.st_uid)
        if owner == user { return "\(path) belongs to \(user), who lacks the permission. Allow it (chmod u+rwX \(path))." }
        guard owner.isRoot else {
            return """
                The user \(user) may not use \(path), which belongs to \(owner). Run the command as \(owner) (\(owner.sudo) keepsake …), or \
                name a folder that \(user) may write.
                """
        }
        return """
            The user \(user) may not use \(path), which belongs to root. Name a folder that \(user) may write. If this one is only for \
            Keepsake, you can give it to \(user) (sudo chown -R \(user.argument) \(path)).
            """
    }

    /// - Throws: when the path is not a folder, or when this user may not read the folder or, if `writable`, may not write it. Does not
    ///   throw when nothing has this path.
    static func requireFolder(_ path: String, writable: Bool) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw failure("opening", path, ENOTDIR) }
        guard access(path, writable ? R_OK | W_OK | X_OK : R_OK | X_OK) == 0 else { throw failure("opening", path, errno) }
    }
}

// The methods above shadow the system's functions.
#if canImport(Glibc)
    private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { Glibc.open(path, flags, mode) }
    private func systemClose(_ descriptor: CInt) -> CInt { Glibc.close(descriptor) }
    private func systemRead(_ descriptor: CInt, _ to: UnsafeMutableRawPointer?, _ count: Int) -> Int { Glibc.read(descriptor, to, count) }
    private func systemWrite(_ descriptor: CInt, _ from: UnsafeRawPointer, _ count: Int) -> Int { Glibc.write(descriptor, from, count) }
    private func systemRename(_ from: String, _ to: String) -> CInt { Glibc.rename(from, to) }
#elseif canImport(Darwin)
    private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt { Darwin.open(path, flags, mode) }
    private func systemClose(_ descriptor: CInt) -> CInt { Darwin.close(descriptor) }
    private func systemRead(_ descriptor: CInt, _ to: UnsafeMutableRawPointer?, _ count: Int) -> Int { Darwin.read(descriptor, to, count) }
    private func systemWrite(_ descriptor: CInt, _ from: UnsafeRawPointer, _ count: Int) -> Int { Darwin.write(descriptor, from, count) }
    private func systemRename(_ from: String, _ to: String) -> CInt { Darwin.rename(from, to) }
#endif
