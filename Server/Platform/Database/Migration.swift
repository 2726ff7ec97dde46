/// One step of a feature's schema. Append-only: never edit a migration that has run anywhere.
package struct Migration: Sendable {
    /// `feature/NNN-what`, for example `media/001-media`.
    package let name: String
    /// One statement each, in the subset that both engines share: BIGINT, SMALLINT, DOUBLE PRECISION, TEXT and BYTEA, `COLLATE "C"`.
    /// Every CHECK has a name (`CONSTRAINT thing_stars CHECK (…)`), by which code identifies its violation.
    package let statements: [String]
    /// Statements for one engine only, for what the engines express differently. They run after `statements`. Usually empty.
    package let sqlite: [String]
    package let postgres: [String]
    /// The release of the program that introduced the migration, 1…. A migration adds only what its release needs, and removes only what
    /// the previous release no longer uses, so that nodes of both releases can run on the schema.
    package let release: Int

    package init(_ name: String, _ statements: [String], release: Int = 1) {
        self.init(name, statements, sqlite: [], postgres: [], release: release)
    }

    /// For schema that differs between the engines, for example full text.
    package init(_ name: String, _ statements: [String] = [], sqlite: [String], postgres: [String], release: Int = 1) {
        self.name = name
        self.statements = statements
        self.sqlite = sqlite
        self.postgres = postgres
        self.release = release
    }

    /// The names of the tables that it creates, on either engine.
    package var createdTables: [String] { names(after: /^\s*CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)/) }
    /// The names of the tables that it inserts rows into, on either engine.
    package var filledTables: [String] { names(after: /^\s*INSERT INTO (\w+)/) }

    private func names(after pattern: Regex<(Substring, Substring)>) -> [String] {
        (statements + sqlite + postgres).compactMap { $0.firstMatch(of: pattern).map { String($0.output.1) } }
    }
}
