internal import CPostgres
internal import Core
internal import Database
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One connection to the server, always in pipeline mode: it sends statements that need no response without waiting.
///
/// @unchecked: only one thread, its worker's, uses it at a time; `canceller` is libpq's object for cancelling from other threads.
final class PostgresConnection: @unchecked Sendable {
    struct Limits: Sendable {
        /// The server ends a statement that takes longer; default 30 s.
        var statement = Duration.seconds(30)
        /// The server stops waiting for a lock after this time; default 10 s.
        var lock = Duration.seconds(10)
        /// How long the client waits for a response beyond `statement` before it treats the connection as lost; default 5 s.
        var silence = Duration.seconds(5)
    }

    private let raw: OpaquePointer
    private let canceller: OpaquePointer?
    private let limits: Limits
    /// Number of statements sent whose responses are not yet read and not needed, each followed by a sync.
    private var unread = 0
    /// Names of the prepared statements, by text and types of values.
    private var prepared: [PostgresStatement.Shape: String] = [:]
    /// Maximum number of prepared statements of one connection; each takes some KB of the server's memory.
    private static let preparedLimit = 512
    private var parameters = PostgresParameters()
    private(set) var isLost = false

    /// - Throws: `DatabaseError.unavailable` with libpq's message, which never contains the password.
    init(_ address: PostgresAddress, _ limits: Limits) throws {
        guard let connection = address.connect() else { throw DatabaseError.unavailable("no memory for a connection") }
        guard PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            throw DatabaseError.unavailable(Self.words(PQerrorMessage(connection)))
        }
        raw = connection
        canceller = PQgetCancel(connection)
        self.limits = limits
        PQenterPipelineMode(connection)
        do {
            try set("statement_timeout", limits.statement)
            try set("lock_timeout", limits.lock)
            try set("idle_in_transaction_session_timeout", .seconds(60))
            // Independent of the server's default: the server acknowledges a commit only after it is on disk.
            _ = try execute("SET synchronous_commit = on")
            _ = try execute("SET default_transaction_isolation = 'read committed'")
            // JIT compilation takes longer than any statement here.
            _ = try execute("SET jit = off")
            // Plan each statement once for all values: our statements use the same index for any value. The default plans five times first.
            _ = try execute("SET plan_cache_mode = force_generic_plan")
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

    private func set(_ name: StaticString, _ time: Duration) throws {
        _ = try execute(PostgresStatement(text: "SET \(name) = \(time.wholeMilliseconds)", values: []))
    }

    /// Asks the server to cancel the running statement. Callable from any thread. Blocks until the request was sent.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(canceller, &message, CInt(message.count))
    }

    /// 150_018 means 15.18.
    var serverVersion: Int { Int(PQserverVersion(raw)) }

    // MARK: Statements

    /// Sends `first`, if any, and then `statement`, in one round trip, and waits for the result of `statement`.
    func execute(_ statement: PostgresStatement, after first: PostgresStatement? = nil) throws -> PostgresResult {
        var sent = 0
        if let first {
            try send(first)
            sent += 1
        }
        let shape = statement.shape
        var freshName: String?
        if let name = prepared[shape] {
            try send(statement, preparedAs: name)
        } else if shape.isWorthKeeping, prepared.count < Self.preparedLimit {
            let name = "s\(prepared.count + 1)"
            try check(PQsendPrepare(raw, name, shape.text, CInt(shape.kinds.count), shape.kinds.map(\.type)))
            freshName = name
            try send(statement, preparedAs: name)
            sent += 1
        } else {
            try send(statement)
        }
        sent += 1
        try check(PQpipelineSync(raw))
        try readUnread()

        var failure: (any Error)?
        var last: PostgresResult?
        for number in 1...sent {
            let result = try nextResult()
            if freshName != nil, number == sent - 1, result.isSuccess { prepared[shape] = freshName }
            if failure == nil, !result.isSuccess { failure = error(result, hidesWords: !statement.values.isEmpty) }
            last = result
            try endOfResults()
        }
        try readSync()
        if let failure { throw failure }
        guard let last else { throw DatabaseError.engine(code: 0, message: "no result") }
        return last
    }

    /// Sends `statement` without waiting. Its result is read and discarded before the next statement's result.
    func executeLater(_ statement: PostgresStatement) throws {
        try send(statement)
        try check(PQpipelineSync(raw))
        unread += 1
    }

    private func send(_ statement: PostgresStatement, preparedAs name: String? = nil) throws {
        try parameters.fill(statement.values)
        let sent = parameters.withPointers { values, lengths, formats in
            if let name {
                PQsendQueryPrepared(raw, name, CInt(statement.values.count), values, lengths, formats, 1)
            } else {
                PQsendQueryParams(
                    raw, statement.text, CInt(statement.values.count), statement.values.map(\.kind.type), values, lengths, formats, 1)
            }
        }
        try check(sent)
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
        return PostgresResult(result)
    }

    /// Waits on the socket with a deadline: a stopped server or a cut cable sends nothing at all.
    private func awaitAnswer() throws {
        guard PQisBusy(raw) == 1 else { return }
        // A migration may take hours; TCP timeouts still detect a dead peer.
        let deadline = isUnhurried ? nil : ContinuousClock.now + limits.statement + limits.silence
        while PQisBusy(raw) == 1 {
            var waiting = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
            var milliseconds: Int64 = -1
            if let deadline {
                milliseconds = max(0, (deadline - ContinuousClock.now).wholeMilliseconds)
            }
            let ready = poll(&waiting, 1, CInt(clamping: milliseconds))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw lost("the server does not answer") }
            guard PQconsumeInput(raw) == 1 else { throw lost(Self.words(PQerrorMessage(raw))) }
        }
    }

    /// True while a migration runs, which has no timeout.
    var isUnhurried = false

    private func check(_ code: CInt) throws {
        guard code == 1 else { throw lost(Self.words(PQerrorMessage(raw))) }
    }

    private func lost(_ words: String) -> DatabaseError {
        isLost = true
        return .unavailable(words)
    }

    private func error(_ result: PostgresResult, hidesWords: Bool) -> DatabaseError {
        let error = result.error(hidesWords: hidesWords)
        // The server sends such an error before it closes the connection.
        if case .unavailable = error { isLost = true }
        return error
    }

    /// Joins libpq's message into one line.
    static func words(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        let line = text.split(separator: "\n").joined(separator: "; ")
        return line.isEmpty ? "the connection was lost" : line
    }
}
