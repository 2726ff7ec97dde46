import Blobs
import Core
import Database
import Foundation
import TestKit
import Testing
import Transfer

@Suite("Restores that stop")
struct StoppedRestoreTests {
    /// - Returns: `nil` when nothing failed.
    private func failure(_ body: () async throws -> Void) async -> TransferFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TransferFailure
        }
    }

    @Test(
        "A damaged and a missing file stop a restore, which names the flag; with the flag everything else is restored, and both are named",
        arguments: Engine.allCases)
    func withoutDamaged(_ engine: Engine) async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<4)
        let repository = BackupRepository(try await BackupFolder.open(folders[2]), clock: source.clock.wall)
        _ = try await MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] }).run()
        let files = try files(in: folders[2])
        let keys = files.map { String($0.suffix(40)) }
        #expect(files.count == 4)

        let target = try await Shop(engine, in: folders[1], clock: source.clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: folders[1] + "/work")
        let first = folders[2] + "/blobs/" + files[0]
        try FileManager.default.removeItem(atPath: folders[2] + "/blobs/" + files[1])
        let missing = await failure { _ = try await restore.run(nil, keepsSessions: false) { _ in } }
        #expect(missing?.kind == .damaged)
        #expect(missing?.description.contains("are missing in the backup: \(keys[1]).") == true, "\(String(describing: missing))")
        #expect(missing?.description.contains("--without-damaged") == true, "\(String(describing: missing))")
        var bytes = try Data(contentsOf: URL(filePath: first))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: first))
        // The test uses another target, because the first one has a copy of this file from before the damage.
        let other = try await Shop(engine, in: folders[1] + "/other", clock: source.clock, isMigrated: false)
        let otherRestore = RestoreBackup(
            repository, into: other.database, other.store, rules: ShopTables.rules, workFolder: folders[1] + "/other/work")
        let damaged = await failure { _ = try await otherRestore.run(nil, keepsSessions: false) { _ in } }
        #expect(damaged?.kind == .damaged)
        #expect(damaged?.description.contains("are not those that were stored: \(keys[0]).") == true, "\(String(describing: damaged))")
        #expect(damaged?.description.contains("--without-damaged") == true, "\(String(describing: damaged))")

        let state = TransferState(database: other.database, clock: source.clock.wall)
        await #expect(throws: Problem.self) { try await state.beginServing() }
        let report = try await otherRestore.run(nil, keepsSessions: false, skipsLost: true) { _ in }
        try await otherRestore.finish()
        try await state.beginServing()
        #expect(report.lost.map(\.text) == keys.prefix(2).sorted())
        #expect(try self.files(in: folders[1] + "/other") == Array(files.suffix(2)))
        let (people, live) = try await other.database.read { tx in
            (
                try tx.rows("SELECT id FROM person ORDER BY id").map { try $0.get("id", as: String.self) },
                try tx.rows("SELECT key FROM blob WHERE state = 'live' ORDER BY key").map { try $0.get("key", as: String.self) }
            )
        }
        #expect(people == (0..<4).map { "person-\($0)" } && live == keys)
        for shop in [source, target, other] { try await shop.close() }
    }

    @Test(
        "A repeated restore brings back what the place has again, names what is still missing, and keeps rows written since",
        arguments: Engine.allCases)
    func repeated(_ engine: Engine) async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<4)
        let repository = BackupRepository(try await BackupFolder.open(folders[2]), clock: source.clock.wall)
        _ = try await MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] }).run()
        let files = try files(in: folders[2])
        let keys = files.map { String($0.suffix(40)) }
        var kept: [Data] = []
        for file in files.prefix(2) {
            let url = URL(filePath: "\(folders[2])/blobs/\(file)")
            kept.append(try Data(contentsOf: url))
            try FileManager.default.removeItem(at: url)
        }
        let target = try await Shop(engine, in: folders[1], clock: source.clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: folders[1] + "/work")
        let first = try await restore.run(nil, keepsSessions: false, skipsLost: true) { _ in }
        #expect(!first.wasFinished && first.lost.map(\.text) == Array(keys.prefix(2)))

        // Before the end of the restore, missing files still stop a run without `skipsLost`, although the run adds no row.
        try await TransferState(database: target.database, clock: source.clock.wall).advance(to: .loading)
        let stopped = await failure { _ = try await restore.run(nil, keepsSessions: false) { _ in } }
        let names = "are missing in the backup: \(keys[0]), \(keys[1])."
        #expect(stopped?.description.contains(names) == true, "\(String(describing: stopped))")
        _ = try await restore.run(nil, keepsSessions: false, skipsLost: true) { _ in }
        try await restore.finish()

        // After the end of the restore, one file is back, and the other one is there but damaged. Somebody has written a row.
        try kept[0].write(to: URL(filePath: "\(folders[2])/blobs/\(files[0])"))
        try Data("x".utf8).write(to: URL(filePath: "\(folders[2])/blobs/\(files[1])"))
        try await target.database.run("UPDATE person SET email = 'new@example.org' WHERE id = 'person-0'")
        let again = try await restore.run(nil, keepsSessions: false) { _ in }
        #expect(again.wasFinished && again.rows == 0 && again.blobs == 1)
        #expect(again.lost.map(\.text) == [keys[1]])
        #expect(try self.files(in: folders[1]) == [files[0], files[2], files[3]])
        let email = try await target.database.read { tx in
            try tx.row("SELECT email FROM person WHERE id = 'person-0'")?.get("email", as: String.self)
        }
        #expect(email == "new@example.org")

        // Once the installation has been in use, the error says what to do, and not which table has rows.
        try await TransferState(database: target.database, clock: source.clock.wall).beginServing()
        let served = await failure { _ = try await restore.run(nil, keepsSessions: false) { _ in } }
        #expect(served?.kind == .refused && served?.description.contains("holds an installation that was in use") == true)
        for shop in [source, target] { try await shop.close() }
    }

    @Test("A restore of another snapshot into the same target is refused; the text names both, and what to do")
    func otherSnapshot() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<2)
        let repository = BackupRepository(try await BackupFolder.open(folders[2]), clock: source.clock.wall)
        let backup = MakeBackup(source.source, to: repository, workFolder: source.workFolder, deletions: { _ in [] })
        let first = try await backup.run().snapshot
        source.clock.advance(by: .days(1))
        let second = try await backup.run().snapshot
        let target = try await Shop(.sqlite, in: folders[1], clock: source.clock, isMigrated: false)
        let restore = RestoreBackup(
            repository, into: target.database, target.store, rules: ShopTables.rules, workFolder: folders[1] + "/work")
        _ = try await restore.run(first, keepsSessions: false) { _ in }
        let refused = await failure { _ = try await restore.run(nil, keepsSessions: false) { _ in } }
        let text = refused?.description ?? ""
        #expect(refused?.kind == .refused && text.contains("another snapshot, \(first), and this one is \(second)"), "\(text)")
        #expect(text.contains("Empty the target's database") && text.contains("--snapshot \(first)"), "\(text)")
        for shop in [source, target] { try await shop.close() }
    }

    /// The files of blobs below the folder, in the order of their keys.
    private func files(in folder: String) throws -> [String] {
        try #require(FileManager.default.subpaths(atPath: folder + "/blobs")).filter { $0.count > 40 }.sorted()
    }
}
