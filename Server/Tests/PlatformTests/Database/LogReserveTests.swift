import Foundation
import SQLiteEngine
import Synchronization
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

#if os(Linux)
    @Suite("Space for SQLite's log", .blocksThreads)
    struct LogReserveTests {
        private let reports = Reports()

        private final class Reports: Sendable {
            private let texts = Mutex<[String?]>([])
            var all: [String?] { texts.withLock { $0 } }
            func add(_ text: String?) { texts.withLock { $0.append(text) } }
        }

        @Test("A disk with room needs no report, and a log that does not exist yet causes none")
        func room() throws {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let log = folder.path + "/a.sqlite-wal"
            let reserve = LogReserve(path: log) { [reports] in reports.add($0) }
            reserve.take()
            #expect(!FileManager.default.fileExists(atPath: log))
            try Data().write(to: URL(filePath: log))
            reserve.take()
            #expect(try Data(contentsOf: URL(filePath: log)).count == 16_480_032)
            #expect(reports.all.isEmpty)
        }

        @Test(
            "A disk without room is reported once with its folder, and once more when there is room",
            .enabled(if: geteuid() == 0, "only root can mount a small file system"))
        func noRoom() throws {
            let disk = try SmallDisk(megabytes: 60)
            defer { withExtendedLifetime(disk) {} }
            let log = disk.path + "/a.sqlite-wal"
            try Data().write(to: URL(filePath: log))
            let reserve = LogReserve(path: log) { [reports] in reports.add($0) }
            for _ in 0..<3 { reserve.take() }
            #expect(reports.all.count == 1)
            let reason = (reports.all.first ?? nil) ?? ""
            #expect(reason.hasPrefix(disk.path) && reason.contains(/has [0-9.]+ MB free, and 79\.7 MB are needed$/), "\(reason)")
            try Tool.run("mount", ["-o", "remount,size=200m", disk.path])
            for _ in 0..<3 { reserve.take() }
            #expect(reports.all.count == 2 && reports.all.last == .some(nil))
            #expect(try Data(contentsOf: URL(filePath: log)).count == 16_480_032)
        }
    }
#endif
