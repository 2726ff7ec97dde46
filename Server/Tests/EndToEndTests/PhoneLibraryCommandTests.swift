import Foundation
import TestKit
import TestThreads
import Testing

@Suite("The library for phone numbers beside the program", .blocksThreads)
struct PhoneLibraryCommandTests {
    @Test("doctor loads it, and says how much memory the first number takes")
    func doctor() throws {
        let folder = try TemporaryFolder()
        let run = try ServerProcess.run(["doctor", "--data", folder.path])
        let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("ok      phone: ") }, "\(run.output)")
        print(line)
        #if os(Linux)
            let amount = try #require(line.firstMatch(of: /the first one took ([0-9.]+) MB of memory/))
            let megabytes = try #require(Double(amount.output.1))
            // It would be about 0 if the program had loaded the library before.
            #expect((1...24).contains(megabytes))
        #endif
    }

    #if os(Linux)
        @Test("without it the server does not start and doctor fails, each with a line that names the file")
        func missing() throws {
            let folder = try TemporaryFolder()
            for name in ["keepsake", "keepsake-media"] {
                let program = URL(filePath: ServerProcess.binary).deletingLastPathComponent().appending(path: name)
                let other = URL(filePath: folder.path).appending(path: name)
                do {
                    try FileManager.default.linkItem(at: program, to: other)
                } catch {
                    // Linking fails when the temporary folder is on another disk.
                    try FileManager.default.copyItem(at: program, to: other)
                }
            }
            let binary = folder.path + "/keepsake"
            let server = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path + "/data"], binary: binary)
            #expect(server.status == 69 && server.output.isEmpty)
            #expect(server.errors.contains("libkeepsake-phone.so is missing"), "\(server.errors)")
            let doctor = try ServerProcess.run(["doctor", "--data", folder.path + "/data"], binary: binary)
            #expect(doctor.status == 69)
            let line = try #require(doctor.output.split(separator: "\n").first { $0.hasPrefix("FAILED  phone: ") }, "\(doctor.output)")
            #expect(line.contains("libkeepsake-phone.so"))
        }
    #endif
}
