package import Core
package import Database
import Foundation
package import PostgresEngine
internal import SQLiteEngine

/// The engine and the place of a database: `sqlite:PATH` or `postgres://…`.
package enum DatabaseAddress: Sendable {
    case sqlite(path: String)
    case postgres(PostgresAddress)

    /// - Returns: `nil` when `text` has neither form. libpq checks what follows `postgres://` when the database is opened.
    package init?(_ text: String) {
        if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgres(PostgresAddress(Secret(text)))
        } else {
            return nil
        }
    }

    package var engineName: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }

    /// How much of its disk the database at this address takes, with indexes and, for SQLite, with the log.
    /// - Parameter database: the one that `open` returned.
    package func byteCount(of database: any Database) async throws -> Int64 {
        switch self {
        case .sqlite(let path):
            return [path, path + "-wal"].reduce(0) { sum, file in
                let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
                return sum + (size?.int64Value ?? 0)
            }
        case .postgres:
            return try await database.read { tx in
                try tx.row("SELECT pg_database_size(current_database()) AS byte_count")?.get("byte_count", as: Int64.self) ?? 0
            }
        }
    }

    /// A text that identifies the tables: two addresses that lead to the same tables have the same text, even if they name the server
    /// differently. `nil` for SQLite, where the path identifies them.
    /// - Parameter database: the one that was opened.
    package func identity(of database: any Database) async throws -> String? {
        guard case .postgres = self else { return nil }
        return try await database.read { tx in
            // The start time is exact to the microsecond. Other identifiers of a server are hidden from ordinary roles, or shared by its
            // replicas.
            let row = try tx.row(
                "SELECT concat_ws(' ', pg_postmaster_start_time(), current_database(), current_schema()) AS identity")
            return try row?.get("identity")
        }
    }

    /// The names of all tables, including those that other programs made. On PostgreSQL, only the tables of the schema in use, without
    /// those of extensions.
    /// - Parameter database: the one that was opened.
    package func tableNames(of database: any Database) async throws -> [String] {
        let statement: SQL =
            switch self {
            case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
            case .postgres:
                """
                SELECT CAST(c.relname AS TEXT) AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema() AND NOT EXISTS (
                    SELECT 1 FROM pg_depend AS d
                    WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid AND d.deptype = 'e')
                ORDER BY c.relname
                """
            }
        return try await database.read { tx in try tx.rows(statement).map { try $0.get("name", as: String.self) } }
    }

    /// The default number of connections to PostgreSQL.
    package static let defaultConnections = PostgresDatabase.Options().connections

    /// Opens the database for a command that must know whether servers use it.
    /// - Returns: the database, and a closure that counts the servers' connections to this schema. The count is always 0 for SQLite, whose
    ///   data folder has a lock.
    package func openBeside(
        clock: WallClock = .system, connections: Int
    ) async throws -> (database: any Database, serverConnectionCount: @Sendable () async throws -> Int) {
        switch self {
        case .sqlite(let path): return (try await SQLiteDatabase.open(path: path, clock: clock), { 0 })
        case .postgres(let address):
            var options = PostgresDatabase.Options()
            options.connections = connections
            let database = try await PostgresDatabase.open(address.named("keepsake-copy"), clock: clock, options: options)
            return (database, { try await database.serverConnectionCount() })
        }
    }

    /// - Parameters:
    ///   - connections: number of connections to PostgreSQL, 1...200. SQLite ignores it: it has one writer and as many readers as
    ///     `SQLiteDatabase.Options` says.
    ///   - isServing: whether a server opens the database. For a server, SQLite allocates space for its log in advance.
    ///   - reportLogReserve: receives the reason why this space is not allocated, or `nil` once it is. Called only when this changes.
    package func open(
        clock: WallClock = .system, connections: Int = DatabaseAddress.defaultConnections, isServing: Bool = false,
        reportLogReserve: @escaping @Sendable (String?) -> Void = { _ in }
    ) async throws -> any Database {
        switch self {
        case .sqlite(let path):
            var options = SQLiteDatabase.Options()
            options.reservesLog = isServing
            options.reportLogReserve = reportLogReserve
            return try await SQLiteDatabase.open(path: path, clock: clock, options: options)
        case .postgres(let address):
            var options = PostgresDatabase.Options()
            options.connections = connections
            return try await PostgresDatabase.open(address, clock: clock, options: options)
        }
    }
}
