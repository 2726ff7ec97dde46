import Core
import Foundation
import TestKit
import Testing

@testable import Transfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Errors of local files of copies and backups")
struct LocalFileTests {
    @Test("a user who may not use a folder is told what to do, and never to run the command as root")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let other = UnixUser(id: 65_534)
        func line(_ path: String, by user: UnixUser) -> String {
            LocalFile.failure("opening", path, EACCES, by: user).description
        }
        let owner = UnixUser.current
        #expect(
            line(folder.path, by: owner)
                == "\(folder.path) belongs to \(owner), who lacks the permission. Allow it (chmod u+rwX \(folder.path)).")
        let missing = folder.path + "/missing"
        #expect(
            line(missing, by: other) == """
                The user \(other) may not create \(missing). Create the folder for that user (sudo install --directory --owner \
                \(other.argument) --mode 0700 \(missing)), or name another one.
                """)
        let root = line("/", by: other)
        #expect(
            root.hasPrefix("The user \(other) may not use /, which belongs to root. Name a folder that \(other) may write. "), "\(root)")
        #expect(!root.contains("Run the command as"), "\(root)")
    }

    @Test(
        "a folder of a user who is not root is used by running the command as that user",
        .enabled(if: geteuid() == 0, "only root can give a folder to another user"))
    func otherOwner() throws {
        let folder = try TemporaryFolder()
        chown(folder.path, 65_534, 65_534)
        let owner = UnixUser(id: 65_534)
        let line = LocalFile.failure("opening", folder.path, EACCES, by: UnixUser(id: 1_000, name: "ada")).description
        #expect(
            line == """
                The user ada may not use \(folder.path), which belongs to \(owner). Run the command as \(owner) (\(owner.sudo) keepsake …), or \
                name a folder that ada may write.
                """)
    }

    @Test("a file that the disk cannot read is damaged; a disk that cannot write is unavailable")
    func unreadable() {
        #expect(LocalFile.failure("reading", "/backup/blobs/00/1", EIO).kind == .damaged)
        #expect(LocalFile.failure("syncing", "/backup/blobs/00/1", EIO).kind == .unavailable)
    }
}
