internal import CPostgres
internal import Database

/// What the server answered to one statement.
final class PostgresResult {
    fileprivate let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { PQclear(raw) }

    var status: ExecStatusType { PQresultStatus(raw) }

    var isSuccess: Bool { status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK }

    /// For example `COMMIT`; a transaction that had failed answers COMMIT with `ROLLBACK`.
    var command: String { String(cString: PQcmdStatus(raw)) }

    /// Rows that INSERT, UPDATE or DELETE changed.
    var changedCount: Int { Int(String(cString: PQcmdTuples(raw))) ?? 0 }

    var message: String? { field("M") }

    /// PQ_DIAG_…, each a letter.
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
            // NUMERIC, for one: SUM of BIGINT. The subset that both engines share has CAST(… AS BIGINT) for it.
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

    /// TEXT, VARCHAR, NAME, and a literal that the server knows no type for.
    fileprivate static func isText(_ type: Oid) -> Bool {
        switch type {
        case 25, 1043, 19, 705: true
        default: false
        }
    }

    /// At most eight bytes, the first the most significant.
    fileprivate static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    // MARK: Errors

    /// The server's word in ours (appendix A of its manual lists the codes).
    /// - Parameter hidesWords: values were bound, and the server may quote them.
    func error(hidesWords: Bool) -> DatabaseError {
        guard let state = field("C") else { return .unavailable(message ?? "the connection was lost") }
        switch state {
        case "23505": return .uniqueViolation(constraint: keyColumns ?? field("n") ?? "")
        case "23503": return .foreignKeyViolation
        case "23514": return .checkViolation(constraint: field("n") ?? "")
        // disk_full; configuration limits such as a table space's are none of ours
        case "53100": return .full
        // lock_not_available, query_canceled (a time-out; a cancelled read looks at its task first)
        case "55P03", "57014": return .busy
        // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections, idle_in_transaction_session_timeout,
        // and a server that turned into a stand-by: somebody else writes now
        case "57P01", "57P02", "57P03", "57P05", "53300", "25P03", "25006": return .unavailable(message ?? state)
        case _ where state.hasPrefix("08"): return .unavailable(message ?? state)
        default:
            return .engine(code: Self.number(state), message: hidesWords ? "SQLSTATE \(state)" : "SQLSTATE \(state): \(message ?? "")")
        }
    }

    /// As SQLite names a unique key: `table.column, table.column`. The server says it only in a sentence with the values,
    /// `Key (a, b)=(1, 2) already exists.`, whose words depend on its language but whose brackets don't.
    private var keyColumns: String? {
        guard let table = field("t"), let detail = field("D"), let open = detail.firstIndex(of: "("),
            let close = detail.firstRange(of: ")=(")?.lowerBound
        else { return nil }
        return detail[detail.index(after: open)..<close].split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// SQLSTATE is five letters or digits: a number in base 36.
    static func number(_ state: String) -> Int { Int(state, radix: 36) ?? 0 }
}

/// An answer's rows, one after the other.
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

    /// To the first row, then to the next. False behind the last.
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
    /// Two transactions stood in each other's way, and this one was chosen to give way: serialization_failure, deadlock_detected.
    var isConflict: Bool {
        guard case .engine(let code, _) = self else { return false }
        return code == PostgresResult.number("40001") || code == PostgresResult.number("40P01")
    }
}
