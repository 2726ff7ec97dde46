import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

package enum ProcessMemory {
    /// Resident memory of this process in bytes; `nil` where the system does not report it in `/proc`.
    package static var residentByteCount: Int? {
        // The file counts memory pages: first all of them, then the resident ones, and more.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }
}
