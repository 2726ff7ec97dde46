/// A row of one table. Its initializer is the only list of the table's columns. It yields the columns of SELECT, the code that reads a row
/// by position, and the INSERT:
///
///     extension SigningKey: TableRow {
///         static let table = Table<SigningKey>("signing_key")
///
///         init(_ row: inout RowReader, writing key: SigningKey?) throws {
///             kid = try row.next("kid", key?.kid)
///             createdAt = try row.next("created_at", key?.createdAt)
///         }
///     }
///
///     try tx.list("SELECT \(sql: SigningKey.table.columns) FROM signing_key ORDER BY kid", SigningKey.init)
///     try tx.run(SigningKey.table.insert(key))
package protocol TableRow: Sendable {
    static var table: Table<Self> { get }

    /// Calls `row.next` for each column, always for all of them and in the same order. It must not use `table`, because `table` calls it.
    /// - Parameter value: the row being written; `nil` while a row is read.
    /// - Throws: `DatabaseError.column` when a column holds a value of another type.
    init(_ row: inout RowReader, writing value: Self?) throws
}

extension TableRow {
    /// - Throws: `DatabaseError.column` when a column holds a value of another type.
    package init(_ row: inout RowReader) throws { try self.init(&row, writing: nil) }
}

/// A table and the columns that `Row` lists. Create it once, as a `static let`.
package struct Table<Row: TableRow>: Sendable {
    private let name: SQL
    /// For SELECT and RETURNING: `media.id, media.owner, …`, in the order in which `Row` reads them.
    package let columns: SQL
    /// `SELECT media.id, media.owner, … FROM media`
    package let select: SQL
    /// `INSERT INTO media (id, owner, …` without the closing parenthesis, so that more columns can follow.
    private let insertion: SQL
    private let writtenCount: Int

    package init(_ name: StaticString) {
        let record = ColumnRecord(of: Row.self, nil)
        let table = SQL(stringLiteral: name)
        self.name = table
        columns = SQL.series(record.read.map { "\(sql: table).\(sql: SQL(stringLiteral: $0))" }).joined()
        select = ("SELECT \(sql: columns) FROM \(sql: table)" as SQL).joined()
        insertion = ("INSERT INTO \(sql: table) (\(sql: .series(record.written.map { SQL(stringLiteral: $0) }))" as SQL).joined()
        writtenCount = record.written.count
    }

    /// - Parameter others: columns that `Row` does not have, and their values.
    package func insert(_ row: Row, with others: KeyValuePairs<StaticString, any SQLConvertible> = [:]) -> SQL {
        var head = insertion
        var values = values(of: row)
        for (name, value) in others {
            head = head + ", " + SQL(stringLiteral: name)
            values.append(value.sqlValue)
        }
        return "\(sql: head)) VALUES (\(sql: SQL(bound: values)))"
    }

    /// - Parameter rows: at least one.
    package func insert(_ rows: some Collection<Row>) -> SQL {
        precondition(!rows.isEmpty, "an INSERT needs at least one row")
        return insertion + ") VALUES " + .series(rows.map { "(\(sql: SQL(bound: values(of: $0))))" })
    }

    /// - Parameters:
    ///   - rows: at least one.
    ///   - column: a column that `Row` does not have.
    ///   - others: its values, one for each row.
    package func insert(_ rows: some Collection<Row>, with column: StaticString, _ others: [any SQLConvertible]) -> SQL {
        precondition(!rows.isEmpty && rows.count == others.count, "an INSERT needs at least one row, and a value for each")
        return insertion + ", " + SQL(stringLiteral: column) + ") VALUES "
            + .series(zip(rows, others).map { row, other in "(\(sql: SQL(bound: values(of: row) + [other.sqlValue])))" })
    }

    private func values(of row: Row) -> [SQLValue] {
        let values = ColumnRecord(of: Row.self, row).values
        assert(values.count == writtenCount, "\(Row.self) does not always list the same columns")
        return values
    }

    // MARK: Tables whose key is `id`

    /// The ids after `id`, ascending.
    package func ids(after id: String, limit: Int) -> SQL {
        "SELECT id FROM \(sql: name) WHERE id > \(id) ORDER BY id LIMIT \(limit)"
    }

    /// Deletes some rows of an owner: one step of a deletion, see `DeletionStep`.
    /// - Parameters:
    ///   - limit: maximum number of rows, 1 or more.
    ///   - rows: a SELECT of `id` and `row_bytes`, in the order of the deletion, of at most `limit` rows.
    /// - Returns: the number of rows that `rows` selected and that fit in one step; 0 when none is left.
    package func deleteSome(of owner: String, limit: Int, _ tx: WriteTransaction, _ rows: (_ limit: Int) -> SQL) throws -> Int {
        let ids = try tx.deletionStep(limit: limit, rows)
        for id in ids { try tx.send("DELETE FROM \(sql: name) WHERE id = \(id) AND owner = \(owner)") }
        return ids.count
    }
}
