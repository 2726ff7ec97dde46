internal import CPostgres
internal import Core
internal import Database
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One connection to the server, always in pipeline mode: what need not wait for an answer does not.
///
/// @unchecked: used by one thread at a time, its worker's; `canceller` is libpq's own means for other threads.
final class PostgresConnection: @unchecked Sendable {
    struct Limits: Sendable {
        /// The server ends a statement that takes longer; default 30 s.
        var statement = Duration.seconds(30)
        /// The server gives up waiting for a lock; default 10 s.
        var lock = Duration.seconds(10)
        /// How long this side waits for an answer beyond `statement` before it takes the server for lost; default 5 s.
        var silence = Duration.seconds(5)
    }

    private let raw: OpaquePointer
    private let canceller: OpaquePointer?
    private let limits: Limits
    /// Statements sent whose answers nobody waits for, each followed by a sync.
    private var unread = 0
    /// What is prepared here, by its text and the kinds of its values.
    private var prepared: [PostgresStatement.Shape: String] = [:]
    /// Texts kept prepared, a connection; each takes some KB of the server's memory.
    private static let preparedLimit = 512
    private var parameters = PostgresParameters()
    private(set) var isLost = false

    /// - Throws: `DatabaseError.unavailable` with what libpq said, which never quotes the password.
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
            // Whatever the server's default: an answer means that the disk has it.
            _ = try execute("SET synchronous_commit = on")
            _ = try execute("SET default_transaction_isolation = 'read committed'")
            // Compiling costs more than any statement here runs for.
            _ = try execute("SET jit = off")
            // A plan made once for all values, instead of five times and then perhaps: our statements want the same index for any value.
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

    /// From any thread: asks the server to stop what this connection runs. Blocks for a moment.
    func cancel() {
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(canceller, &message, CInt(message.count))
    }

    /// 150_018 is 15.18.
    var serverVersion: Int { Int(PQserverVersion(raw)) }

    // MARK: Statements

    /// Sends `first`, if any, and then `statement`, in one round trip, and waits for the answer to `statement`.
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

    /// Sends `statement` and waits for nothing: its answer is read, and thrown away, before the next one's.
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

    // MARK: Answers

    private func readUnread() throws {
        while unread > 0 {
            unread -= 1
            _ = try nextResult()
            try endOfResults()
            try readSync()
        }
    }

    private func readSync() throws {
        guard try nextResult().status == PGRES_PIPELINE_SYNC else { throw lost("the answers are out of step") }
    }

    private func endOfResults() throws {
        try awaitAnswer()
        guard PQgetResult(raw) == nil else { throw lost("the answers are out of step") }
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

    /// Waits on the socket with a deadline: a server that is stopped, or a cable that is cut, answers nothing at all.
    private func awaitAnswer() throws {
        guard PQisBusy(raw) == 1 else { return }
        // A migration may take hours; the network's own time-outs still find a dead peer.
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

    /// Set while a migration runs, which no clock stops.
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
        // The server says good-bye before it hangs up.
        if case .unavailable = error { isLost = true }
        return error
    }

    /// One line of libpq's, without the line end.
    static func words(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        let line = text.split(separator: "\n").joined(separator: "; ")
        return line.isEmpty ? "the connection was lost" : line
    }
}
