/// Full text, as far as it differs between the engines: an index from tokens to the numbers of documents, FTS5 in SQLite and a
/// tsvector under GIN in PostgreSQL. What a token is, the caller decides: no dictionary of an engine ever sees a text.
///
/// The index is a table that a migration made, with the columns below; `SearchMigrations` is the example.
///
///     SQLite:      CREATE VIRTUAL TABLE t USING fts5(tokens, tokenize = 'ascii', columnsize = 0)
///                  CREATE TABLE t_forgotten (number INTEGER PRIMARY KEY)
///     PostgreSQL:  CREATE TABLE t (number BIGINT PRIMARY KEY REFERENCES … ON DELETE CASCADE, tokens tsvector NOT NULL)
package protocol TokenSearch: Sendable {
    /// Puts `tokens`, in this order, in place of what the index holds for `number`.
    /// - Parameter tokens: at most 16,000 of at most 2,000 bytes; of ASCII only `a`…`z` and `0`…`9`, and no white space.
    func replacement(in table: TokenTable, number: Int64, tokens: [String]) -> [SQL]

    /// Takes `number` out of the index, once its row is gone.
    func removal(from table: TokenTable, number: Int64) -> [SQL]

    /// Takes out what other tables' ON DELETE CASCADE left in the index. Nothing where the engine's own cascade reaches it.
    func sweep(_ table: TokenTable) -> [SQL]

    /// A SELECT of the `number`s that match, in no order.
    func matches(in table: TokenTable, _ query: TokenQuery, limit: Int) -> SQL
}

package struct TokenTable: Sendable {
    let name: SQL
    /// Where a trigger writes down the numbers of rows that are gone. Only SQLite has it: its triggers must not touch a virtual table.
    let forgotten: SQL

    package init(_ name: SQL, forgotten: SQL) {
        self.name = name
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
    func text(_ or: String, _ and: String, _ phrase: (TokenPhrase) -> String) -> String {
        groups.map { "(" + $0.map(phrase).joined(separator: and) + ")" }.joined(separator: or)
    }
}
