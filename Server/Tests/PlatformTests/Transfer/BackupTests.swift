import Blobs
import Core
import Crypto
import Database
import Foundation
import Logging
import TestKit
import Testing
import Transfer

@Suite("Backups")
struct BackupTests {
    private static let ways = CopyInstallationTests.ways

    @Test("A backup while rows come and go is one moment, and is restored into the other engine", arguments: ways)
    func restored(_ engines: [Engine]) async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(engines[0], in: folders[0])
        try await source.fill(0..<20)
        let expected = try await source.content()
        let repository = try await repository(folders[2], source.clock)
        let report = try await backup(source, repository) {
            // After the backup has read the rows, new rows come, and a row is deleted whose bytes the garbage collector would delete by
            // now.
            try await source.fill(20..<25)
            try await source.remove(4)
            source.clock.advance(by: .minutes(11))
            #expect(try await collector(source).reap(now: source.clock.now) == 0)
        }.run()
        #expect(report.blobs == 20 && report.newBlobs == 20 && report.damaged == [])
        // Once the backup has ended, the bytes are deleted.
        #expect(try await collector(source).reap(now: source.clock.now) == 1)
        #expect(try await verify(repository, folders[2]) == [])

        let target = try await Shop(engines[1], in: folders[1], clock: source.clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: folders[1] + "/work")
        _ = try await restore.run(nil, keepsSessions: false) { _ in }
        try await restore.finish()
        var wanted = expected
        wanted["ticket"] = []
        wanted["installation"] = try await target.content()["installation"]
        #expect(try await target.content() == wanted)
        #expect(try await target.search("number4") == ["person-4"])
        #expect(try await target.search("number21") == [])
        try await source.close()
        try await target.close()
    }

    @Test("Control: without the hold, bytes that the snapshot names are deleted before they are copied")
    func withoutHold() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<5)
        let repository = try await repository(folders[1], source.clock)
        let report = try await backup(source, repository, holds: false) {
            try await source.remove(4)
            source.clock.advance(by: .minutes(11))
            #expect(try await collector(source).reap(now: source.clock.now) == 1)
        }.run()
        #expect(report.newBlobs == 4)
        try await source.close()
    }

    @Test("A later backup copies only new files; prune deletes old snapshots and the files that only they name")
    func pruned() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        try await source.fill(0..<10)
        let first = try await backup(source, repository).run()
        source.clock.advance(by: .days(20))
        try await source.remove(3)
        try await source.fill(10..<12)
        let second = try await backup(source, repository).run()
        #expect(first.newBlobs == 10 && second.newBlobs == 2 && second.blobs == 11)
        source.clock.advance(by: .days(15))
        let prune = PruneBackups(repository, workFolder: folders[2])
        let pruned = try await prune.run(keeping: .days(30))
        #expect(pruned.snapshots == [first.snapshot] && pruned.kept == 1 && pruned.blobs == 1)
        #expect(try await repository.snapshots() == [second.snapshot])
        #expect(try await verify(repository, folders[2]) == [])
        // The newest backup stays, however old it is.
        source.clock.advance(by: .days(400))
        #expect(try await prune.run(keeping: .days(30)).kept == 1)
        try await source.close()
    }

    @Test("Prune deletes nothing when a snapshot that stays is damaged")
    func pruneBesideDamage() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        try await source.fill(0..<3)
        let first = try await backup(source, repository).run().snapshot
        source.clock.advance(by: .days(40))
        let second = try await backup(source, repository).run().snapshot
        try flip("\(folders[1])/snapshots/\(second)/rows/blob.rows")
        let remedy = "Nothing was deleted. Find an intact snapshot with keepsake backup verify, or make a new one; then delete snapshots/"
        let error = await #expect(throws: TransferFailure.self) {
            _ = try await PruneBackups(repository, workFolder: folders[2]).run(keeping: .days(30))
        }
        #expect(error?.kind == .damaged)
        #expect(error?.description.contains("\(remedy)\(second) in the place") == true, "\(String(describing: error))")
        #expect(try await VerifyBackup(repository, workFolder: folders[2]).run(first).problems == [])
        // Damages the description of the older backup, which the prune would delete.
        try Data("x".utf8).write(to: URL(filePath: "\(folders[1])/snapshots/\(first)/snapshot"))
        let older = await #expect(throws: TransferFailure.self) {
            _ = try await PruneBackups(repository, workFolder: folders[2]).run(keeping: .days(30))
        }
        #expect(older?.description.contains("\(remedy)\(first) in the place") == true, "\(String(describing: older))")
        #expect(try await repository.snapshots() == [first, second])
        try await source.close()
    }

    @Test("Verify finds a changed file, a missing file and changed rows")
    func verified() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        try await source.fill(0..<4)
        let id = try await backup(source, repository).run().snapshot
        let blobs = try #require(FileManager.default.subpaths(atPath: folders[1] + "/blobs")).filter { $0.count > 40 }.sorted()
        try flip(folders[1] + "/blobs/" + blobs[0])
        try FileManager.default.removeItem(atPath: folders[1] + "/blobs/" + blobs[1])
        #expect(try await verify(repository, folders[2]).count == 2)
        try flip("\(folders[1])/snapshots/\(id)/rows/person.rows")
        let problems = try await verify(repository, folders[2])
        #expect(problems.count == 1 && problems[0].contains("person.rows"))
        try await source.close()
    }

    @Test("A backup that finds a damaged file at the source is not recorded as the last backup; the next one without damage is")
    func damagedSource() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        try await source.fill(0..<4)
        let blobs = try #require(FileManager.default.subpaths(atPath: folders[0] + "/blobs")).filter { $0.count > 40 }.sorted()
        let damaged = folders[0] + "/blobs/" + blobs[0]
        let state = TransferState(database: source.database, clock: source.clock.wall)
        try flip(damaged)
        #expect(try await backup(source, repository).run().damaged.count == 1)
        #expect(try await state.lastBackup() == nil)
        // Repairs the file, as an operator would.
        try flip(damaged)
        source.clock.advance(by: .minutes(1))
        #expect(try await backup(source, repository).run().damaged == [])
        #expect(try await state.lastBackup() != nil)
        try await source.close()
    }

    @Test("A bucket holds backups like a folder: files of one and of several parts, verified, pruned and restored")
    func bucket() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let place = BackupBucket(
            try CephService.everybodys(), CephService.credentials, clock: source.clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let repository = BackupRepository(place, clock: source.clock.wall)
        try await source.fill(0..<4)
        // The backup sends this file in three parts.
        try await source.add(1_000, byteCount: 12_000_000)
        let first = try await backup(source, repository).run()
        #expect(first.newBlobs == 5)
        let expected = try await source.content()
        source.clock.advance(by: .days(40))
        try await source.remove(2)
        let second = try await backup(source, repository).run()
        #expect(second.newBlobs == 0 && second.blobs == 4)
        #expect(try await verify(repository, folders[2]) == [])

        let target = try await Shop(.sqlite, in: folders[1], clock: source.clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: folders[1] + "/work")
        _ = try await restore.run(first.snapshot, keepsSessions: true) { _ in }
        var wanted = expected
        wanted["installation"] = try await target.content()["installation"]
        #expect(try await target.content() == wanted)

        let pruned = try await PruneBackups(repository, workFolder: folders[2]).run(keeping: .days(30))
        #expect(pruned.snapshots == [first.snapshot] && pruned.blobs == 1)
        #expect(try await verify(repository, folders[2]) == [])
        try await source.close()
        try await target.close()
        await place.close()
    }

    @Test("A snapshot that names a table like a path writes nothing outside of the work folder")
    func hostileNames() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<1)
        let repository = try await repository(folders[1], source.clock)
        let id = try await backup(source, repository).run().snapshot
        let description = "\(folders[1])/snapshots/\(id)/snapshot"
        let lines = try String(contentsOf: URL(filePath: description), encoding: .utf8).split(separator: "\n")
        let json = lines[0].replacing("\"name\":\"person\"", with: "\"name\":\"../../../2/person\"")
        #expect(json != lines[0])
        let hash = Hex.encode(SHA256.hash(data: Array(json.utf8)))
        try Data("\(json)\n\(hash)\n".utf8).write(to: URL(filePath: description))
        // The table's name leads to a copy of its row file in the backup, and to a folder beside the work folder. Both exist.
        for folder in [folders[0], folders[1]] {
            try FileManager.default.createDirectory(atPath: folder + "/2", withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(atPath: "\(folders[1])/snapshots/\(id)/rows/person.rows", toPath: "\(folders[1])/2/person.rows")
        #expect(try await VerifyBackup(repository, workFolder: folders[0] + "/work").run(nil).problems.count == 1)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folders[0] + "/2").isEmpty)
        for name in ["../x", "", "a/b"] { await #expect(throws: TransferFailure.self) { _ = try await repository.snapshot(name) } }
        try await source.close()
    }

    /// A database that a newer program migrates after the first read.
    private struct Migrating: DatabaseDecorator {
        let base: any Database

        func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
            let value = try await base.read(body)
            try await base.run(
                """
                INSERT INTO schema_migration (name, checksum, applied_at) VALUES ('shop/009-newer', 'x', 1) ON CONFLICT (name) DO NOTHING
                """)
            return value
        }
    }

    @Test("A backup during which the database is migrated fails, because its rows would not fit the schema that it states")
    func migratedMeanwhile() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let shop = try await Shop(.sqlite, in: folders[0])
        try await shop.fill(0..<2)
        let source = TransferSource(
            database: Migrating(base: shop.database), store: shop.store, rules: ShopTables.rules,
            identifiers: Identifiers(clock: shop.clock.wall, entropy: .system), program: "test")
        let repository = try await repository(folders[1], shop.clock)
        await #expect(throws: TransferFailure.self) {
            _ = try await MakeBackup(source, to: repository, workFolder: shop.workFolder, deletions: { _ in [] }).run()
        }
        #expect(try await repository.snapshots() == [])
        try await shop.close()
    }

    @Test("Old folders of other programs beside the work folders stay")
    func workFolders() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        _ = try await backup(source, repository).run()
        for name in ["transfer-photos", "keepsake-transfer-killed"] {
            try FileManager.default.createDirectory(atPath: "\(folders[2])/\(name)", withIntermediateDirectories: true)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -200_000)], ofItemAtPath: "\(folders[2])/\(name)")
        }
        #expect(try await verify(repository, folders[2]) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folders[2]) == ["transfer-photos"])
        try await source.close()
    }

    @Test("Deletions are recorded by each run, also those during a run, and are found by time")
    func deletions() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        let log = DeletedPeople()
        let begin = source.clock.now
        func run(_ during: @escaping @Sendable () async throws -> Void = {}) async throws -> String {
            try await MakeBackup(
                source.source, to: repository, workFolder: folders[0] + "/work", deletions: { log.after($0) }, afterRows: during
            ).run().snapshot
        }
        let first = try await run {
            source.clock.advance(by: .seconds(1))
            log.add("a", source.clock.now)
            source.clock.advance(by: .seconds(1))
        }
        source.clock.advance(by: .days(1))
        log.add("b", source.clock.now)
        source.clock.advance(by: .days(1))
        let second = try await run()
        #expect(try await repository.deletions(after: repository.snapshot(first).createdAt).map(\.account) == ["a", "b"])
        #expect(try await repository.deletions(after: repository.snapshot(second).createdAt) == [])
        #expect(try await repository.deletions(after: begin + .hours(1)).map(\.account) == ["b"])
        try await source.close()
    }

    @Test("A record of a deletion says whether coves were kept; an older record, without the member, means that they were not")
    func keptCoves() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let repository = try await repository(folders[1], source.clock)
        let deletion = BackupRepository.Deletion(account: "a", at: source.clock.now, keepsCoves: true)
        _ = try await MakeBackup(
            source.source, to: repository, workFolder: folders[0] + "/work", deletions: { _ in [deletion] }
        ).run()
        #expect(try await repository.deletions(after: source.clock.now - .hours(1)) == [deletion])
        var old = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(deletion)) as? [String: Any])
        old["keepsCoves"] = nil
        let decoded = try JSONDecoder().decode(BackupRepository.Deletion.self, from: JSONSerialization.data(withJSONObject: old))
        #expect(decoded == BackupRepository.Deletion(account: "a", at: deletion.at, keepsCoves: false))
        try await source.close()
    }

    @Test("A restore repeats a deletion whose time is before the snapshot and whose commit is after it")
    func deletionDuringSnapshot() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<1)
        let repository = try await repository(folders[2], source.clock)
        let log = DeletedPeople()
        let begun = source.clock.now
        source.clock.advance(by: .seconds(1))
        _ = try await MakeBackup(
            source.source, to: repository, workFolder: source.workFolder, deletions: { log.after($0) }, afterRows: { log.add("a", begun) }
        ).run()
        let target = try await Shop(.sqlite, in: folders[1], clock: source.clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: folders[1] + "/work")
        #expect(try await restore.run(nil, keepsSessions: false) { _ in }.deletions.map(\.account) == ["a"])
        try await source.close()
        try await target.close()
    }

    // MARK: Parts

    func repository(_ folder: String, _ clock: TestClock) async throws -> BackupRepository {
        BackupRepository(try await BackupFolder.open(folder), clock: clock.wall)
    }

    func backup(
        _ shop: Shop, _ repository: BackupRepository, holds: Bool = true, _ afterRows: @escaping @Sendable () async throws -> Void = {}
    ) -> MakeBackup {
        MakeBackup(
            shop.source, to: repository, workFolder: shop.workFolder, deletions: { _ in [] }, afterRows: afterRows, holds: holds)
    }

    private func collector(_ shop: Shop) -> BlobGarbageCollector {
        BlobGarbageCollector(
            database: shop.database, store: shop.store, ledger: BlobLedger(clock: shop.clock.wall), clock: shop.clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func verify(_ repository: BackupRepository, _ folder: String) async throws -> [String] {
        try await VerifyBackup(repository, workFolder: folder).run(nil).problems
    }

    func flip(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
    }
}
