internal import Foundation

/// Where programs are.
package enum ProgramPath {
    /// - Returns: where `PATH` has it; where Debian has it when it is nowhere.
    package static func find(_ name: String) -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
            ?? "/usr/bin/\(name)"
    }

    /// Of the running program, whatever name it was called by.
    static var folder: String {
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? Bundle.main.executablePath
            ?? CommandLine.arguments[0]
        return URL(filePath: program).deletingLastPathComponent().path
    }
}
