package import Core
internal import Database

extension PostgresDatabase {
    /// What a deployment or a test turns; everybody else takes the defaults.
    package struct Options: Sendable {
        /// Connections, each with a thread, 1...200; default 16. One more listens. Made when they are first needed.
        package var connections = 16
        /// The server ends a statement that takes longer; default 30 s.
        package var statementTimeout = Duration.seconds(30)
        /// How long beyond `statementTimeout` an answer may be missing before the server is taken for lost; default 5 s.
        package var silence = Duration.seconds(5)
        /// A statement waits so long for a lock; default 10 s.
        package var lockTimeout = Duration.seconds(10)
        /// Callers waiting for a connection; default 4,096. The next hears `DatabaseError.busy`.
        package var waitingLimit = 4096

        package init() {}
    }

    /// PostgreSQL 13, the oldest that its makers still mended when this was written.
    private static let oldestServer = 130_000

    /// - Throws: `DatabaseError.unavailable` when the server cannot be reached or refuses us, `.notDurable` when it would
    ///   acknowledge what a power cut takes away.
    package static func open(_ address: PostgresAddress, clock: WallClock = .system, options: Options = Options()) async throws
        -> PostgresDatabase
    {
        try await blocking {
            var limits = PostgresConnection.Limits()
            limits.statement = options.statementTimeout
            limits.lock = options.lockTimeout
            limits.silence = options.silence
            let schema = try examine(PostgresConnection(address, limits))
            let wakes = Wakes()
            let queue = PostgresQueue(capacity: options.waitingLimit)
            let outage = PostgresOutage()
            let threads = PostgresThreads(count: options.connections, queue) { [limits] in
                PostgresWorker(address, limits, schema: schema, outage: outage)
            }
            return PostgresDatabase(
                queue: queue, threads: threads, bell: try PostgresBell(address, schema: schema, wakes),
                migrator: Migrator(clock: clock) { $0.statements + $0.postgres }, wakes: wakes)
        }
    }

    /// - Returns: the schema our tables are in.
    private static func examine(_ connection: PostgresConnection) throws -> String {
        guard connection.serverVersion >= oldestServer else {
            throw DatabaseError.unavailable("PostgreSQL 13 or later is needed, this is \(connection.serverVersion / 10_000)")
        }
        for (setting, wanted) in [("fsync", "on"), ("full_page_writes", "on"), ("synchronous_commit", "on")] {
            let answer = try text(connection, PostgresStatement(text: "SHOW \(setting)", values: [])) ?? "nothing"
            guard answer == wanted else { throw DatabaseError.notDurable("\(setting) is \(answer), not \(wanted)") }
        }
        guard let encoding = try text(connection, "SHOW server_encoding"), encoding == "UTF8" else {
            throw DatabaseError.unavailable("the database must be made with ENCODING 'UTF8'")
        }
        guard let schema = try text(connection, "SELECT current_schema()") else {
            throw DatabaseError.unavailable("no schema of the search_path exists")
        }
        return schema
    }

    private static func text(_ connection: PostgresConnection, _ statement: PostgresStatement) throws -> String? {
        guard let value = try connection.execute(statement).rows().first?.values.first, case .text(let text) = value else { return nil }
        return text
    }
}
