import Core
import Foundation
import Web

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Figures of this process for the metrics page, under the names that all client libraries of Prometheus use. They do not include the
/// processes of media workers. They exist only on Linux.
enum ProcessGauges {
    static func add(to metrics: Metrics) {
        #if os(Linux)
            metrics.counter("process_cpu_seconds_total", help: "Processor time, in user and system mode.") { cpuSeconds }
            gauge(metrics, "process_resident_memory_bytes", help: "Memory in use.") { ProcessMemory.residentByteCount.map(Double.init) }
            gauge(metrics, "process_open_fds", help: "Open files and sockets.") { openFileCount }
            gauge(metrics, "process_max_fds", help: "The most files and sockets that may be open.") { maxFileCount }
            let start = startTime
            gauge(metrics, "process_start_time_seconds", help: "When the process started, in seconds since 1970.") { start }
        #endif
    }

    #if os(Linux)
        /// Adds a gauge that has no sample while the kernel does not report the value (`read` returns `nil`).
        private static func gauge(_ metrics: Metrics, _ name: String, help: String, _ read: @escaping @Sendable () -> Double?) {
            metrics.gauges(name, help: help) { read().map { [Metrics.Sample($0)] } ?? [] }
        }

        private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

        /// The fields of the process's line in /proc, from the third one on. The second is the process's name in parentheses, which may
        /// contain spaces.
        private static var status: [Substring] {
            guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8), let end = text.lastIndex(of: ")") else {
                return []
            }
            return text[text.index(after: end)...].split(separator: " ")
        }

        private static var cpuSeconds: Double {
            // These are the 14th and the 15th field of the line: the clock ticks in user mode and in system mode.
            status.dropFirst(11).prefix(2).reduce(0) { $0 + (Double($1) ?? 0) } / ticksPerSecond
        }

        private static var openFileCount: Double? {
            guard let folder = opendir("/proc/self/fd") else { return nil }
            defer { closedir(folder) }
            var count = 0
            while let entry = readdir(folder) {
                // Skip the names `.` and `..`. One of the counted descriptors is that of the open folder itself, so it is subtracted below.
                if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
            }
            return Double(count - 1)
        }

        private static var maxFileCount: Double? {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
            return Double(limit.rlim_cur)
        }

        private static var startTime: Double? {
            // This is the 22nd field of the line: the clock ticks between the system's boot and the start of the process.
            guard let ticks = status.dropFirst(19).first.flatMap({ Double($0) }) else { return nil }
            var (now, sinceBoot) = (timespec(), timespec())
            clock_gettime(CLOCK_REALTIME, &now)
            clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
            let boot = Double(now.tv_sec - sinceBoot.tv_sec) + Double(now.tv_nsec - sinceBoot.tv_nsec) / 1_000_000_000
            return boot + ticks / ticksPerSecond
        }
    #endif
}
