package import Core
internal import Database
internal import Foundation

extension PostgresDatabase {
    /// Options for a deployment or a test; the defaults suit everyone else.
    package struct Options: Sendable {
        /// Number of connections, 1...200; default 16. They are opened when first needed. One more connection listens.
        package var connections = 16
        /// PostgreSQL ends a statement that takes longer; default 30 s.
        package var statementTimeout = Duration.seconds(30)
        /// How long a response may be missing beyond `statementTimeout` before the connection counts as lost; default 5 s.
        package var silence = Duration.seconds(5)
        /// How long a statement waits for a lock; default 10 s.
        package var lockTimeout = Duration.seconds(10)
        /// How long a transaction may send nothing before PostgreSQL ends it; default 20 s.
        package var idleTransaction = Duration.seconds(20)
        /// Maximum number of callers that wait for a connection; default 4,096. The next one gets `DatabaseError.busy`.
        package var waitingLimit = 4096
        /// Number of connections on which one account may write at a time; its further writes wait without a connection. `nil`: an eighth
        /// of the connections, at least one. All accounts of one network together may use twice as many. For reads, both shares are twice
        /// as large.
        package var writesPerAccount: Int?
        /// Number of connections whose writes wait for locks for as long as `lockTimeout`; writes on further connections wait briefly and
        /// run again. `nil`: three quarters of the connections.
        package var patientWrites: Int?
        /// Number of free connections that a requester must leave to others if it holds a connection already. `nil`: a quarter of the
        /// connections.
        package var reservedConnections: Int?

        package init() {}

        var poolLimits: ConnectionLimits {
            let share = writesPerAccount ?? max(1, connections / 8)
            return ConnectionLimits(
                waiting: waitingLimit, writesPerAccount: share, readsPerAccount: 2 * share, writesPerNetwork: 2 * share,
                readsPerNetwork: 4 * share, reserved: reservedConnections ?? connections / 4)
        }
    }

    /// While a migration waits for the lock of a table, every later statement on that table waits behind it. So a migration gives up after
    /// two seconds, and `Migrator` tries again.
    private static let lockTimeout = "SET LOCAL lock_timeout = 2000"

    /// PostgreSQL 13, the oldest version that was still maintained when this was written.
    private static let oldestServer = 130_000

    /// - Throws: `DatabaseError.unavailable` when PostgreSQL cannot be reached or has no connection left; `.wrongAddress` when no name
    ///   server knows the host, PostgreSQL refuses user, password or database, or the role lacks a right there; `.notDurable` when the
    ///   server's settings would lose acknowledged commits in a power failure.
    package static func open(_ address: PostgresAddress, clock: WallClock = .system, options: Options = Options()) async throws
        -> PostgresDatabase
    {
        try await blocking {
            var limits = PostgresConnection.Limits()
            limits.statement = options.statementTimeout
            limits.lock = options.lockTimeout
            limits.silence = options.silence
            limits.idleTransaction = options.idleTransaction
            let schema = try examine(PostgresConnection(address, limits, isFirst: true))
            let wakes = Wakes()
            let outage = PostgresOutage()
            let patientWrites = options.patientWrites ?? max(1, options.connections * 3 / 4)
            let lockWaits = LockWaits(limit: patientWrites, connections: options.connections)
            let workers = (0..<options.connections).map { _ in
                PostgresWorker(address, limits, schema: schema, outage: outage, lockWaits: lockWaits)
            }
            return PostgresDatabase(
                pool: PostgresPool(workers, options.poolLimits),
                // A call blocks a thread only while it has a connection. The other threads, one for each core, serve what needs none. They
                // are at least two, because the server's own jobs leave one to others.
                threads: DatabaseThreads("postgres", count: options.connections + max(2, ProcessInfo.processInfo.activeProcessorCount)),
                notifier: try PostgresNotifier(address, schema: schema, silence: options.silence, wakes),
                migrator: Migrator(clock: clock) { [lockTimeout] + $0.statements + $0.postgres }, wakes: wakes,
                lockTimeout: options.lockTimeout)
        }
    }

    /// - Returns: the schema that contains our tables.
    private static func examine(_ connection: PostgresConnection) throws -> String {
        guard connection.serverVersion >= oldestServer else {
            throw DatabaseError.unavailable("PostgreSQL 13 or later is required; this server is \(connection.serverVersion / 10_000)")
        }
        for (setting, wanted) in [("fsync", "on"), ("full_page_writes", "on"), ("synchronous_commit", "on")] {
            let answer = try text(connection, "SELECT current_setting(\(setting)) AS value") ?? "nothing"
            guard answer == wanted else { throw DatabaseError.notDurable("\(setting) is \(answer), not \(wanted)") }
        }
        let rights = PostgresRights { try text(connection, $0) }
        try rights.requireEncoding()
        return try rights.schema()
    }

    private static func text(_ connection: PostgresConnection, _ statement: SQL) throws -> String? {
        guard let value = try connection.execute(statement).rows().first?.values.first, case .text(let text) = value else { return nil }
        return text
    }
}
