/// Full text, as far as it differs between the engines: an index from tokens to the rows of a table, FTS5 in SQLite and a tsvector
/// under GIN in PostgreSQL. What a token is, the caller decides: no dictionary of an engine ever sees a text.
///
/// The table has a `number` as its key, and its migration makes what the engine needs; `SearchMigrations` is the example.
///
///     SQLite:      a table of FTS5, `tokens` its column, the number its rowid; and a table that a trigger puts deleted numbers in
///     PostgreSQL:  a column `lexemes tsvector` of the table itself: what is found is read where it was found
package protocol TokenSearch: Sendable {
    /// Puts `tokens`, in this order, in place of what the index holds for the row.
    /// - Parameter tokens: at most 16,000 of at most 2,000 bytes; of ASCII only `a`…`z` and `0`…`9`, and no white space.
    func replacement(in table: TokenTable, number: Int64, tokens: [String]) -> [SQL]

    /// Takes `number` out of the index, once its row is gone.
    func removal(from table: TokenTable, number: Int64) -> [SQL]

    /// Takes out what rows that went with another table's ON DELETE CASCADE left in the index.
    func sweep(_ table: TokenTable) -> [SQL]

    /// A condition: a row matches.
    /// - Parameters:
    ///   - row: what the statement calls the table.
    ///   - limit: more rows than these are of no interest.
    func matches(_ row: SQL, in table: TokenTable, _ query: TokenQuery, limit: Int) -> SQL
}

package struct TokenTable: Sendable {
    /// The rows.
    package let rows: SQL
    /// SQLite's index of them.
    package let index: SQL
    /// SQLite's list of numbers that are gone: a trigger must not touch the index itself.
    package let forgotten: SQL

    package init(rows: SQL, index: SQL, forgotten: SQL) {
        self.rows = rows
        self.index = index
        self.forgotten = forgotten
    }
}

/// Tokens that stand one after the other.
package struct TokenPhrase: Sendable, Hashable {
    package var tokens: [String]
    /// The last one may be the beginning of a token.
    package var isPrefix: Bool

    package init(_ tokens: [String], isPrefix: Bool = false) {
        self.tokens = tokens
        self.isPrefix = isPrefix
    }
}

/// Documents that hold all phrases of at least one of the groups.
package struct TokenQuery: Sendable {
    package var groups: [[TokenPhrase]]

    package init(_ groups: [[TokenPhrase]]) { self.groups = groups }

    /// Both engines write it alike but for their quotes and operators.
    package func text(_ or: String, _ and: String, _ phrase: (TokenPhrase) -> String) -> String {
        groups.map { "(" + $0.map(phrase).joined(separator: and) + ")" }.joined(separator: or)
    }
}
