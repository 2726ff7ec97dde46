import Blobs
import Core
import Database
import Foundation
import NIOCore
import Synchronization
import TestKit
import Testing

@testable import Transfer

@Suite("Places of backups")
struct BackupPlaceTests {
    @Test("A folder of the place that cannot be listed is an error, and not an empty folder, whose files a prune would delete")
    func unlistable() async throws {
        let folders = try Folders(1)
        defer { withExtendedLifetime(folders) {} }
        let place = try await BackupFolder.open(folders[0])
        // Root may read every folder, but no user can list a folder whose name is too long.
        let name = String(repeating: "x", count: 300) + "/"
        let failure = await #expect(throws: TransferFailure.self) { _ = try await place.list(name).next() }
        #expect(failure?.description.contains(folders[0]) == true, "\(String(describing: failure))")
        #expect(try await place.list("snapshots/").next() == [])
    }

    @Test("Files of other programs in the place stay, and a prune deletes what killed backups left")
    func foreignFiles() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let place = try await BackupFolder.open(folders[1])
        let repository = BackupRepository(place, clock: source.clock.wall)
        let backup = MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] })
        try await source.fill(0..<3)
        _ = try await backup.run()
        let foreign = ["blobs/sha256/layer", "snapshots/5f3a", "snapshots/other/data/1"]
        let unfinished = ["blobs/00/tmp-12", "snapshots/killed/rows/person.rows", "snapshots/killed/rows/tmp-34"]
        for name in foreign + unfinished {
            let file = URL(filePath: folders[1] + "/" + name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: file)
        }
        source.clock.advance(by: .days(40))
        #expect(try await backup.run().newBlobs == 0)
        #expect(try await PruneBackups(repository, workFolder: folders[2]).run(keeping: .days(30)).snapshots.count == 1)
        #expect((foreign + unfinished).filter { FileManager.default.fileExists(atPath: folders[1] + "/" + $0) } == foreign)
        #expect(try await VerifyBackup(repository, workFolder: folders[2]).run(nil).problems == [])
        try await source.close()
    }

    @Test("After a backup with a clock that was ahead, deletions are still recorded and repeated, and the true newest snapshot stays")
    func clockAhead() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<1)
        let clock = source.clock
        let repository = BackupRepository(try await BackupFolder.open(folders[1]), clock: clock.wall)
        let log = DeletedPeople()
        let backup = MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { log.after($0) })
        clock.advance(by: .days(1_000))
        let ahead = try await backup.run().snapshot
        clock.advance(by: .days(-1_000))
        let first = try await backup.run().snapshot
        clock.advance(by: .days(1))
        log.add("a", clock.now)
        clock.advance(by: .days(1))
        let second = try await backup.run().snapshot
        #expect(try await repository.deletions(since: repository.snapshot(first)).map(\.account) == ["a"])
        #expect(try await repository.deletions(since: repository.snapshot(ahead)).map(\.account) == ["a"])

        // The restore does not guess which backup is the newest.
        let target = try await Shop(.sqlite, in: folders[2], clock: clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: target.workFolder)
        let failure = await #expect(throws: TransferFailure.self) { _ = try await restore.run(nil, keepsSessions: false) { _ in } }
        #expect(failure?.description.contains("\(ahead), is dated in the future") == true, "\(String(describing: failure))")
        #expect(try await restore.run(second, keepsSessions: false) { _ in }.snapshot.id == second)

        clock.advance(by: .days(40))
        let pruned = try await PruneBackups(repository, workFolder: folders[0]).run(keeping: .days(30))
        #expect(pruned.snapshots == [first])
        #expect(try await repository.snapshots() == [second, ahead])
        try await source.close()
        try await target.close()
    }

    @Test("Another run does not delete the work folder of a run that takes longer than a day")
    func longRun() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<2)
        let repository = BackupRepository(try await BackupFolder.open(folders[1]), clock: source.clock.wall)
        _ = try await MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] }).run()
        let other = BackupRepository(try await BackupFolder.open(folders[2]), clock: source.clock.wall)
        let long = MakeBackup(
            source.source, to: other, workFolder: source.workFolder, deletions: { _ in [] },
            afterRows: {
                for name in try FileManager.default.contentsOfDirectory(atPath: source.workFolder) {
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSinceNow: -200_000)], ofItemAtPath: source.workFolder + "/" + name)
                }
                #expect(try await VerifyBackup(repository, workFolder: source.workFolder).run(nil).problems == [])
            })
        #expect(try await long.run().newBlobs == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: source.workFolder) == [])
        try await source.close()
    }

    @Test("Verify keeps no rows of the snapshots on the local disk, except the lists of files")
    func verifyingManySnapshots() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<2)
        let repository = BackupRepository(try await BackupFolder.open(folders[1]), clock: source.clock.wall)
        for _ in 0..<3 {
            _ = try await MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] }).run()
            source.clock.advance(by: .days(1))
        }
        let work = folders[2]
        let kept = Mutex<[String]>([])
        let report = try await VerifyBackup(repository, workFolder: work).run(nil) { step in
            guard case .total = step else { return }
            let names = FileManager.default.subpaths(atPath: work) ?? []
            kept.withLock { $0 = names.filter { $0.hasSuffix(".rows") } }
        }
        #expect(report.snapshots == 3 && report.problems == [])
        let names = kept.withLock { $0 }.map { URL(filePath: $0).lastPathComponent }
        #expect(names == ["blob.rows", "blob.rows", "blob.rows"])
        try await source.close()
    }

    @Test("A run that could not renew its hold ends with a sentence that says what to do")
    func lostHold() async throws {
        let folders = try Folders(1)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let failure = await #expect(throws: TransferFailure.self) {
            try await source.source.holding(sleep: { _ in source.clock.advance(by: .minutes(31)) }) {
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        #expect(failure?.kind == .unavailable && failure?.description.contains("Run the command again") == true)
        try await source.close()
    }

    @Test("A backup stops when more files are missing than the description of a snapshot can list")
    func mostlyMissing() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<3)
        let repository = BackupRepository(try await BackupFolder.open(folders[1]), clock: source.clock.wall)
        let snapshot = try await source.source.snapshot("one", of: "installation", into: folders[2])
        for name in try #require(FileManager.default.subpaths(atPath: folders[0] + "/blobs")) where name.count > 40 {
            try FileManager.default.removeItem(atPath: folders[0] + "/blobs/" + name)
        }
        func store(_ most: Int) async throws -> BackupBlobs.Counts {
            try await BackupBlobs(source: source.source, repository: repository, progress: { _ in }, mostAbsent: most)
                .store(snapshot, in: folders[2])
        }
        #expect(try await store(3).missing.count == 3)
        let failure = await #expect(throws: TransferFailure.self) { _ = try await store(2) }
        #expect(failure?.kind == .damaged && failure?.description.contains("no snapshot was made") == true)
        try await source.close()
    }

    @Test("A file that the source's disk cannot read stops no backup, and one that the place's disk cannot read stops no verify")
    func badSectors() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<4)
        let keys = try await source.database.read { tx in
            try tx.rows("SELECT key FROM blob ORDER BY key").map { try $0.get("key", as: BlobKey.self) }
        }
        let folder = try await BackupFolder.open(folders[1])
        let repository = BackupRepository(folder, clock: source.clock.wall)
        let damaged = TransferSource(
            database: source.database, store: BadSectorStore(base: source.store, bad: keys[0]), rules: ShopTables.rules,
            identifiers: Identifiers(clock: source.clock.wall, entropy: .system), program: "test")
        let report = try await MakeBackup(damaged, to: repository, workFolder: source.workFolder, deletions: { _ in [] }).run()
        #expect(report.damaged == [keys[0]] && report.newBlobs == 3)

        let place = BadSectorPlace(base: folder, bad: BackupNames.blob(keys[1]))
        try FileManager.default.removeItem(atPath: folders[1] + "/" + BackupNames.blob(keys[3]))
        let verified = try await VerifyBackup(BackupRepository(place, clock: source.clock.wall), workFolder: folders[2]).run(nil)
        #expect(verified.blobs == 3 && verified.problemCount == 3, "\(verified.problems)")
        #expect(verified.problems.dropFirst() == ["\(keys[1]): cannot be read: bad sector", "\(keys[3]): its bytes are missing"])
        try await source.close()
    }
}

/// A store whose disk cannot read one blob.
private struct BadSectorStore: BlobStoreDecorator {
    let base: any BlobStore
    let bad: BlobKey

    func open(_ key: BlobKey) async throws -> any BlobReader {
        if key == bad { throw BlobError.system(operation: "reading a blob", code: EIO) }
        return try await base.open(key)
    }
}

/// A place whose disk cannot read one file.
private struct BadSectorPlace: BackupPlace {
    let base: BackupFolder
    let bad: String

    var description: String { base.description }

    func read(_ name: String) async throws -> (byteCount: Int64, bytes: any ByteSource)? {
        guard name == bad else { return try await base.read(name) }
        return (1_000, FailingBytes(TransferFailure(.damaged, "bad sector")))
    }

    func write(_ name: String, byteCount: Int64, _ bytes: any ByteSource) async throws {
        try await base.write(name, byteCount: byteCount, bytes)
    }

    func create(_ name: String, _ bytes: ByteBuffer) async throws -> Bool { try await base.create(name, bytes) }
    func delete(_ name: String) async throws { try await base.delete(name) }
    func list(_ folder: String) -> any BackupListing { base.list(folder) }
}
