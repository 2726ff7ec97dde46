internal import Foundation

/// Memory and processor time of a process and its descendants, from /proc.
package struct ProcessTree: Sendable {
    private let root: Int32

    package init(_ root: Int32) { self.root = root }

    package var members: [Int32] {
        var members = [root]
        var next = 0
        while next < members.count {
            members += Self.children(of: members[next])
            next += 1
        }
        return members
    }

    /// Resident bytes of all processes; a page that two of them share counts twice.
    package var residentByteCount: Int {
        members.reduce(0) { $0 + Self.residentByteCount(of: $1) }
    }

    /// Resident bytes of one process; 0 when it has ended.
    package static func residentByteCount(of process: Int32) -> Int {
        let pages = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
    }

    /// Processor time of all processes, including those that have ended.
    package var processorTime: Duration {
        let ticks = members.reduce(0) { sum, process in
            guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8), let end = line.lastIndex(of: ")") else {
                return sum
            }
            // utime, stime, cutime, cstime: the 14th to the 17th field.
            let fields = line[line.index(after: end)...].split(separator: " ")
            return sum + fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
        }
        return .milliseconds(10 * ticks)
    }

    private static func children(of process: Int32) -> [Int32] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task -> [Int32] in
            let list = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)) ?? ""
            return list.split(separator: " ").compactMap { Int32($0) }
        }
    }
}
