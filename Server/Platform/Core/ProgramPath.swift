internal import Foundation

/// Finds programs.
package enum ProgramPath {
    /// - Returns: the program's path from `PATH`, or Debian's usual path when it is not found.
    package static func find(_ name: String) -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
            ?? "/usr/bin/\(name)"
    }

    /// The folder of the running program, whatever name it was started by. Libraries and helper programs that are built with it lie there.
    package static var folder: String {
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? Bundle.main.executablePath
            ?? CommandLine.arguments[0]
        return URL(filePath: program).deletingLastPathComponent().path
    }
}
