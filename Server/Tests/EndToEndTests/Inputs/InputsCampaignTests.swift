import Foundation
import TestKit
import TestThreads
import Testing

/// Sends requests of extreme shapes to every operation that the server describes: none costs more processor time or memory than its size
/// warrants. `make campaign NAME=inputs` sends every second shape; with an odd `KEEPSAKE_SEED` the first, third and so on, else the others.
/// Other runs send a sample of the shapes to a sample of the operations.
@Suite("Campaign: inputs", .blocksThreads, .runsAlone)
struct InputsCampaignTests {
    private static let isFull = CampaignScale.isFull("inputs")
    private static let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "driver/inputs.py").path

    @Test("no request costs far more than its size")
    func costs() throws {
        guard CampaignScale.runs("inputs") else { return }
        let seed = ProcessInfo.processInfo.environment["KEEPSAKE_SEED"] ?? "1"
        let sample = ["--few", "--every", "3", "--sample", "7", "--seconds", "5"]
        let run = try Self.run(Self.isFull ? ["--sample", "2", "--seed", seed] : sample)
        print(run.output)
        let isClean = run.status == 0
        #expect(isClean, "\(run.output.suffix(4_000))")
    }

    @Test("control: a request that costs more than the limit is found")
    func control() throws {
        guard CampaignScale.runs("inputs") else { return }
        // The inspection of a picture with 70,000 texts takes 10 to 50 ms.
        let run = try Self.run(
            ["--few", "--only", "^uploadMedia$", "--shapes", "^file: PNG, tiny texts$", "--processor-limit", "0.002"])
        let isFound = run.output.contains("file: PNG, tiny texts: ") && run.output.contains("s of processor time")
        #expect(run.status == 1 && isFound, "\(run.output)")
    }

    /// Runs the driver against a server of its own. The full form shows its progress on standard error.
    private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        let server = try ServerProcess(data: data, environment: ["KEEPSAKE_RATE_LIMITS": "off"])
        defer { server.killNow() }
        let out = isFull ? Repository.folder + "/.build-tools/inputs" : folder.path + "/failures"
        let process = Process()
        // -B: no bytecode files beside the sources.
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments =
            ["-B", driver, "--binary", ServerProcess.binary, "--port", "\(server.port)", "--pid", "\(server.processID)"]
            + ["--data", data, "--out", out] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = isFull ? FileHandle.standardError : FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (process.waitForExit(), text)
    }
}
