/// A table with rows that are somebody's: how they are found, what of them their owner is given, and how they go when the account does.
/// A test fails when a table that belongs to accounts is not among the registered ones, or a column of one is not decided about.
package struct PersonalTable: Sendable {
    /// Whose a row is.
    package enum Owner: Sendable {
        /// A column holds the account's id.
        case column(StaticString)
        /// A column is the `key` of a row of another table, whose column `owner` holds the account's id.
        case row(StaticString, of: StaticString, key: StaticString, owner: StaticString)
        /// A column holds one of the texts that are made of the account's id; at least one.
        case texts(StaticString, @Sendable (_ account: String) -> [String])
    }

    /// How its rows go.
    package enum Ending: Sendable {
        /// By one statement: nobody has many.
        case statement
        /// By what its room does, some at a time.
        case room
        /// By the schema, with the rows of that table.
        case cascade(from: StaticString)
        /// After all others.
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
            /// Not for its owner either: a secret, a key of ours, or a copy of what stands in another column.
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
    ///   - order: columns that tell an account's rows apart, as an index has them behind the owner.
    ///   - columns: all of them.
    package init(_ name: StaticString, owner: Owner, order: [StaticString], columns: [Column], ending: Ending) {
        self.name = "\(name)"
        self.owner = owner
        self.columns = columns
        self.ending = ending
        sql = SQL(stringLiteral: name)
        self.order = order.map { Column.plain($0) }
        keyset = Keyset(.ascending, order)
    }

    /// Where a page ended.
    package struct Position: Sendable {
        fileprivate let values: [SQLValue]
    }

    /// An account's rows from after `position` on.
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

/// A value as the engine has it, whatever it is.
extension SQLValue: SQLConvertible {
    package var sqlValue: SQLValue { self }
    package init?(sqlValue: SQLValue) { self = sqlValue }
}
