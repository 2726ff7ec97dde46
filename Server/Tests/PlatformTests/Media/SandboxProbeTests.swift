import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

@Suite("Sandbox of the decoders", .blocksThreads)
struct SandboxProbeTests {
    @Test(
        "denies a tool files, the server's environment, memory, signals, sockets, processes and writing; control: without it all work"
    )
    func report() throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/keepsake.sqlite"
        try Data("rows".utf8).write(to: URL(filePath: file))
        let report = try SandboxProbe(MediaWorkerOptions(program: WorkerFixture.program)).run(file: file)
        print(report.description)
        // Control: the same process without the sandbox. (The system may deny tracing to a process that is not root.)
        for attempt in [SandboxProbe.Attempt.file, .environment, .signal, .socket, .process, .writing, .muchMemory] {
            #expect(report.unsealed.contains(attempt), "\(attempt)")
        }
        #expect(report.fault == nil && report.sealed.isEmpty, "\(report.sealed)")
        let works = Dictionary(uniqueKeysWithValues: report.layers.map { ($0.name, $0.works) })
        let calls = try #require(works["the list of calls"])
        #expect(calls.isDisjoint(with: [.signal, .tracing, .socket, .process, .writing]) && calls.contains(.file))
        if let landlock = works["Landlock"] {
            #expect(landlock.isDisjoint(with: [.file, .environment, .memory, .writing]) && landlock.contains(.process))
        }
        if let namespaces = works["namespaces"] {
            #expect(namespaces.isDisjoint(with: [.environment, .memory, .signal]) && namespaces.contains(.file))
        }
    }

    @Test("the error names what the sandbox does not deny")
    func faults() throws {
        var report = SandboxProbe.Report(landlock: nil, hasNamespaces: false, unsealed: [.file], layers: [], sealed: [])
        #expect(report.fault == nil && report.description.contains("no Landlock, no namespaces"))
        report.sealed = [.file]
        #expect(report.fault?.contains("reading the database: this kernel has no Landlock") == true)
    }

    @Test("a tool with low priority runs with a lower one than the server")
    func priority() async throws {
        let tool = SandboxedTool(MediaWorkerOptions(program: WorkerFixture.program))
        // proc(5): the second field is the name in parentheses, the 19th is the nice value.
        func niceness(in stat: String) -> Int? {
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 16 ? Int(fields[16]) : nil
        }
        func niceness(hasLowPriority: Bool) async throws -> Int? {
            let stat = try await tool.run(
                ["/usr/bin/cat", "/proc/self/stat"], input: [1], outputByteCount: 4_096, readable: ["/proc"],
                hasLowPriority: hasLowPriority, timeout: .seconds(20))
            return niceness(in: String(decoding: stat, as: UTF8.self))
        }
        let own = try #require(niceness(in: try String(contentsOfFile: "/proc/self/stat", encoding: .utf8)))
        let usual = try #require(try await niceness(hasLowPriority: false))
        let low = try #require(try await niceness(hasLowPriority: true))
        // A tool inherits the niceness of the thread that starts it, which is 0 or 5 above that of the server.
        #expect(low == 19 || (low > usual && low >= own + 10), "\(own), \(usual), \(low)")
    }

    @Test("a tool can read only the files that it was given")
    func readable() async throws {
        let folder = try TemporaryFolder()
        for name in ["mine", "others"] { try Data("text of \(name)".utf8).write(to: URL(filePath: "\(folder.path)/\(name)")) }
        let tool = SandboxedTool(MediaWorkerOptions(program: WorkerFixture.program))
        let mine = try await tool.run(
            ["/usr/bin/cat", "\(folder.path)/mine"], input: [1], outputByteCount: 100, readable: ["\(folder.path)/mine"],
            timeout: .seconds(20))
        #expect(String(decoding: mine, as: UTF8.self) == "text of mine")
        await #expect(throws: MediaFailure.refused(.unreadable)) {
            _ = try await tool.run(
                ["/usr/bin/cat", "\(folder.path)/others"], input: [1], outputByteCount: 100, readable: ["\(folder.path)/mine"],
                timeout: .seconds(20))
        }
    }
}
