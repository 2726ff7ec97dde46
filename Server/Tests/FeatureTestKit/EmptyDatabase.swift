import Database
import DatabaseEngines
import Foundation
import TestKit

@testable import keepsake

/// An SQLite database in which all migrations have run, and on which no server has started. The database of each test server begins as a
/// copy of it, because the migrations take longer than most tests.
enum EmptyDatabase {
    /// The bytes of its file, which the first server of the process makes.
    static let file = Task<Data, any Error> {
        let folder = try TemporaryFolder()
        let path = folder.path + "/empty.sqlite"
        let database = try await DatabaseAddress.sqlite(path: path).open()
        try await database.migrate(Backend.migrations, release: Keepsake.release)
        // The last connection that closes copies the log into the file, and deletes it.
        try await database.close()
        guard !FileManager.default.fileExists(atPath: path + "-wal") else {
            throw Tool.Failed(description: "the log of \(path) is left")
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        withExtendedLifetime(folder) {}
        return bytes
    }
}
