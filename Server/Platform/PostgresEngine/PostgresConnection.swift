internal import CPostgres
internal import Core
internal import Database
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One connection to PostgreSQL, always in pipeline mode: it sends statements that need no response without waiting.
///
/// @unchecked: only one thread at a time uses it, which is that of the call that took its worker. `canceller` is libpq's object for
/// cancelling from other threads.
final class PostgresConnection: @unchecked Sendable {
    struct Limits: Sendable {
        /// PostgreSQL ends a statement that takes longer; default 30 s.
        var statement = Duration.seconds(30)
        /// PostgreSQL stops waiting for a lock after this time; default 10 s.
        var lock = Duration.seconds(10)
        /// PostgreSQL ends a transaction that sends nothing for this time; default 20 s. Otherwise a node that hangs in a transaction would
        /// hold its locks for as long as it hangs.
        var idleTransaction = Duration.seconds(20)
        /// The client treats the connection as lost when no response comes within this time plus `statement` for each statement that it
        /// sent; default 5 s.
        var silence = Duration.seconds(5)
    }

    private let raw: OpaquePointer
    private let canceller: OpaquePointer?
    private let limits: Limits
    /// Number of sent statements whose responses are not needed and not yet read. A sync follows each of these statements.
    private var unread = 0
    private var prepared = PreparedStatements(limit: 512)
    private var parameters = PostgresParameters()
    private(set) var isLost = false
    /// Whether a long value was sent or received. libpq's buffers have grown for it, up to twice its size each.
    private(set) var hasLargeBuffers = false
    private static let largeByteCount = 262_144
    /// How long PostgreSQL may work on what was sent.
    private var patience: Duration

    /// - Parameter isFirst: whether the database is being opened. On a later connection, a refused password counts as an outage, not as a
    ///   wrong address.
    /// - Throws: `DatabaseError.unavailable` with libpq's message, which never contains the password; `.wrongAddress` if `isFirst` and the
    ///   address is wrong.
    init(_ address: PostgresAddress, _ limits: Limits, isFirst: Bool = false) throws {
        guard let connection = address.connect() else { throw DatabaseError.unavailable("no memory for a connection") }
        guard PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            let reason = PostgresFault.explain(Self.words(PQerrorMessage(connection)))
            guard isFirst, PostgresFault.isWrongAddress(String(cString: PQerrorMessage(connection))) else {
                throw DatabaseError.unavailable(reason)
            }
            throw DatabaseError.wrongAddress(reason)
        }
        raw = connection
        canceller = PQgetCancel(connection)
        self.limits = limits
        patience = limits.statement
        PQenterPipelineMode(connection)
        do {
            let settings = [
                // The name contains the schema, so that a command sees whether servers use this installation or another one in the same
                // database.
                "SELECT set_config('application_name', \(address.applicationName) || ':' || current_schema(), false)",
                Self.setting("statement_timeout", "\(limits.statement.wholeMilliseconds)"),
                Self.setting("lock_timeout", "\(limits.lock.wholeMilliseconds)"),
                Self.setting("idle_in_transaction_session_timeout", "\(limits.idleTransaction.wholeMilliseconds)"),
                // PostgreSQL acknowledges a commit only after it is on disk, whatever its default is.
                Self.setting("synchronous_commit", "on"),
                Self.setting("default_transaction_isolation", "read committed"),
                // JIT compilation takes longer than any statement here.
                Self.setting("jit", "off"),
                // Plan each statement once for all values: our statements use the same index for any value. The default plans five times
                // first.
                Self.setting("plan_cache_mode", "force_generic_plan"),
            ]
            if let failure = try execute(settings).failure { throw failure }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private var isClosed = false
    private func close() {
        guard !isClosed else { return }
        isClosed = true
        PQfreeCancel(canceller)
        PQfinish(raw)
    }

    /// A statement that sets a variable of the session.
    private static func setting(_ name: String, _ value: String) -> SQL { "SELECT set_config(\(name), \(value), false)" }

    /// Asks PostgreSQL to cancel the running statement. Callable from any thread. Blocks until the request was sent.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(canceller, &message, CInt(message.count))
    }

    /// When a server that does not answer has been silent for too long.
    var silenceEnd: DispatchTime { .now() + .milliseconds(Int(limits.silence.wholeMilliseconds)) }

