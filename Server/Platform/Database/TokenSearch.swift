/// The part of full-text search that differs between the engines: an index from tokens to rows of a table, FTS5 in SQLite and a tsvector
/// with a GIN index in PostgreSQL. The caller splits texts into tokens; the engines use no dictionary of their own.
///
/// The table's key is `number`, and its migration creates what the engine needs; see `SearchMigrations` for an example.
///
///     SQLite:      an FTS5 table with the column `tokens`, whose rowid is the number; and a table that a trigger adds deleted numbers to
///     PostgreSQL:  a column `lexemes tsvector` of the table itself, so that a match needs no second lookup
package protocol TokenSearch: Sendable {
    /// Statements that replace the row's tokens in the index by `tokens`. The index stores the order of `tokens`, so that a `TokenPhrase`
    /// can match consecutive ones.
    /// - Parameter tokens: at most 16,000 tokens of at most 2,000 bytes each. A token has no white space, and its only ASCII characters are
    ///   `a`…`z` and `0`…`9`.
    func replacement(in table: TokenTable, number: Int64, tokens: [String]) -> [SQL]

    /// Statements that remove `number` from the index, after its row was deleted.
    func removal(from table: TokenTable, number: Int64) -> [SQL]

    /// Statements that remove index entries of rows that were deleted by another table's ON DELETE CASCADE.
    func sweep(_ table: TokenTable) -> [SQL]

    /// An SQL condition that is true for rows that match `query`.
    /// - Parameters:
    ///   - row: the table's name or alias in the statement.
    ///   - limit: maximum number of rows that the caller needs.
    func matches(_ row: SQL, in table: TokenTable, _ query: TokenQuery, limit: Int) -> SQL
}

package struct TokenTable: Sendable {
    /// The table with the rows.
    package let rows: SQL
    /// SQLite's FTS5 index of the rows.
    package let index: SQL
    /// SQLite's list of deleted numbers: a trigger must not change the index itself.
    package let forgotten: SQL
    /// The tokens of a row, for an index that is built again from the rows.
    package let tokens: @Sendable (Row) throws -> [String]

    package init(rows: SQL, index: SQL, forgotten: SQL, tokens: @escaping @Sendable (Row) throws -> [String] = { _ in [] }) {
        self.rows = rows
        self.index = index
        self.forgotten = forgotten
        self.tokens = tokens
    }

    /// The names of the two tables that exist on SQLite only.
    package var engineTables: [String] { [index.text { _ in "" }, forgotten.text { _ in "" }] }
    /// The name of the table with the rows.
    package var name: String { rows.text { _ in "" } }
}

/// Consecutive tokens.
package struct TokenPhrase: Sendable, Hashable {
    package var tokens: [String]
    /// Whether the last token also matches longer tokens that begin with it.
    package var isPrefix: Bool
    /// Alternatives to `tokens` that match too, each with the same number of tokens.
    package var otherSpellings: [[String]]

    package init(_ tokens: [String], isPrefix: Bool = false, otherSpellings: [[String]] = []) {
        self.tokens = tokens
        self.isPrefix = isPrefix
        self.otherSpellings = otherSpellings
    }

    package var spellings: [[String]] { [tokens] + otherSpellings }
}

/// Matches documents that contain all phrases of at least one group.
package struct TokenQuery: Sendable {
    package var groups: [[TokenPhrase]]

    package init(_ groups: [[TokenPhrase]]) { self.groups = groups }

    /// Renders the query. The engines differ only in their quotes and operators.
    /// - Parameter phrase: renders consecutive tokens.
    package func text(_ or: String, _ and: String, _ phrase: (_ tokens: [String], _ isPrefix: Bool) -> String) -> String {
        func render(_ each: TokenPhrase) -> String {
            let spellings = each.spellings.map { phrase($0, each.isPrefix) }
            return spellings.count == 1 ? spellings[0] : "(" + spellings.joined(separator: or) + ")"
        }
        return groups.map { "(" + $0.map(render).joined(separator: and) + ")" }.joined(separator: or)
    }
}
