import Core
import Foundation
import TestKit
import TestThreads
import Testing
import Transfer

@Suite("Backups on a full disk", .blocksThreads)
struct BackupDiskTests {
    @Test(
        "A full disk is named in one sentence, leaves no snapshot and nothing half, and the next backup there succeeds when there is room",
        .enabled(if: geteuid() == 0, "only root can mount a file system of 4 MB"))
    func full() async throws {
        let folders = try Folders(1)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<3)
        try await source.add(100, byteCount: 8_000_000)
        let disk = try SmallDisk(megabytes: 4)
        defer { withExtendedLifetime(disk) {} }
        let repository = BackupRepository(try await BackupFolder.open(disk.path), clock: source.clock.wall)
        let backup = MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] })
        do {
            _ = try await backup.run()
            Issue.record("8 MB fit on a disk of 4 MB")
        } catch let failure as TransferFailure {
            #expect(failure.kind == .unavailable && failure.description.contains("No space is left"), "\(failure)")
        }
        #expect(try await repository.snapshots() == [])
        let unfinished = FileManager.default.subpaths(atPath: disk.path + "/blobs") ?? []
        #expect(unfinished.filter { $0.contains("tmp-") } == [])
        try await source.remove(100)
        let report = try await backup.run()
        #expect(report.blobs == 3)
        #expect(try await VerifyBackup(repository, workFolder: folders[0]).run(nil).problems == [])
        try await source.close()
    }
}