    /// Makes the connection count as lost, so that another one replaces it.
    func giveUp() { isLost = true }

    /// 150_018 means 15.18.
    var serverVersion: Int { Int(PQserverVersion(raw)) }

    // MARK: Statements

    /// PostgreSQL's results of statements that were sent together.
    struct Results {
        /// One for each statement, up to the first that failed.
        var results: [PostgresResult] = []
        /// The error of the first statement that failed. PostgreSQL did not run the statements after it.
        var failure: DatabaseError?
        /// Whether that statement failed because a lock was not free in time.
        var isLockTaken = false
    }

    /// Sends one statement and waits for its result.
    func execute(_ statement: SQL) throws -> PostgresResult {
        let answer = try execute(CollectionOfOne(statement))
        if let failure = answer.failure { throw failure }
        guard let result = answer.results.last else { throw DatabaseError.engine(code: 0, message: "no result") }
        return result
    }

    /// Sends `statements` together and waits for their results: one round trip.
    ///
    /// The only sync follows the last statement, so when a statement fails, PostgreSQL skips all that follow it. After a BEGIN that failed,
    /// no statement runs outside of a transaction. After a later failure, COMMIT does not run.
    /// - Throws: when a value cannot be sent, and then nothing was sent; or when the connection was lost. Errors of the statements are not
    ///   thrown but are in the result, and then PostgreSQL has answered everything that was sent.
    func execute(_ statements: some Collection<SQL>) throws -> Results {
        for statement in statements { try PostgresParameters.check(statement.values) }
        var sent: [Sent] = []
        sent.reserveCapacity(statements.count + 1)
        for statement in statements { try send(statement, &sent) }
        try check(PQpipelineSync(raw))
        // PostgreSQL may keep the first result back until it has run the last statement. BEGIN takes no time.
        patience = limits.statement * max(1, statements.count - 1)
        defer { patience = limits.statement }
        try readUnread()

        var answer = Results()
        for step in sent {
            let result = try nextResult()
            try endOfResults()
            switch step {
            case .preparation(let preparation):
                // Without success, the preparation failed, or PostgreSQL skipped it after a failure.
                if !result.isSuccess { prepared.remove(preparation) }
                if answer.failure == nil, !result.isSuccess {
                    answer.failure = error(result, hidesWords: !preparation.shape.kinds.isEmpty)
                }
            case .statement(let hidesWords):
                guard answer.failure == nil else { continue }
                if result.isSuccess {
                    answer.results.append(result)
                } else {
                    answer.failure = error(result, hidesWords: hidesWords)
                    answer.isLockTaken = result.isLockTaken
                }
            }
        }
        try readSync()
        // Statements are released only after success: after a failure PostgreSQL ignores statements until ROLLBACK. If the connection
        // breaks here, the statements above have their results, and the next call finds out.
        if answer.failure == nil { for release in prepared.takeReleases() { try? sendLater(release) } }
        return answer
    }

    /// Sends `statement` without waiting. Its result is read and discarded before the next statement's result.
    func executeLater(_ statement: SQL) throws {
        parameters.fill(statement.values)
        try sendUnprepared(statement)
        try check(PQpipelineSync(raw))
        unread += 1
    }

    /// Sends a text without values as `executeLater` does.
    private func sendLater(_ text: String) throws {
        try check(PQsendQueryParams(raw, text, 0, nil, nil, nil, nil, 1))
        try check(PQpipelineSync(raw))
        unread += 1
    }

    /// Detects without waiting that PostgreSQL has closed the connection, if its FIN has arrived.
    /// - Throws: `DatabaseError.unavailable`; nothing was sent then.
    func checkOpen() throws {
        var waiting = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
        // This polls more than once: PostgreSQL may send a message before it closes the connection.
        while poll(&waiting, 1, 0) > 0 {
            guard PQconsumeInput(raw) == 1, PQstatus(raw) == CONNECTION_OK else { throw lost(Self.words(PQerrorMessage(raw))) }
        }
        try readUnread()
    }

    /// A step of a pipeline, to which PostgreSQL returns one result.
    private enum Sent {
        case preparation(PreparedStatements.Preparation)
        case statement(hidesWords: Bool)
    }

