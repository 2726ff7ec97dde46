import Foundation
import TestKit

/// Equal weights for the server, PostgreSQL, and the campaign's own processes, when they compete for the processors.
///
/// Without groups, Linux shares the processors between all threads, so 48 busy processes of PostgreSQL get almost all of the time. Services
/// of systemd (`CPUWeight` in deploy/keepsake.service) and containers have groups, and each group gets an equal part. This makes such groups
/// with control groups of the kernel, version 1 or 2. It needs root.
final class ProcessorWeights {
    private static let names = ["server", "postgres", "clients"]
    /// The folder that contains the three groups.
    private let root: URL
    /// The group in which the campaign's process was before, relative to ``root``.
    private let before: String

    /// - Returns: nil if this process may not make groups.
    init?(server: Int32) {
        let mounted = URL(filePath: "/sys/fs/cgroup")
        let files = FileManager.default
        // Version 1 has a hierarchy for each controller, version 2 a single one.
        let isFirstVersion = files.fileExists(atPath: mounted.appending(path: "cpu/cgroup.procs").path)
        root = isFirstVersion ? mounted.appending(path: "cpu") : mounted
        // A line is `number:controllers:group`; version 2 has the number 0 and names no controllers.
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        let controller = isFirstVersion ? "cpu" : ""
        let lines = groups.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
        guard let line = lines.first(where: { $0.count == 3 && $0[1] == controller }) else { return nil }
        before = String(line[2])
        do {
            if !isFirstVersion { try Self.write("+cpu", to: root.appending(path: "cgroup.subtree_control")) }
            for name in Self.names { try files.createDirectory(at: group(name), withIntermediateDirectories: true) }
            try move(ProcessInfo.processInfo.processIdentifier, to: group("clients"))
            try move(server, to: group("server"))
            for process in try Self.postgresProcesses() { try? move(process, to: group("postgres")) }
        } catch {
            return nil
        }
    }

    /// Moves the processes back to where the campaign's was, so that later work has no such weights.
    deinit {
        for name in Self.names {
            let processes = (try? String(contentsOf: group(name).appending(path: "cgroup.procs"), encoding: .utf8)) ?? ""
            for process in processes.split(separator: "\n").compactMap({ Int32($0) }) {
                try? move(process, to: root.appending(path: before))
            }
            rmdir(group(name).path)
        }
    }

    private func group(_ name: String) -> URL { root.appending(path: "keepsake-campaign-\(name)") }

    private func move(_ process: Int32, to group: URL) throws { try Self.write("\(process)", to: group.appending(path: "cgroup.procs")) }

    /// Control files take one write, and no new file replaces them.
    private static func write(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// The main process of the tests' PostgreSQL and its children. Processes that they start later are in the same group.
    private static func postgresProcesses() throws -> [Int32] {
        let folder = ProcessInfo.processInfo.environment["KEEPSAKE_SERVICES"] ?? "/tmp/keepsake-services-\(getuid())"
        let lines = try String(contentsOfFile: folder + "/postgres/postmaster.pid", encoding: .utf8).split(separator: "\n")
        guard let main = lines.first.flatMap({ Int32($0) }) else { return [] }
        let children = try String(contentsOfFile: "/proc/\(main)/task/\(main)/children", encoding: .utf8)
        return [main] + children.split(separator: " ").compactMap { Int32($0) }
    }
}
