internal import CPlatform
internal import Core
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Space on the disk for SQLite's log, allocated while there is room. SQLite writes every change of a row to the log first. With this
/// space, deletions, sign-ins and other changes still succeed when other files have filled the disk.
///
/// SQLite fills the log from its beginning, and reads it up to the first frame with a wrong checksum. So the zeros at its end mean nothing.
package final class LogReserve: Sendable {
    /// The length of the log when `LogCopying` begins to copy it: 4,000 pages of 4 KB, each with a header, which are 16.5 MB. SQLite's
    /// index of the log needs more space only after 4,062 pages.
    private static let byteCount: Int64 = 32 + Int64(LogCopying.startPages) * (24 + 4_096)
    /// Free bytes of the disk that are left when the space has been allocated: 64 MiB, the least that a server needs to be ready.
    private static let keptFree: Int64 = 64 << 20

    /// Why the space was not allocated.
    private struct Shortage {
        /// The system's error code. It is ENOSPC also if there is room, but too little would be left afterwards.
        let code: CInt
        let reason: String
    }

    /// The log's path.
    private let path: String
    private let report: @Sendable (String?) -> Void
    /// The code of the last shortage; `nil` if there was none.
    private let lastCode = Mutex<CInt?>(nil)

    /// - Parameter report: called with the reason when the space can no longer be allocated or when the reason changes, and with `nil` once
    ///   the space is allocated again.
    package init(path: String, report: @escaping @Sendable (String?) -> Void) {
        self.path = path
        self.report = report
    }

    /// Makes the log as long as `byteCount`. Does nothing if the log is longer, if fewer than `keptFree` bytes would be left, or if the
    /// file system cannot allocate space in this way, as on Darwin.
    package func take() {
        let shortage = allocate()
        let isNews = lastCode.withLock { last in
            defer { last = shortage?.code }
            return last != shortage?.code
        }
        if isNews { report(shortage?.reason) }
    }

    private func allocate() -> Shortage? {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else {
            let code = errno
            // ENOENT means that SQLite has not created the log yet.
            return code == ENOENT ? nil : refused(code)
        }
        // Closing a file ends the locks that the process has on it, but SQLite locks only the database and the index of the log.
        defer { close(file) }
        let now = Int64(lseek(file, 0, SEEK_END))
        guard now >= 0 else { return refused(errno) }
        let missing = Self.byteCount - now
        guard missing > 0 else { return nil }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        guard free >= Self.keptFree + missing else {
            let folder = (path as NSString).deletingLastPathComponent
            let needed = SizeText.rounded(Self.keptFree + missing)
            return Shortage(
                code: ENOSPC, reason: "\(folder.isEmpty ? "." : folder) has \(SizeText.rounded(free)) free, and \(needed) are needed")
        }
        guard keepsake_allocate(file, now, missing) == 0 else {
            #if os(Linux)
                return refused(errno)
            #else
                return refused(ENOTSUP)
            #endif
        }
        return nil
    }

    private func refused(_ code: CInt) -> Shortage {
        Shortage(code: code, reason: "the system does not allocate space for \(path) (\(String(cString: strerror(code))))")
    }
}
