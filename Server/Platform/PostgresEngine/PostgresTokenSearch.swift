internal import Database

/// Writes tsvector and tsquery values literally, so that no text search configuration applies.
struct PostgresTokenSearch: TokenSearch {
    func replacement(in table: TokenTable, number: Int64, tokens: [String]) -> [SQL] {
        ["UPDATE \(sql: table.rows) SET lexemes = CAST(\(Self.vector(tokens)) AS tsvector) WHERE number = \(number)"]
    }

    func removal(from table: TokenTable, number: Int64) -> [SQL] { [] }

    func sweep(_ table: TokenTable) -> [SQL] { [] }

    func matches(_ row: SQL, in table: TokenTable, _ query: TokenQuery, limit: Int) -> SQL {
        "\(sql: row).lexemes @@ CAST(\(Self.text(query)) AS tsquery)"
    }

    static func text(_ query: TokenQuery) -> String {
        query.text(" | ", " & ") { tokens, isPrefix in
            "(" + tokens.map(quoted).joined(separator: " <-> ") + (isPrefix ? ":*)" : ")")
        }
    }

    /// Each token with its positions, counted from 1: `'sea':1,4 'sun':2`.
    static func vector(_ tokens: [String]) -> String {
        var places: [String: [Int]] = [:]
        var order: [String] = []
        for (index, token) in tokens.enumerated() {
            if places[token] == nil { order.append(token) }
            // PostgreSQL stores at most 255 positions a token; phrases match by those.
            if places[token, default: []].count < 255 { places[token, default: []].append(index + 1) }
        }
        return order.map { quoted($0) + ":" + places[$0, default: []].map(String.init).joined(separator: ",") }.joined(separator: " ")
    }

    /// Nothing inside these quotes is an operator.
    private static func quoted(_ token: String) -> String {
        // Most tokens contain nothing to escape, so do not call `replacing` for them: it searches character by character, and it would
        // run twice for each word of a document.
        if token.utf8.allSatisfy({ $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\\") }) { return "'\(token)'" }
        return "'" + token.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }
}
