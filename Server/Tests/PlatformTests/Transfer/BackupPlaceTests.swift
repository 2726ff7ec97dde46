import Core
import Foundation
import TestKit
import Testing
import Transfer

@Suite("Places of backups")
struct BackupPlaceTests {
    @Test("A folder of the place that cannot be listed is an error, and not an empty folder, whose files a prune would delete")
    func unlistable() async throws {
        let folders = try Folders(1)
        defer { withExtendedLifetime(folders) {} }
        let place = try await BackupFolder.open(folders[0])
        // A name that is too long cannot be listed by any user, while root may read every folder.
        let name = "snapshots/" + String(repeating: "x", count: 300) + "/"
        let failure = await #expect(throws: TransferFailure.self) { _ = try await place.list(name).next() }
        #expect(failure?.description.contains(folders[0]) == true, "\(String(describing: failure))")
        #expect(try await place.list("snapshots/").next() == [])
    }
}
