internal import CPageClearing
package import Core
package import Database
internal import Foundation
internal import GRDB

// GRDB has types of the same names; an import of one declaration takes precedence.
package import enum Database.DatabaseError
package import struct Database.SQL

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension SQLiteDatabase {
    /// What tests turn; everybody else takes the defaults.
    package struct Options: Sendable {
        /// Connections that read at once, each on a thread of its own, 1...64; default one a core, at least 4. A further read waits.
        package var readers = min(max(4, ProcessInfo.processInfo.activeProcessorCount), 64)
        /// How long to wait for another process that holds the database; default 10 s.
        package var busyTimeout = Duration.seconds(10)
        /// Closures committed together; default 64.
        package var batchLimit = 64
        /// No closure joins a batch older than this; default 5 ms.
        package var batchTime = Duration.milliseconds(5)
        /// Writes waiting for their turn; default 4,096. The next hears `DatabaseError.busy`.
        package var waitingLimit = 4096
        /// Only for the test that must fail without it: pages are written without what their unused bytes still hold.
        package var clearsPages = true
        /// Only for the test that must fail without it: the second run of a failed batch's closures.
        package var retriesAlone = true
        /// Only for the test of the read-back: run after the protections were set, before they are read.
        package var tampering: [SQL] = []

        package init() {}
    }

    /// Opens the database at `path`, or makes it, readable by this user alone.
    ///
    /// - Throws: `DatabaseError.notDurable` when SQLite does not confirm that a commit waits for the disk (`synchronous` 2),
    ///   that it keeps a write-ahead log, that it enforces foreign keys, or that it clears pages.
    package static func open(path: String, clock: WallClock = .system, options: Options = Options()) async throws -> SQLiteDatabase {
        try await blocking {
            try create(path)
            try confirm("the file system in front of SQLite's", clearing_register())
            var configuration = Configuration()
            configuration.label = "keepsake"
            configuration.foreignKeysEnabled = true
            configuration.busyMode = .timeout(options.busyTimeout / .seconds(1))
            // Only what writes is GRDB's pool; reading has connections of its own.
            configuration.maximumReaderCount = 1
            configuration.publicStatementArguments = false
            configuration.prepareDatabase { connection in
                // A file that was tampered with must not run functions from its schema.
                try connection.execute(sql: "PRAGMA trusted_schema = OFF")
                // What is deleted is overwritten, not left in free pages.
                try connection.execute(sql: "PRAGMA secure_delete = ON")
                // Nor in the unused part of pages that rows were moved away from.
                if options.clearsPages { try confirm("clearing of pages", clearing_enable(connection.sqliteConnection)) }
            }
            return try mappingEngineErrors {
                let pool = try DatabasePool(path: path, configuration: configuration)
                try pool.writeWithoutTransaction { connection in
                    // After the pool is open: opening it sets NORMAL, which forgets commits in a power cut.
                    try connection.execute(sql: "PRAGMA synchronous = FULL")
                    #if canImport(Darwin)
                        // fsync(2) there leaves the bytes in the drive's own memory.
                        try connection.execute(sql: "PRAGMA fullfsync = ON")
                    #endif
                    // A log that one long reader made grow gives its room back.
                    try connection.execute(sql: "PRAGMA journal_size_limit = 67108864")
                    // Copied into the file every 16 MB of log: half as often costs half the syncs, and a start reads 16 MB at most.
                    try connection.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
                    for sql in options.tampering { try connection.execute(sql: sql.text { _ in "?" }) }
                    try confirm(connection, "synchronous", "2")
                    try confirm(connection, "journal_mode", "wal")
                    try confirm(connection, "foreign_keys", "1")
                }
                var limits = GroupCommit.Limits()
                limits.closures = options.batchLimit
                limits.time = options.batchTime
                limits.waiting = options.waitingLimit
                limits.retriesAlone = options.retriesAlone
                return SQLiteDatabase(
                    pool, SQLiteReaders(path: path, configuration), ReadThreads(count: options.readers), limits,
                    SQLiteUpkeep(path: path, configuration, options), clock: clock)
            }
        }
    }

    private static func confirm(_ protection: String, _ code: CInt) throws {
        guard code == 0 else { throw DatabaseError.notDurable("\(protection) answers \(code), not 0") }
    }

    private static func confirm(_ connection: GRDB.Database, _ pragma: String, _ expected: String) throws {
        let answer = try String.fetchOne(connection, sql: "PRAGMA \(pragma)") ?? "nothing"
        guard answer == expected else { throw DatabaseError.notDurable("\(pragma) is \(answer), not \(expected)") }
    }
}

/// Makes an empty file that only its owner may read: SQLite would make it readable by everyone. The log and its index copy its mode.
private func create(_ path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
        if errno == EEXIST { return }
        throw DatabaseError.engine(code: Int(errno), message: "cannot create the database: \(String(cString: strerror(errno)))")
    }
    close(file)
    // The name is durable once its folder is.
    let parent = (path as NSString).deletingLastPathComponent
    let folder = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
        fsync(folder)
        close(folder)
    }
}
