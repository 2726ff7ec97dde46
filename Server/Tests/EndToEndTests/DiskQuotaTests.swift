import Foundation
import TestKit
import TestThreads
import Testing

@Suite(
    "A disk quota that is used up",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "strace is not installed"), .blocksThreads)
struct DiskQuotaTests {
    @Test("a command that cannot write a row says that the disk is full, as on a full disk", arguments: ["ENOSPC", "EDQUOT"])
    func command(_ code: String) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (data, trace) = (folder.path + "/data", folder.path + "/trace")
        let token = ["token", "--begin-installation", "--data", data, "--email"]
        #expect(try ServerProcess.run(token + ["ada@example.org"]).status == 0)
        // strace makes every write to SQLite's write-ahead log fail.
        let tracing = ["-f", "-qq", "-o", trace, "-P", data + "/keepsake.sqlite-wal", "-e", "trace=pwrite64"]
        let failing = tracing + ["-e", "inject=pwrite64:error=\(code)", ServerProcess.binary]
        let run = try ServerProcess.run(failing + token + ["eve@example.org"], binary: "/usr/bin/strace")
        #expect(run.status == 69, "\(run.output)\(run.errors)")
        #expect(run.errors.hasPrefix("keepsake: the disk of the database is full") && run.errors.split(separator: "\n").count == 1)
        #expect(try String(contentsOfFile: trace, encoding: .utf8).contains("= -1 \(code) "))
        // The failed command left nothing half written.
        let later = try ServerProcess.run(token + ["eve@example.org"])
        #expect(later.status == 0, "\(later.errors)")
    }
}
