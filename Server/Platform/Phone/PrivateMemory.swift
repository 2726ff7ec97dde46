internal import Foundation

/// The part of this process's memory that it does not share with other processes.
enum PrivateMemory {
    /// The size in bytes; `nil` where /proc/self/smaps_rollup cannot be read.
    static var byteCount: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("Private_Dirty:") || $0.hasPrefix("Private_Clean:") }
        let counts = lines.compactMap { line in line.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
        return counts.isEmpty ? nil : counts.reduce(0, +) << 10
    }
}
