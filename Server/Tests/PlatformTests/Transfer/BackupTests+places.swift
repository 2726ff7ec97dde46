import Blobs
import Core
import Database
import Foundation
import TestKit
import Testing
import Transfer

/// Who may use a place: its lock, its mark and what else lies there.
extension BackupTests {
    @Test("Two runs in one place exclude each other; a killed one's lock expires, and one that lost its lock makes no snapshot")
    func locked() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        try await source.fill(0..<2)
        let repository = try await repository(folders[1], source.clock)
        @Sendable func isRefused() async {
            await #expect(throws: TransferFailure.self) { _ = try await backup(source, repository).run() }
        }
        let lost = await #expect(throws: TransferFailure.self) {
            _ = try await backup(source, repository) {
                await isRefused()
                // Acts as if the first run had been suspended: its lock exists and is not renewed.
                source.clock.advance(by: .minutes(11))
                _ = try await backup(source, repository).run()
            }.run()
        }
        // The other run may have been a prune that deleted files of the first run.
        #expect(lost?.description.hasPrefix("Another run took the place over") == true, "\(String(describing: lost))")
        #expect(try await repository.snapshots().count == 1)
        #expect(try await verify(repository, folders[0]) == [])
        try await source.close()
    }

    @Test("Another installation's place and a folder with other files are refused")
    func claimed() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let first = try await Shop(.sqlite, in: folders[0] + "/a")
        let second = try await Shop(.sqlite, in: folders[0] + "/b")
        try await first.fill(0..<1)
        _ = try await backup(first, repository(folders[1], first.clock)).run()
        await #expect(throws: TransferFailure.self) { _ = try await backup(second, repository(folders[1], second.clock)).run() }
        try Data("x".utf8).write(to: URL(filePath: folders[2] + "/letter"))
        await #expect(throws: TransferFailure.self) { _ = try await backup(first, repository(folders[2], first.clock)).run() }
        try await first.close()
        try await second.close()
    }

    @Test("A place without its mark can be read, and its installation's next backup writes the mark again; another installation is refused")
    func lostMark() async throws {
        let folders = try Folders(3)
        defer { withExtendedLifetime(folders) {} }
        let first = try await Shop(.sqlite, in: folders[0] + "/a")
        let second = try await Shop(.sqlite, in: folders[0] + "/b")
        try await first.fill(0..<2)
        let repository = try await repository(folders[1], first.clock)
        let snapshot = try await backup(first, repository).run().snapshot
        let mark = folders[1] + "/keepsake-backup"
        let bytes = try Data(contentsOf: URL(filePath: mark))
        try FileManager.default.removeItem(atPath: mark)
        #expect(try await repository.snapshots() == [snapshot])
        #expect(try await verify(repository, folders[2]) == [])
        let refused = await #expect(throws: TransferFailure.self) { _ = try await backup(second, repository).run() }
        #expect(refused?.description.contains("another installation") == true)
        #expect(!FileManager.default.fileExists(atPath: mark))
        _ = try await backup(first, repository).run()
        #expect(try Data(contentsOf: URL(filePath: mark)) == bytes)

        // The mark is damaged, so the operator must delete it.
        try flip(mark)
        let damaged = await #expect(throws: TransferFailure.self) { _ = try await repository.snapshots() }
        #expect(
            damaged?.description
                == "keepsake-backup in \(folders[1]) is damaged. Delete this file: the next backup writes it anew.")
        try await first.close()
        try await second.close()
    }

    @Test("A place that is a file, is below one, or is a link to a folder is refused with one sentence that says what to do")
    func wrongPlaces() async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let (file, link) = (folders[0] + "/letter", folders[0] + "/link")
        try Data("x".utf8).write(to: URL(filePath: file))
        for path in [file, file + "/below", file + "/below/it"] {
            let failure = await #expect(throws: TransferFailure.self) { _ = try await BackupFolder.open(path) }
            #expect(failure?.kind == .refused, "\(path)")
            #expect(failure?.description.hasSuffix(" is no folder, is below a file, or is a symbolic link. Name a folder itself.") == true)
        }
        let unread = await #expect(throws: TransferFailure.self) { _ = try await BackupFolder.open(file, creating: false) }
        #expect(unread?.description.hasPrefix("\(file) is no folder, ") == true)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folders[1])
        let source = try await Shop(.sqlite, in: folders[0] + "/a")
        let failure = await #expect(throws: TransferFailure.self) { _ = try await backup(source, repository(link, source.clock)).run() }
        #expect(failure?.description.hasPrefix("\(link) is no folder, ") == true, "\(failure?.description ?? "none")")
        #expect(failure?.kind == .refused)
        try await source.close()
    }
}
