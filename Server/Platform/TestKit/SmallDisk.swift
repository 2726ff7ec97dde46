#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file system in memory that is soon full, for one test. Deinitialization unmounts it. Only root can mount one, so a test that uses it
/// has `.enabled(if: geteuid() == 0, …)`.
package final class SmallDisk: Sendable {
    private let folder: TemporaryFolder
    package var path: String { folder.path }

    /// - Parameter megabytes: its size, in 1,048,576 bytes.
    package init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.mount(folder.path, megabytes)
    }

    // A function of its own, because a noncopyable value must not be partly initialized when this throws.
    private static func mount(_ path: String, _ megabytes: Int) throws {
        try Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
    }

    /// Writes a file until no space is left.
    /// - Returns: the path of the file.
    package func fill() throws -> String {
        let path = path + "/filling"
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Tool.Failed(description: "\(path) cannot be created") }
        defer { close(descriptor) }
        let piece = [UInt8](repeating: 1, count: 65_536)
        for byteCount in [65_536, 512] {
            while write(descriptor, piece, byteCount) == byteCount {}
        }
        return path
    }

    deinit {
        #if canImport(Glibc)
            umount2(folder.path, CInt(MNT_DETACH))
        #elseif canImport(Darwin)
            unmount(folder.path, MNT_FORCE)
        #endif
    }
}