    /// Puts the statement into libpq's buffer, after its preparation if it is new.
    private func send(_ statement: SQL, _ sent: inout [Sent]) throws {
        parameters.fill(statement.values)
        let shape = PostgresShape(pieces: statement.pieces, kinds: parameters.kinds)
        let isShort = shape.kinds.count <= PreparedStatements.mostValues
        if isShort, let name = prepared.name(of: shape) {
            try sendPrepared(name)
        } else if isShort, statement.isWorthPreparing {
            // The statement counts as prepared from now on, because it may follow again in this pipeline.
            let new = prepared.add(shape)
            let types = new.shape.kinds.map(\.type)
            try check(PQsendPrepare(raw, new.name, statement.postgresText, CInt(types.count), types))
            sent.append(.preparation(new))
            try sendPrepared(new.name)
        } else {
            try sendUnprepared(statement)
        }
        sent.append(.statement(hidesWords: !statement.values.isEmpty))
    }

    private func sendPrepared(_ name: PreparedStatements.Name) throws {
        noteSize(parameters.byteCount)
        try check(
            parameters.withPointers { values, lengths, formats in
                PQsendQueryPrepared(raw, name, CInt(values.count), values, lengths, formats, 1)
            })
    }

    private func sendUnprepared(_ statement: SQL) throws {
        noteSize(parameters.byteCount)
        let types = parameters.kinds.map(\.type)
        try check(
            parameters.withPointers { values, lengths, formats in
                PQsendQueryParams(raw, statement.postgresText, CInt(values.count), types, values, lengths, formats, 1)
            })
    }

    // MARK: Responses

    private func readUnread() throws {
        while unread > 0 {
            unread -= 1
            _ = try nextResult()
            try endOfResults()
            try readSync()
        }
    }

    private func readSync() throws {
        guard try nextResult().status == PGRES_PIPELINE_SYNC else { throw lost("the server's responses are out of order") }
    }

    private func endOfResults() throws {
        try awaitAnswer()
        guard PQgetResult(raw) == nil else { throw lost("the server's responses are out of order") }
    }

    private func nextResult() throws -> PostgresResult {
        try awaitAnswer()
        guard let result = PQgetResult(raw) else { throw lost(Self.words(PQerrorMessage(raw))) }
        guard PQstatus(raw) == CONNECTION_OK else {
            let answer = PostgresResult(result)
            throw lost(answer.message ?? "the connection was lost")
        }
        noteSize(PQresultMemorySize(result))
        return PostgresResult(result)
    }

    private func noteSize(_ byteCount: Int) {
        if byteCount >= Self.largeByteCount { hasLargeBuffers = true }
    }

    /// Waits on the socket with a deadline: a stopped server or a cut cable sends nothing at all.
    private func awaitAnswer() throws {
        guard PQisBusy(raw) == 1 else { return }
        // A migration may take hours; TCP timeouts still detect a dead peer.
        let deadline = hasNoTimeouts ? nil : ContinuousClock.now + patience + limits.silence
        while PQisBusy(raw) == 1 {
            var waiting = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
            var milliseconds: Int64 = -1
            if let deadline {
                milliseconds = max(0, (deadline - ContinuousClock.now).wholeMilliseconds)
            }
            let ready = poll(&waiting, 1, CInt(clamping: milliseconds))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw lost("the server does not answer") }
            guard PQconsumeInput(raw) == 1 else { throw lost(breakage) }
        }
    }

    /// True while a migration runs, which has no timeout.
    var hasNoTimeouts = false

    private func check(_ code: CInt) throws {
        guard code == 1 else { throw lost(breakage) }
    }

    /// Why the connection broke.
    private var breakage: String { "the connection to the PostgreSQL server broke (\(Self.words(PQerrorMessage(raw))))" }

    private func lost(_ words: String) -> DatabaseError {
        isLost = true
        return .unavailable(words)
    }

    private func error(_ result: PostgresResult, hidesWords: Bool) -> DatabaseError {
        let error = result.error(hidesWords: hidesWords)
        // PostgreSQL sends such an error before it closes the connection.
        if case .unavailable = error { isLost = true }
        return error
    }

    /// Joins libpq's message into one line.
    static func words(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        let line = text.split(separator: "\n").map { $0.drop { $0 == "\t" || $0 == " " } }.joined(separator: "; ")
        return line.isEmpty ? "the connection was lost" : line
    }
}
