import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

/// A process that emits events until it is killed. It records each result that it got, one line per write, in a file that outlives it.
enum LiveChild {
    static let first = "KEEPSAKE_LIVE_CHILD"
    /// Names the variable with the database's address, in the format of `KEEPSAKE_DATABASE`.
    static let address = "KEEPSAKE_LIVE_DATABASE"
    static let accounts = "KEEPSAKE_LIVE_ACCOUNTS"
    static let told = "KEEPSAKE_LIVE_TOLD"
    /// The number of concurrent emitters in the process.
    static let emitters = 4

    struct NeverStarted: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter address: the address of the campaign's database.
    static func killed(_ address: String, folder: String) -> LiveCampaign.Child {
        { first, scale in
            let path = "\(folder)/told-\(first)"
            let output = "\(folder)/output-\(first)"
            for file in [path, output] { try Data().write(to: URL(filePath: file)) }
            let process = Process()
            process.executableURL = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            process.arguments = ["--testing-library", "swift-testing", "--filter", "LiveChildWorks"]
            process.environment = ProcessInfo.processInfo.environment.merging(
                [
                    Self.first: "\(first)", Self.address: address, Self.accounts: "\(scale.accounts)", Self.told: path,
                    "SWIFT_BACKTRACE": "enable=no",
                ], uniquingKeysWith: { $1 })
            let handle = try FileHandle(forWritingTo: URL(filePath: output))
            process.standardOutput = handle
            process.standardError = handle
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in end.finish() }
            try process.run()
            do {
                let start = ContinuousClock.now
                while try lines(path).isEmpty {
                    guard process.isRunning, ContinuousClock.now - start < .seconds(120) else {
                        throw NeverStarted(description: try String(contentsOfFile: output, encoding: .utf8))
                    }
                    try await Task.sleep(for: .milliseconds(10))
                }
                try await Task.sleep(for: .milliseconds(.random(in: 0...400)))
            } catch {
                kill(process.processIdentifier, SIGKILL)
                throw error
            }
            kill(process.processIdentifier, SIGKILL)
            for await _ in ended {}
            return try lines(path)
        }
    }

    /// Omits the last line, which the kill may have truncated.
    private static func lines(_ path: String) throws -> [(PlannedWrite.ID, Bool)] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap {
            let fields = $0.split(separator: " ").compactMap { Int($0) }
            guard fields.count == 3 else { return nil }
            return (PlannedWrite.ID(emitter: fields[0], number: fields[1]), fields[2] == 1)
        }
    }
}

@Suite(
    .enabled(if: ProcessInfo.processInfo.environment[LiveChild.first] != nil, "only in the process that a campaign starts"), .blocksThreads)
struct LiveChildWorks {
    @Test("Emits until it is killed")
    func emit() async throws {
        let environment = ProcessInfo.processInfo.environment
        let first = try #require(environment[LiveChild.first].flatMap { Int($0) })
        let accounts = try #require(environment[LiveChild.accounts].flatMap { Int($0) })
        let file = try FileHandle(forWritingTo: URL(filePath: try #require(environment[LiveChild.told])))
        let address = try #require(environment[LiveChild.address].flatMap { DatabaseAddress($0) })
        let database = try await address.open(connections: LiveChild.emitters)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for emitter in first..<(first + LiveChild.emitters) {
                group.addTask {
                    for number in 0... {
                        let write = PlannedWrite(emitter: emitter, number: number, accounts: accounts)
                        guard let answer = try await write.run(database, .last) else { continue }
                        // A single call of write(2), so that concurrent lines do not mix.
                        try file.write(contentsOf: Data("\(emitter) \(number) \(answer ? 1 : 0)\n".utf8))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
