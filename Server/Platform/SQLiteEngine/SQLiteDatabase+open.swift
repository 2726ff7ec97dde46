internal import CPageClearing
internal import CSQLiteOptions
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
    /// Options for tests; the server uses the defaults.
    package struct Options: Sendable {
        /// Number of concurrent reading connections, each on its own thread, 1...64; default one a core, at least 4. Further reads wait.
        package var readers = min(max(4, ProcessInfo.processInfo.activeProcessorCount), 64)
        /// How long to wait for another process that holds the database; default 10 s.
        package var busyTimeout = Duration.seconds(10)
        /// Maximum number of closures in one commit; default 64.
        package var batchLimit = 64
        /// No closure joins a batch that is older than this; default 5 ms.
        package var batchTime = Duration.milliseconds(5)
        /// Maximum number of waiting writes; default 4,096. The next one gets `DatabaseError.busy`.
        package var waitingLimit = 4096
        /// Allocates space for the log while the disk has room, see `LogReserve`; default false.
        package var reservesLog = false
        /// Length of the log, in pages of 4 KB, from which new reads wait for a moment so that SQLite can start it over; default 65,536
        /// (256 MB).
        package var heldLogPages = 65_536
        /// Receives the reason why the space for the log is not allocated, or `nil` once it is. Called only when this changes.
        package var reportLogReserve: @Sendable (String?) -> Void = { _ in }
        /// False disables the clearing of unused bytes in pages. Only for the test that must fail without it.
        package var clearsPages = true
        /// False disables the second run of a failed batch's closures. Only for the test that must fail without it.
        package var retriesAlone = true
        /// Statements that run after the protections were set and before they are read back. Only for the test of the read-back.
        package var tampering: [SQL] = []

        package init() {}
    }

    /// Opens the database at `path`, or creates it so that only this user can read it.
    ///
    /// - Throws: `DatabaseError.cannotCreate` when the file does not exist and cannot be created; `.notDurable` when SQLite does not
    ///   confirm one of four protections: a commit waits for the disk (`synchronous` 2), there is a write-ahead log, foreign keys are
    ///   enforced, and pages are cleared.
    package static func open(path: String, clock: WallClock = .system, options: Options = Options()) async throws -> SQLiteDatabase {
        try await blocking {
            try create(path)
            try confirm("the file system in front of SQLite's", clearing_register())
            var configuration = Configuration()
            configuration.label = "keepsake"
            configuration.foreignKeysEnabled = true
            configuration.busyMode = .timeout(options.busyTimeout / .seconds(1))
            // GRDB's pool is used for writing only; `SQLiteReaders` has its own connections.
            configuration.maximumReaderCount = 1
            configuration.publicStatementArguments = false
            configuration.prepareDatabase { connection in
                if let connection = connection.sqliteConnection { sqlite_options_keep_plans(connection) }
                // The schema of a file that was tampered with must not run functions.
                try connection.execute(sql: "PRAGMA trusted_schema = OFF")
                // Overwrite deleted rows instead of leaving them in free pages.
                try connection.execute(sql: "PRAGMA secure_delete = ON")
                // After this call, SQLite also clears the unused parts of pages, where rows that were moved to other pages leave copies.
                if options.clearsPages { try confirm("clearing of pages", clearing_enable(connection.sqliteConnection)) }
            }
            return try namingFile(path) {
                let pool = try DatabasePool(path: path, configuration: configuration)
                let usage = Usage()
                let upkeep = SQLiteUpkeep(path: path, configuration, options)
                let readers = SQLiteReaders(path: path, configuration)
                let log = LogCopying(pool, readers, upkeep, usage, heldPages: options.heldLogPages)
                try pool.writeWithoutTransaction { connection in
                    // Set this after the pool is open: opening it sets NORMAL, which can lose commits in a power failure.
                    try connection.execute(sql: "PRAGMA synchronous = FULL")
                    #if canImport(Darwin)
                        // On Darwin, fsync(2) leaves the bytes in the drive's cache.
                        try connection.execute(sql: "PRAGMA fullfsync = ON")
                    #endif
                    // Truncate the log to 64 MB after a long reader made it grow.
                    try connection.execute(sql: "PRAGMA journal_size_limit = 67108864")
                    // The pages that a rollback to a savepoint would restore stay in memory. Otherwise larger writes create a file in /var/tmp:
                    // its creation and deletion slow down every sync of the file system, and it holds copies of deleted rows.
                    try connection.execute(sql: "PRAGMA temp_store = MEMORY")
                    // This must precede the first use of an index, which fails when the index has too many levels.
                    try FTS5Structure.removeEmptyLevels(connection)
                    log.watch(connection)
                    for sql in options.tampering { try connection.execute(sql: sql.text { _ in "?" }) }
                    try confirm(connection, "synchronous", "2")
                    try confirm(connection, "journal_mode", "wal")
                    try confirm(connection, "foreign_keys", "1")
                }
                upkeep.reserve?.take()
                var limits = GroupCommit.Limits()
                limits.closures = options.batchLimit
                limits.time = options.batchTime
                limits.waiting = options.waitingLimit
                limits.retriesAlone = options.retriesAlone
                return SQLiteDatabase(
                    pool, readers, DatabaseThreads("read", count: options.readers), limits, upkeep, log, usage, clock: clock)
            }
        }
    }

    private static func namingFile<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do {
            return try mappingEngineErrors(body)
        } catch DatabaseError.engine(let code, let message) {
            throw DatabaseError.cannotOpen(path, code: code, message: message)
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

/// Creates an empty file that only its owner may read; SQLite would create it readable by everyone. The log and its index get the same
/// mode.
private func create(_ path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    let code = errno
    let parent = (path as NSString).deletingLastPathComponent
    guard file >= 0 else {
        let words = String(cString: strerror(code))
        switch code {
        case EEXIST:
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else { return }
            throw DatabaseError.cannotCreate(path: path, reason: "it is a folder")
        case ENOENT: throw DatabaseError.cannotCreate(path: path, reason: "there is no folder \(parent)")
        case ENOTDIR: throw DatabaseError.cannotCreate(path: path, reason: "\(parent) is not a folder, or is below a file")
        case EACCES, EPERM, EROFS, EISDIR, ELOOP, ENAMETOOLONG: throw DatabaseError.cannotCreate(path: path, reason: words)
        case ENOSPC, EDQUOT: throw DatabaseError.full
        default: throw DatabaseError.engine(code: Int(code), message: "cannot create the database \(path): \(words)")
        }
    }
    close(file)
    // The new name is durable only after its folder is synced.
    let folder = open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
        fsync(folder)
        close(folder)
    }
}
