/// A table whose rows belong to accounts: how to find an account's rows, what its owner may export, and how the rows are deleted with the
/// account. A test fails when such a table is not registered, or when one of its columns is missing here.
package struct PersonalTable: Sendable {
    /// How a row names its owner.
    package enum Owner: Sendable {
        /// A column holds the account's id.
        case column(StaticString)
        /// A column is the `key` of a row of another table, whose column `owner` holds the account's id.
        case row(StaticString, of: StaticString, key: StaticString, owner: StaticString)
        /// A column holds one of the texts that the closure derives from the account's id; at least one.
        case texts(StaticString, @Sendable (_ account: String) -> [String])
    }

    /// How an account's rows are deleted.
    package enum Ending: Sendable {
        /// By statements that delete a limited number of rows each. The write that deletes the account also deletes rows that were inserted
        /// meanwhile.
        case statement
        /// By the feature's `erase`, a limited number of rows at a time: an account may have many.
        case batches
        /// By ON DELETE CASCADE, with the rows of that table.
        case cascade(from: StaticString)
        /// After all other tables.
        case last
    }

    package struct Column: Sendable {
        package enum Form: Sendable {
            case plain
            /// Microseconds since 1970.
            case time
            /// 0 or 1.
            case flag
            /// JSON, opaque to SQL.
            case json
            case bytes
            /// Not exported, not even to the owner: a secret, an internal key, or a copy of another column.
            case withheld
        }

        package let name: String
        package let form: Form
        let sql: SQL

        private init(_ name: StaticString, _ form: Form) {
            self.name = "\(name)"
            self.form = form
            sql = SQL(stringLiteral: name)
        }

        package static func plain(_ name: StaticString) -> Column { Column(name, .plain) }
        package static func time(_ name: StaticString) -> Column { Column(name, .time) }
        package static func flag(_ name: StaticString) -> Column { Column(name, .flag) }
        package static func json(_ name: StaticString) -> Column { Column(name, .json) }
        package static func bytes(_ name: StaticString) -> Column { Column(name, .bytes) }
        package static func withheld(_ name: StaticString) -> Column { Column(name, .withheld) }
    }

    package let name: String
    package let owner: Owner
    package let columns: [Column]
    package let ending: Ending
    private let sql: SQL
    private let order: [Column]
    private let keyset: Keyset

    /// - Parameters:
    ///   - order: columns that are unique among an account's rows, in the order of an index that begins with the owner.
    ///   - columns: all columns of the table.
    package init(_ name: StaticString, owner: Owner, order: [StaticString], columns: [Column], ending: Ending) {
        self.name = "\(name)"
        self.owner = owner
        self.columns = columns
        self.ending = ending
        sql = SQL(stringLiteral: name)
        self.order = order.map { Column.plain($0) }
        keyset = Keyset(.ascending, order)
    }

    /// The position after the last row of a page.
    package struct Position: Sendable {
        fileprivate let values: [SQLValue]
    }

    /// A statement that selects at most `count` of an account's rows after `position`.
    package func page(_ account: String, after position: Position?, count: Int) -> SQL {
        let shown = columns.filter { $0.form != .withheld }
        let selected = shown + order.filter { column in !shown.contains { $0.name == column.name } }
        return """
            SELECT \(sql: .series(selected.map(\.sql))) FROM \(sql: sql)
            WHERE \(sql: isOf(account))\(sql: keyset.page(after: position.map { SQL(bound: $0.values) }, limit: count))
            """
    }

    package func position(of row: Row) throws -> Position { Position(values: try order.map { try row.get($0.name) }) }

    package func deletion(_ account: String) -> SQL { "DELETE FROM \(sql: sql) WHERE \(sql: isOf(account))" }

    /// Deletes at most `limit` of an account's rows.
    package func deletion(_ account: String, limit: Int) -> SQL {
        let columns = SQL.series(order.map(\.sql))
        return """
            DELETE FROM \(sql: sql) WHERE \(sql: isOf(account)) AND (\(sql: columns)) IN (
                SELECT \(sql: columns) FROM \(sql: sql) WHERE \(sql: isOf(account))
                ORDER BY \(sql: columns) LIMIT \(limit))
            """
    }

    private func isOf(_ account: String) -> SQL {
        switch owner {
        case .column(let column): "\(sql: SQL(stringLiteral: column)) = \(account)"
        case .row(let column, let table, let key, let owner):
            """
            \(sql: SQL(stringLiteral: column)) IN (
                SELECT \(sql: SQL(stringLiteral: key)) FROM \(sql: SQL(stringLiteral: table))
                WHERE \(sql: SQL(stringLiteral: owner)) = \(account))
            """
        case .texts(let column, let texts): "\(sql: SQL(stringLiteral: column)) IN (\(sql: .list(texts(account))))"
        }
    }
}

/// A value of any type, as the engine stores it.
extension SQLValue: SQLConvertible {
    package var sqlValue: SQLValue { self }
    package init?(sqlValue: SQLValue) { self = sqlValue }
}
