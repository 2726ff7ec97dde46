import Foundation
import Logging
import MediaFrames
import MediaTools
import ServiceLifecycle

/// Makes small copies by a pool with one real worker. For each line that run.py sends, it copies every file and reports the time. run.py
/// lets it take turns with the other programs.
///
///     variant-bench WORKER FILE…
///
/// Each line of standard input is a format and a folder, for example `jpeg /dev/shm/ours`. The response is a line with the seconds of one
/// pass over all files, from opening the first to writing the last. After the line `worker`, the response is the worker's process id.
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let program = arguments.first, arguments.count > 1 else {
            FileHandle.standardError.write(Data("variant-bench WORKER FILE…\n".utf8))
            exit(64)
        }
        let logger = Logger(label: "variant-bench") { StreamLogHandler.standardError(label: $0) }
        var options = MediaWorkerOptions(program: program)
        // The pool has one worker, so that run.py can measure its memory and processor time.
        options.workers = 1
        let workers = MediaWorkers(options, logger: logger)
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: workers)], gracefulShutdownSignals: [], logger: logger))
        async let running: Void = group.run()
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words == ["worker"] {
                print(await process(workers))
            } else if words.count == 2, let format = VariantRequest.Format(rawValue: words[0]) {
                let time = try await pass(arguments.dropFirst(), format, words[1], workers)
                print(time / .seconds(1))
            } else {
                exit(64)
            }
            fflush(nil)
        }
        await group.triggerGracefulShutdown()
        try await running
    }

    private static func pass(_ files: ArraySlice<String>, _ format: VariantRequest.Format, _ folder: String, _ workers: MediaWorkers)
        async throws -> Duration
    {
        let request = VariantRequest(width: 300, height: 300, format: format, quality: 80)
        return try await ContinuousClock().measure {
            for file in files {
                let source = try FileHandle(forReadingFrom: URL(filePath: file))
                let variant = try await workers.variant(source.fileDescriptor, request)
                try source.close()
                let name = URL(filePath: file).deletingPathExtension().lastPathComponent
                try Data(variant.bytes).write(to: URL(filePath: "\(folder)/\(name).\(format)"))
            }
        }
    }

    private static func process(_ workers: MediaWorkers) async -> Int32 {
        while true {
            if let process = workers.processes.first { return process }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}
