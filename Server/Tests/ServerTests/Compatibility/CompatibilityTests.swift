import Database
import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// While the nodes are upgraded one after the other, nodes of the last release use the schema of this release.
@Suite("Compatibility with the last release")
struct CompatibilityTests {
    @Test("every statement of the last release works on this schema", arguments: Engine.allCases)
    func statements(_ engine: Engine) async throws {
        let recorded = try RecordedRelease(engine)
        let broken = try await Self.broken(recorded, engine, by: Backend.migrations, release: Keepsake.release)
        #expect(broken.isEmpty, "statements of Keepsake \(recorded.version) that fail now:\n\(broken.joined(separator: "\n"))")
    }

    @Test("control: renaming a column, and adding one that must be given, breaks statements", arguments: Engine.allCases)
    func control(_ engine: Engine) async throws {
        let recorded = try RecordedRelease(engine)
        var changes = ["ALTER TABLE node RENAME COLUMN host TO machine"]
        // SQLite refuses to add a column that is NOT NULL and has no default.
        if engine == .postgres { changes.append("ALTER TABLE node_turn ADD COLUMN reason TEXT NOT NULL") }
        let next = Keepsake.release + 1
        let change = Migration("control/001-change", changes, release: next)
        let broken = try await Self.broken(recorded, engine, by: Backend.migrations + [change], release: next)
        #expect(broken.contains { $0.contains("INSERT INTO node (") })
        #expect(engine == .sqlite || broken.contains { $0.contains("INSERT INTO node_turn") })
        #expect(broken.allSatisfy { $0.contains("node") }, "\(broken.joined(separator: "\n"))")
    }

    @Test("migrations of the last release are unchanged, and newer ones name the next release", arguments: Engine.allCases)
    func migrations(_ engine: Engine) throws {
        let recorded = try RecordedRelease(engine)
        #expect([recorded.release, recorded.release + 1].contains(Keepsake.release), "record each release with scripts/record-sql")
        let known = Dictionary(uniqueKeysWithValues: Backend.migrations.map { ($0.name, $0) })
        for (name, checksum) in recorded.migrations {
            #expect(known[name].map(Migrator.checksum) == checksum, "\(name) was released and must stay as it is")
        }
        for migration in Backend.migrations where recorded.migrations[migration.name] == nil {
            let isOfNext = migration.release == recorded.release + 1 && Keepsake.release == migration.release
            #expect(
                isOfNext,
                "set the release of \(migration.name), and Keepsake.release, to \(recorded.release + 1): it is newer than the record")
        }
    }

    /// Records the migrations and the version. `scripts/record-sql` calls this when it runs all tests of features to record their
    /// statements.
    @Test("recording: the migrations and the version", .enabled(if: SentStatements.isRecording))
    func record() throws {
        let lines = Backend.migrations.map { "\($0.name) \(Migrator.checksum($0))" }.sorted()
        try SentStatements.note(lines.joined(separator: "\n") + "\n", in: "migrations.txt")
        try SentStatements.note("Keepsake \(Keepsake.version) (release \(Keepsake.release))", in: "version")
    }

    /// The statements of the last release that work on its own schema, but not on the schema that `migrations` create, with their errors.
    private static func broken(
        _ recorded: RecordedRelease, _ engine: Engine, by migrations: [Migration], release: Int
    ) async throws -> [String] {
        let old = Backend.migrations.filter { recorded.migrations[$0.name] != nil }
        let before = try await failures(of: recorded, engine, old, release: recorded.release)
        let after = try await failures(of: recorded, engine, migrations, release: release)
        // Because the values were not recorded, a few statements also fail on the old schema, for example on a full-text index.
        #expect(recorded.statements.count > 200 && before.count < recorded.statements.count / 20, "\(before.keys.sorted())")
        return after.filter { before[$0.key] == nil }.map { "\($0.key): \($0.value)" }.sorted()
    }

    /// Runs each statement in a transaction that is rolled back. A value that violates a key or a check is not counted as a failure.
    /// - Returns: the errors of the statements that an empty database with this schema refuses.
    private static func failures(
        of recorded: RecordedRelease, _ engine: Engine, _ migrations: [Migration], release: Int
    ) async throws -> [String: String] {
        struct RolledBack: Error {}
        let stores = try TestStores(engine)
        let database = try await stores.open(connections: 1)
        try await database.migrate(migrations, release: release)
        var failures: [String: String] = [:]
        for statement in recorded.statements {
            do {
                try await database.write { tx in
                    _ = try tx.rows(statement)
                    throw RolledBack()
                }
            } catch is RolledBack {
            } catch DatabaseError.uniqueViolation, DatabaseError.foreignKeyViolation, DatabaseError.checkViolation {
            } catch {
                failures[statement.text { "$\($0)" }] = "\(error)"
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
        return failures
    }
}
