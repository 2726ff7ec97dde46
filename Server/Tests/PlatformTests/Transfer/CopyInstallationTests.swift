import Blobs
import Core
import Database
import Foundation
import TestKit
import Testing
import Transfer

@Suite("Copies of an installation")
struct CopyInstallationTests {
    /// From the first engine to the second one, and from there to the first again.
    static let ways: [[Engine]] = [[.sqlite, .postgres], [.postgres, .sqlite]]

    @Test("A copy and the copy of the copy have the same rows, bytes and index", arguments: ways)
    func thereAndBack(_ engines: [Engine]) async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let first = try await Shop(engines[0], in: folders[0])
        let second = try await Shop(engines[1], in: folders[1])
        let third = try await Shop(engines[0], in: folders[2])
        try await first.fill(0..<40)
        try await first.remove(7)
        let report = try await first.copy(to: second).run(isLast: true)
        // A migration had inserted one row into the target.
        #expect(report.writtenRows == Int(report.rows) - 1 && report.copiedBlobs == 39 && report.blobs == 39)
        try await TransferState(database: second.database, clock: second.clock.wall).beginServing()
        _ = try await second.copy(to: third).run(isLast: true)
        let content = try await first.content()
        #expect(try await second.content() == content)
        #expect(try await third.content() == content)
        #expect(content["bytes"]?.count == 39 && content["bytes"]?.contains { $0[1] != .text("right") } == false)
        #expect(content["lease"] == nil && content["person"]?.count == 39)
        for shop in [first, second, third] {
            #expect(try await shop.search("number12") == ["person-12"])
            #expect(try await shop.search("even1").count == 19)
            #expect(try await shop.search("number7") == [])
        }
        // Keys that the engine generates continue after the last one.
        try await second.fill(100..<101)
        #expect(try await second.search("number100") == ["person-100"])
        for shop in [first, second, third] { try await shop.close() }
    }

    @Test("A second run writes only what changed: new, changed, deleted and swapped rows", arguments: ways)
    func changes(_ engines: [Engine]) async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(engines[0], in: folders[0])
        let target = try await Shop(engines[1], in: folders[1])
        try await source.fill(0..<30)
        _ = try await source.copy(to: target).run(isLast: false)
        let nothing = try await source.copy(to: target).run(isLast: false)
        #expect(nothing.writtenRows == 0 && nothing.deletedRows == 0 && nothing.copiedBlobs == 0)
        try await source.fill(30..<33)
        try await source.remove(3)
        try await source.database.write { tx in
            // Two people swap a unique value, and a deleted person's value goes to another one.
            try tx.run("UPDATE person SET email = NULL WHERE id = 'person-1'")
            try tx.run("UPDATE person SET email = '1@example.org' WHERE id = 'person-2'")
            try tx.run("UPDATE person SET email = '2@example.org' WHERE id = 'person-1'")
            try tx.run("UPDATE person SET email = '3@example.org' WHERE id = 'person-0'")
            // One file takes over the blob of another, and its own blob is deleted.
            try tx.run("UPDATE file SET blob = (SELECT blob FROM file WHERE id = 'file-11') WHERE id = 'file-10'")
            try tx.run("DELETE FROM blob WHERE owner = 'file-10'")
            try tx.run("DELETE FROM document WHERE owner = 'person-12'")
        }
        let report = try await source.copy(to: target).run(isLast: true)
        #expect(try await target.content() == source.content())
        #expect(report.copiedBlobs == 3 && report.writtenRows < 60)
        #expect(try await target.search("number12") == [])
        #expect(try await target.search("number3") == [])
        #expect(try await target.search("number31") == ["person-31"])
        #expect(try await target.search("number1") == ["person-1"])
        try await source.close()
        try await target.close()
    }

    @Test("A second run writes texts and keys that changed only between two forms of Unicode", arguments: ways)
    func unicodeForms(_ engines: [Engine]) async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(engines[0], in: folders[0])
        let target = try await Shop(engines[1], in: folders[1])
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await source.database.write { tx in
            try tx.run("INSERT INTO person (id, email, is_new) VALUES ('one', \(composed), 1)")
            try tx.run("INSERT INTO ticket (id) VALUES (\(composed))")
        }
        _ = try await source.copy(to: target).run(isLast: false)
        try await source.database.write { tx in
            try tx.run("UPDATE person SET email = \(decomposed) WHERE id = 'one'")
            try tx.run("UPDATE ticket SET id = \(decomposed)")
        }
        let report = try await source.copy(to: target).run(isLast: true)
        #expect(report.writtenRows == 2 && report.deletedRows == 1)
        #expect(try await target.content() == source.content())
        try await source.close()
        try await target.close()
    }

    @Test("A target that is not an earlier copy is refused, and one that was served is no copy any more")
    func targets() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let first = try await Shop(.sqlite, in: folders[0])
        let second = try await Shop(.sqlite, in: folders[1])
        let target = try await Shop(.sqlite, in: folders[2])
        let state = TransferState(database: target.database, clock: target.clock.wall)
        try await first.fill(0..<3)
        try await second.fill(0..<3)
        do {
            let words = await refusal { _ = try await first.copy(to: second).run(isLast: true) }
            #expect(words?.contains("not empty") == true)
        }
        _ = try await first.copy(to: target).run(isLast: false)
        await #expect(throws: Problem.self) { try await state.beginServing() }
        do {
            let words = await refusal { _ = try await second.copy(to: target).run(isLast: true) }
            #expect(words?.contains("something else") == true)
        }
        _ = try await first.copy(to: target).run(isLast: true)
        try await state.beginServing()
        do {
            let words = await refusal { _ = try await first.copy(to: target).run(isLast: true) }
            #expect(words?.contains("not empty") == true)
        }
        for shop in [first, second, target] { try await shop.close() }
    }

    @Test("A store with another installation's files is refused, and one into which another program has copied the source's files is not")
    func foreignFiles() async throws {
        let folders = try Folders(4)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let other = try await Shop(.sqlite, in: folders[1])
        let target = try await Shop(.sqlite, in: folders[2])
        try await source.fill(0..<6)
        try await other.fill(0..<6)
        let copy = CopyInstallation(source.source, to: target.database, other.store, workFolder: source.workFolder)
        let words = await refusal { _ = try await copy.run(isLast: true) }
        #expect(words?.hasPrefix("The target's store has files that the source does not know. ") == true, "\(words ?? "none")")
        // The refused copy has not marked the database as the target of a copy, so the operator can try again with another store.
        #expect(try await TransferState(database: target.database, clock: target.clock.wall).stage() == nil)
        #expect(try await other.content()["bytes"]?.count == 6)

        try FileManager.default.copyItem(atPath: folders[0] + "/blobs", toPath: folders[3] + "/blobs")
        let mirrored = try await Shop(.sqlite, in: folders[3])
        // The source has deleted this person since, so its row is gone.
        try await source.remove(2)
        try await source.database.run("DELETE FROM blob WHERE state = 'dead'")
        let report = try await source.copy(to: mirrored).run(isLast: true)
        #expect(report.blobs == 5 && report.copiedBlobs == 0)
        for shop in [source, other, target, mirrored] { try await shop.close() }
    }

    @Test("A table that no migration creates is refused", arguments: Engine.allCases)
    func strangers(_ engine: Engine) async throws {
        let folder = try TemporaryFolder()
        let shop = try await Shop(engine, in: folder.path)
        try await shop.database.write { tx in try tx.run("CREATE TABLE stranger (id BIGINT PRIMARY KEY NOT NULL)") }
        do {
            let words = await refusal { _ = try await ShopTables.rules.tables(of: shop.database) }
            #expect(words?.contains("stranger") == true)
        }
        try await shop.close()
    }

    @Test("Damaged bytes at the source stop the copy, which names the file and stores nothing of it")
    func damage() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let target = try await Shop(.sqlite, in: folders[1])
        try await source.fill(0..<3)
        let key = try await source.database.read { tx in
            try #require(try tx.row("SELECT blob FROM file WHERE id = 'file-1'")).get("blob") as String
        }
        let path = "\(folders[0])/blobs/\(key.prefix(2))/\(key)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[500] ^= 1
        try bytes.write(to: URL(filePath: path))
        do {
            let words = await refusal { _ = try await source.copy(to: target).run(isLast: true) }
            #expect(words?.contains(key) == true)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folders[1])/blobs/\(key.prefix(2))/\(key)"))
        try await source.close()
        try await target.close()
    }

    private func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? TransferFailure)?.description
        }
    }
}
