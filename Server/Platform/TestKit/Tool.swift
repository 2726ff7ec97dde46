internal import Foundation

/// Runs a system program.
package enum Tool {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// - Returns: the program's standard output.
    /// - Throws: `Failed` for every exit code except 0.
    @discardableResult
    package static func run(_ name: String, _ arguments: [String]) throws -> String {
        try BlockingThreads.check()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        guard process.waitForExit() == 0 else { throw Failed(description: "\(name) \(arguments.first ?? "") failed") }
        return String(decoding: text, as: UTF8.self)
    }
}
