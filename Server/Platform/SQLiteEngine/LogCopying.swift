internal import Core
internal import Database
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies the write-ahead log into the database file (a checkpoint) while writes continue.
///
/// SQLite's automatic checkpoint runs inside the commit that makes the log too long. All waiting writes would wait with it until thousands
/// of scattered pages are written and synced.
final class LogCopying: Sendable {
    /// Copying starts when the log has this many pages: 16 MB. A short log matters because recovery reads the log after a crash.
    static let startPages = 4_000
    /// When the log has this many pages, 64 MB, a commit copies it and the writes behind it wait. Most of it has been copied before.
    private static let mostPages = 16_000
    /// The log must grow by this many pages before the next attempt. Without this, a reader of an old snapshot, which keeps the log from
    /// being emptied, would cause one attempt after the other.
    private static let stepPages = 1_000
    /// Readers that overlap without a gap, each with a snapshot of its own, keep the log from starting over, and it would grow until the
    /// disk is full. When the log has this many pages, new reads wait until those that run have ended, and `SQLiteReaders` stops reads that
    /// take about a second or more. If the log does not start over, for example because another process reads, reads wait again when the
    /// log's length has doubled.
    private let heldPages: Int

    /// How often commits check whether the space of the log is still reserved: a disk that was full may have room again.
    private static let reservePeriod = Duration.seconds(60)

    private struct State {
        var pages = 0
        /// The length of the log at which the next attempt starts.
        var next = LogCopying.startPages
        /// The length at which reads wait next.
        var nextHold: Int
        var isRunning = false
        var reservedAt = ContinuousClock.now
    }
    private let state: Mutex<State>
    private let pool: DatabasePool
    private let readers: SQLiteReaders
    private let upkeep: SQLiteUpkeep
    private let usage: Usage

    init(_ pool: DatabasePool, _ readers: SQLiteReaders, _ upkeep: SQLiteUpkeep, _ usage: Usage, heldPages: Int) {
        self.pool = pool
        self.readers = readers
        self.heldPages = heldPages
        state = Mutex(State(nextHold: heldPages))
        self.upkeep = upkeep
        self.usage = usage
    }

    /// Replaces SQLite's automatic checkpoint. The caller keeps `self` alive until the connection is closed.
    func watch(_ writer: GRDB.Database) {
        // SQLite reports an error of this hook as an error of the statement, although the commit has succeeded. So the hook returns none.
        _ = sqlite3_wal_hook(
            writer.sqliteConnection,
            { log, connection, _, pages in
                guard let log else { return SQLITE_OK }
                Unmanaged<LogCopying>.fromOpaque(log).takeUnretainedValue().committed(pages: Int(pages), on: connection)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// What must be done after a commit.
    private struct Steps {
        var copiesNow = false
        var startsCopying = false
        /// Whether reads wait for the end of the copying that starts.
        var holdsReads = false
    }

    /// Called on the writer's thread after each commit.
    private func committed(pages: Int, on connection: OpaquePointer?) {
        let (next, mayReserve) = state.withLock { state in
            let mayReserve = ContinuousClock.now - state.reservedAt > Self.reservePeriod
            if mayReserve { state.reservedAt = .now }
            return (steps(after: pages, &state), mayReserve)
        }
        if mayReserve { upkeep.reserve?.take() }
        if next.copiesNow { _ = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
        if next.startsCopying { Task { await copy(holdsReads: next.holdsReads) } }
    }

    private func steps(after pages: Int, _ state: inout State) -> Steps {
        // The log has started over.
        if pages < state.pages { (state.next, state.nextHold) = (Self.startPages, heldPages) }
        state.pages = pages
        var steps = Steps()
        guard pages >= state.next else { return steps }
        if pages >= Self.mostPages {
            steps.copiesNow = true
            state.next = pages + Self.stepPages
        }
        let holdsReads = pages >= state.nextHold
        // A commit that copies the log needs no other copying, except to hold reads.
        guard !state.isRunning, holdsReads || !steps.copiesNow else { return steps }
        state.isRunning = true
        steps.startsCopying = true
        steps.holdsReads = holdsReads
        if holdsReads { state.nextHold = 2 * pages }
        return steps
    }

    /// Copies the log. An error, such as a full disk, leaves the log as it is. The next attempt follows when the log has grown.
    private func copy(holdsReads: Bool) async {
        try? await usage.run { [pool, readers, upkeep] in
            try await upkeep.copyLog()
            // This also copies what was committed meanwhile: SQLite starts the log over only when all of it has been copied.
            try await blocking {
                guard holdsReads else {
                    try pool.writeWithoutTransaction { _ = try GRDB.Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
                    return
                }
                // Take the connection before reads are held: it may have to wait for a write of another process, and reads must not.
                try pool.writeWithoutTransaction { connection in
                    try readers.holding {
                        try connection.execute(sql: "PRAGMA busy_timeout = 100")
                        defer { try? connection.execute(sql: "PRAGMA busy_timeout = \(upkeep.busyTimeout.wholeMilliseconds)") }
                        _ = try GRDB.Row.fetchOne(connection, sql: "PRAGMA wal_checkpoint(RESTART)")
                    }
                }
            }
        }
        state.withLock { state in
            state.isRunning = false
            state.next = max(Self.startPages, state.pages + Self.stepPages)
        }
    }
}
