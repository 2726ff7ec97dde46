import Database
import DatabaseEngines
import Foundation
import TestKit

@testable import keepsake

/// An SQLite database on which all migrations have run and no server has started. Each test server starts with a copy of it, because
/// running the migrations takes longer than most tests.
enum EmptyDatabase {
    /// The bytes of the database's file. The first test server of the process creates them.
    static let file = Task<Data, any Error> {
        let folder = try TemporaryFolder()
        let path = folder.path + "/empty.sqlite"
        let database = try await DatabaseAddress.sqlite(path: path).open()
        try await database.migrate(Backend.migrations, release: Keepsake.release)
        // When the last connection closes, SQLite copies the log into the file and deletes the log.
        try await database.close()
        guard !FileManager.default.fileExists(atPath: path + "-wal") else {
            throw Tool.Failed(description: "the log of \(path) is left")
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        withExtendedLifetime(folder) {}
        return bytes
    }
}
