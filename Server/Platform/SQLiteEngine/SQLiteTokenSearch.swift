package import Database

/// FTS5 with its simplest tokenizer, `ascii`, which splits at ASCII white space and punctuation and leaves everything else unchanged. The
/// texts are already split into tokens.
package struct SQLiteTokenSearch: TokenSearch {
    package func replacement(in table: TokenTable, number: Int64, tokens: [String]) -> [SQL] {
        [
            "DELETE FROM \(sql: table.index) WHERE rowid = \(number)",
            "INSERT INTO \(sql: table.index) (rowid, tokens) VALUES (\(number), \(tokens.joined(separator: " ")))",
        ]
    }

    package func removal(from table: TokenTable, number: Int64) -> [SQL] {
        [
            "DELETE FROM \(sql: table.index) WHERE rowid = \(number)",
            "DELETE FROM \(sql: table.forgotten) WHERE number = \(number)",
        ]
    }

    package func sweep(_ table: TokenTable) -> [SQL] {
        // The rows are deleted, so their lengths are unknown, and one step removes only eight. There are few such rows: only those that
        // were added while the account was deleted.
        let some: SQL = "SELECT number FROM \(sql: table.forgotten) ORDER BY number LIMIT 8"
        return [
            "DELETE FROM \(sql: table.index) WHERE rowid IN (\(sql: some))",
            "DELETE FROM \(sql: table.forgotten) WHERE number IN (\(sql: some))",
        ]
    }

    package func matches(_ row: SQL, in table: TokenTable, _ query: TokenQuery, limit: Int) -> SQL {
        """
        \(sql: row).number IN (
            SELECT rowid FROM \(sql: table.index) WHERE \(sql: table.index) MATCH \(Self.text(query)) LIMIT \(limit))
        """
    }

    /// FTS5 has no operators inside double quotes.
    static func text(_ query: TokenQuery) -> String {
        query.text(" OR ", " AND ") { tokens, isPrefix in
            "\"" + tokens.joined(separator: " ").replacing("\"", with: "\"\"") + (isPrefix ? "\" *" : "\"")
        }
    }
}
