import CFaultyVFS
import Database
import Foundation
import SQLiteEngine
import TestThreads
import Testing

@Suite("Migrations on a failing disk", .serialized, .blocksThreads)
struct MigrationCrashTests {
    private static let migrations = (1...4).map { n in
        Migration(
            "crash/00\(n)",
            [
                "CREATE TABLE t\(n) (id BIGINT PRIMARY KEY, words TEXT)", "INSERT INTO t\(n) (id, words) VALUES (1, 'one'), (2, 'two')",
                "ALTER TABLE t\(n) ADD COLUMN more BIGINT", "CREATE INDEX t\(n)_more ON t\(n) (more)",
            ])
    }

    @Test("Stopped at any write or sync, each migration is complete or absent, and the next start completes them")
    func stopped() async throws {
        #expect(faulty_register() == 0)
        let folder = try DatabaseFolder(inMemory: true)
        var positions = 0
        for (operation, code) in [(FAULTY_WRITE, SQLiteCode.full), (FAULTY_SYNC, SQLiteCode.failedSync)] {
            var ordinal = 1
            var stopped = true
            while stopped {
                let path = folder.file("migrating-\(operation.rawValue)-\(ordinal).sqlite")
                let database = try await SQLiteDatabase.open(path: path)
                #expect(faulty_arm(path, operation, ordinal, 1_000_000, code) == 1)
                do {
                    try await database.migrate(Self.migrations)
                    stopped = false
                } catch {
                    // Copies the files as a killed process leaves them, without closing the log. The disk of the copy has no faults.
                    let killed = folder.file("killed-\(operation.rawValue)-\(ordinal).sqlite")
                    for suffix in ["", "-wal"] {
                        try FileManager.default.copyItem(atPath: path + suffix, toPath: killed + suffix)
                    }
                    let next = try await SQLiteDatabase.open(path: killed)
                    try await Self.expectWholeOrAbsent(next)
                    try await next.migrate(Self.migrations)
                    try await Self.expectWholeOrAbsent(next)
                    #expect(try await next.read { tx in try tx.rows("SELECT name FROM schema_migration").count } == 4)
                    try await next.close()
                    positions += 1
                }
                faulty_disarm(path)
                try await database.close()
                ordinal += 1
            }
        }
        #expect(positions > 20)
        print("migrations stopped at \(positions) positions")
    }

    /// Exactly the objects of the recorded migrations exist.
    private static func expectWholeOrAbsent(_ database: SQLiteDatabase) async throws {
        try await database.read { tx in
            let objects = Set(try tx.rows("SELECT name FROM sqlite_schema").map { try $0.get("name", as: String.self) })
            let names =
                objects.contains("schema_migration")
                ? Set(try tx.rows("SELECT name FROM schema_migration").map { try $0.get("name", as: String.self) }) : []
            for (index, migration) in migrations.enumerated() {
                let ran = names.contains(migration.name)
                #expect(objects.contains("t\(index + 1)") == ran)
                #expect(objects.contains("t\(index + 1)_more") == ran)
            }
        }
    }
}
