internal import CPlatform
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Space on the disk for SQLite's log, allocated while there is room. Every change of a row is written to the log first, also a deletion and
/// a sign-in. With this space, they still succeed when other files have filled the disk.
///
/// SQLite fills the log from its beginning, and reads it up to the first frame with a wrong checksum. So the zeros at its end mean nothing.
struct LogReserve {
    /// What the log has when `LogCopying` begins to copy it: 4,000 pages of 4 KB, each with a header. 16.5 MB. SQLite's index of the log needs
    /// more space only after 4,062 pages.
    private static let byteCount: Int64 = 32 + Int64(LogCopying.startPages) * (24 + 4_096)
    /// Free bytes of the disk that are left when the space has been allocated: 64 MiB, the least that a server needs to be ready.
    private static let keptFree: Int64 = 64 << 20

    /// The log's path.
    let path: String

    /// Makes the log as long as `byteCount`. Does nothing if it is longer, if fewer than `keptFree` bytes would be left, or where the file system
    /// cannot allocate space, which Darwin's cannot do in this way.
    func take() {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        // Closing a file ends the locks that the process has on it, but SQLite locks only the database and the index of the log.
        defer { close(file) }
        let now = Int64(lseek(file, 0, SEEK_END))
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        guard now >= 0, now < Self.byteCount, free >= Self.keptFree + Self.byteCount - now else { return }
        _ = keepsake_allocate(file, now, Self.byteCount - now)
    }
}
