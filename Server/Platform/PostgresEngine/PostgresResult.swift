internal import CPostgres
internal import Database

/// PostgreSQL's result of one statement.
final class PostgresResult {
    fileprivate let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { PQclear(raw) }

    var status: ExecStatusType { PQresultStatus(raw) }

    var isSuccess: Bool { status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK }

    /// For example `COMMIT`. After COMMIT of a failed transaction it is `ROLLBACK`.
    var command: String { String(cString: PQcmdStatus(raw)) }

    /// Number of rows that INSERT, UPDATE or DELETE changed.
    var changedCount: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

    var message: String? { field("M") }

    /// - Parameter letter: one of libpq's PQ_DIAG_… constants.
    private func field(_ letter: Character) -> String? {
        PQresultErrorField(raw, CInt(letter.asciiValue ?? 0)).map { String(cString: $0) }
    }

    // MARK: Rows

    func rows() throws -> [Row] {
        let count = PQnfields(raw)
        let names = (0..<count).map { String(cString: PQfname(raw, $0)) }
        let types = (0..<count).map { PQftype(raw, $0) }
        return try (0..<PQntuples(raw)).map { row in
            Row(columns: names, values: try (0..<count).map { try value(row, $0, types[Int($0)], names) })
        }
    }

    private func value(_ row: CInt, _ column: CInt, _ type: Oid, _ names: [String]) throws -> SQLValue {
        guard PQgetisnull(raw, row, column) == 0 else { return .null }
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(raw, row, column), count: Int(PQgetlength(raw, row, column)))
        if let number = Self.integer(bytes, type) { return .integer(number) }
        switch type {
        case 701: return .real(Double(bitPattern: Self.word(bytes)))
        case _ where Self.isText(type): return .text(String(decoding: bytes, as: UTF8.self))
        case 17: return .bytes(Array(bytes))
        default:
            // The engines share no other types. An example is NUMERIC, the type of SUM of BIGINT: use CAST(… AS BIGINT).
            throw DatabaseError.column(names[Int(column)])
        }
    }

    /// BIGINT, INTEGER, SMALLINT, BOOLEAN; `nil` for every other type.
    fileprivate static func integer(_ bytes: UnsafeRawBufferPointer, _ type: Oid) -> Int64? {
        switch type {
        case 20: Int64(bitPattern: word(bytes))
        case 23: Int64(Int32(truncatingIfNeeded: word(bytes)))
        case 21: Int64(Int16(truncatingIfNeeded: word(bytes)))
        case 16: bytes.first == 1 ? 1 : 0
        default: nil
        }
    }

    /// TEXT, VARCHAR, NAME, and a literal of unknown type.
    fileprivate static func isText(_ type: Oid) -> Bool {
        switch type {
        case 25, 1043, 19, 705: true
        default: false
        }
    }

    /// Reads at most eight bytes, big-endian.
    fileprivate static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    // MARK: Errors

    /// Maps PostgreSQL's SQLSTATE (its manual lists the codes in appendix A).
    /// - Parameter hidesWords: whether the statement had bound values, which PostgreSQL's message may quote.
    func error(hidesWords: Bool) -> DatabaseError {
        guard let state = field("C") else { return .unavailable(message ?? "the connection was lost") }
        switch state {
        case "23505": return .uniqueViolation(constraint: keyColumns ?? field("n") ?? "")
        case "23503": return .foreignKeyViolation
        case "23514": return .checkViolation(constraint: field("n") ?? "")
        // disk_full
        case "53100": return .full
        // lock_not_available, query_canceled (a timeout; a cancelled read checks its task first)
        case "55P03", "57014": return .busy
        // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections, idle_in_transaction_session_timeout, and
        // read_only_sql_transaction: the server became a standby, and another server accepts writes now
        case "57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25006": return .unavailable(message ?? state)
        case _ where state.hasPrefix("08"): return .unavailable(message ?? state)
        default:
            return .engine(code: Self.number(state), message: hidesWords ? "SQLSTATE \(state)" : "SQLSTATE \(state): \(message ?? "")")
        }
    }

    /// Whether the statement failed because a lock was not free in time: lock_not_available.
    var isLockTaken: Bool { field("C") == "55P03" }

    /// The unique key in SQLite's form: `table.column, table.column`. PostgreSQL names the columns only in the message's detail,
    /// `Key (a, b)=(1, 2) already exists.`. Its words depend on PostgreSQL's language, but its parentheses do not.
    private var keyColumns: String? {
        guard let table = field("t"), let detail = field("D"), let open = detail.firstIndex(of: "("),
            let close = detail.firstRange(of: ")=(")?.lowerBound
        else { return nil }
        return detail[detail.index(after: open)..<close].split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// Encodes a SQLSTATE, which is five letters or digits, as a number in base 36.
    static func number(_ state: String) -> Int { Int(state, radix: 36) ?? 0 }
}

/// Reads a result's rows one after the other.
final class PostgresRows: RowSource {
    private let result: PostgresResult
    private let types: [Oid]
    private let count: CInt
    private var row: CInt = -1

    init(_ result: PostgresResult) {
        self.result = result
        types = (0..<PQnfields(result.raw)).map { PQftype(result.raw, $0) }
        count = PQntuples(result.raw)
    }

    /// Moves to the first row, then to the next. Returns false after the last row.
    func advance() -> Bool {
        row += 1
        return row < count
    }

    func name(_ column: Int) -> String { PQfname(result.raw, CInt(column)).map { String(cString: $0) } ?? "" }

    func isNull(_ column: Int) -> Bool { PQgetisnull(result.raw, row, CInt(column)) != 0 }

    func text(_ column: Int) -> String? {
        guard column < types.count, PostgresResult.isText(types[column]), !isNull(column) else { return nil }
        return String(decoding: bytes(column), as: UTF8.self)
    }

    func withText(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Bool {
        guard column < types.count, PostgresResult.isText(types[column]), !isNull(column) else { return false }
        try body(bytes(column).bindMemory(to: UInt8.self))
        return true
    }

    func integer(_ column: Int) -> Int64? {
        guard column < types.count, !isNull(column) else { return nil }
        return PostgresResult.integer(bytes(column), types[column])
    }

    func data(_ column: Int) -> [UInt8]? {
        // BYTEA
        guard column < types.count, types[column] == 17, !isNull(column) else { return nil }
        return Array(bytes(column))
    }

    private func bytes(_ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result.raw, row, CInt(column)), count: Int(PQgetlength(result.raw, row, CInt(column))))
    }
}

extension DatabaseError {
    /// Whether PostgreSQL aborted this transaction because of a conflict with another: serialization_failure or deadlock_detected.
    var isConflict: Bool {
        guard case .engine(let code, _) = self else { return false }
        return code == PostgresResult.number("40001") || code == PostgresResult.number("40P01")
    }
}
