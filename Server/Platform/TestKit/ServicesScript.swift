internal import Foundation

/// `scripts/services.sh`.
enum ServicesScript {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    static func run(_ arguments: [String], _ environment: [String: String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../scripts/services.sh")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        guard process.waitForExit() == 0 else {
            throw Failure(description: "services.sh \(arguments.joined(separator: " ")) failed")
        }
    }
}
