package import Core

/// Which engine, and where: `sqlite:PATH` or `postgres://…`.
package enum DatabaseAddress: Sendable {
    case sqlite(path: String)
    case postgres(PostgresAddress)

    /// - Returns: `nil` when it is neither. What `postgres://` is followed by is libpq's to judge.
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

    /// - Parameter connections: PostgreSQL's, 1...200. SQLite has one writer and four readers whatever it says.
    package func open(clock: WallClock = .system, connections: Int = PostgresDatabase.Options().connections) async throws -> any Database {
        switch self {
        case .sqlite(let path): return try await SQLiteDatabase.open(path: path, clock: clock)
        case .postgres(let address):
            var options = PostgresDatabase.Options()
            options.connections = connections
            return try await PostgresDatabase.open(address, clock: clock, options: options)
        }
    }
}
