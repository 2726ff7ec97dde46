import Core
import Database
import DatabaseEngines

/// Checks for commands that open a database whose address the operator wrote.
extension DatabaseAddress {
    /// - Parameters:
    ///   - setting: the name of the setting that gives the address, as the operator wrote it: a flag, a variable, or a key and its file.
    ///   - open: opens the database.
    /// - Throws: `.unavailable` when the database cannot be reached; `Settings.Wrong` when a part of the address is wrong, so that a
    ///   restart does not help. Both messages name the setting.
    static func naming<Opened>(_ setting: String, _ open: () async throws -> Opened) async throws -> Opened {
        do {
            return try await open()
        } catch DatabaseError.unavailable(let reason) {
            throw Problem(.unavailable, "\(setting): the database is not available: \(Exit.line(reason))")
        } catch DatabaseError.wrongAddress(let reason) {
            throw Settings.Wrong(description: "\(setting): the database cannot be used: \(Exit.line(reason))")
        }
    }

    /// Whether the database has no tables yet.
    /// - Parameters:
    ///   - database: the open database.
    ///   - setting: the name of the setting that gives the address, as the operator wrote it.
    /// - Throws: `Settings.Wrong` when the database has tables, but no installation. The tables then belong to another program, and
    ///   Keepsake must not add its own tables to them.
    func isEmpty(_ database: any Database, setBy setting: String) async throws -> Bool {
        do {
            // The query names the columns, because other programs have a table of this name, too.
            _ = try await database.read { tx in try tx.row("SELECT name, checksum FROM schema_migration LIMIT 1") }
            return false
        } catch DatabaseError.engine(let code, let message) {
            let names = try await tableNames(of: database)
            guard let stranger = names.first else { return true }
            // If both tables are there, the installation exists, so the error has another cause, for example a missing permission.
            guard !Set(names).isSuperset(of: ["schema_migration", "schema_release"]) else {
                throw DatabaseError.engine(code: code, message: message)
            }
            throw Settings.Wrong(description: "\(setting): \(refusal(of: stranger))")
        }
    }

    private func refusal(of stranger: String) -> String {
        switch self {
        case .sqlite(let path):
            "\(path) is the database of another program: it has tables, such as \(stranger), but no installation; name another file"
        // The message does not quote the address, because it may contain a password.
        case .postgres:
            """
            the PostgreSQL database is another program's: it has tables, such as \(stranger), but no installation; create a database for \
            Keepsake, or a schema, which ?options=-csearch_path%3DSCHEMA at the end of the address selects
            """
        }
    }
}
