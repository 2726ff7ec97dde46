package import Core

/// Checks that the database stores what it acknowledges; `keepsake doctor` runs it.
package struct DatabaseProbe: TableOwner {
    private let identifiers: Identifiers

    package init(identifiers: Identifiers) { self.identifiers = identifiers }

    package static let migrations = [
        Migration(
            "database/001-probe",
            [#"CREATE TABLE database_probe (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, written_at BIGINT NOT NULL)"#])
    ]

    /// Commits a row, reads it back in another transaction, and deletes it.
    package func run(_ database: any Database) async throws {
        let id = identifiers.next()
        let now = identifiers.clock.now
        try await database.write { tx in try tx.run("INSERT INTO database_probe (id, written_at) VALUES (\(id), \(now))") }
        let found = try await database.read { tx in
            try tx.row("SELECT written_at FROM database_probe WHERE id = \(id)")?.get("written_at", as: Timestamp.self)
        }
        // `<=` also deletes the row of an earlier probe that was killed before this statement.
        try await database.write { tx in try tx.run("DELETE FROM database_probe WHERE id <= \(id)") }
        guard found == now else { throw DatabaseError.engine(code: 0, message: "a committed row could not be read back") }
    }
}
