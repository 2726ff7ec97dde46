import Core
package import Database

/// The full-text index. A feature updates it in the transaction that writes the indexed row, so that the two never disagree.
package struct SearchIndex: Sendable {
    static let words = TokenTable(rows: "search_document", index: "search_word", forgotten: "search_forgotten") { row in
        let partition = OwnerPartition.partition(of: try row.get("place"))
        let words = SearchWords(tokensColumn: try row.get("tokens"))
        let kind: String = try row.get("kind")
        return try words.indexed(kind: kind, OwnerPartition(owner: row.get("owner"), kind: kind), on: partition)
    }

    package init() {}

    /// Inserts the document, or replaces the one with the same kind, id and owner. If the new document has no token, removes the old one.
    ///
    /// Only the first 65,536 characters and the first 8,192 tokens of its texts are indexed.
    package func put(_ document: SearchDocument, _ tx: WriteTransaction) throws {
        try put(document, SearchWords(document.texts), tx)
    }

    /// Like `put(_:_:)`, but for long texts. Splitting a long text into words takes milliseconds. Inside the transaction, this would delay
    /// all other writes.
    /// - Parameter words: the words of the document's texts, split before the transaction.
    package func put(_ document: SearchDocument, _ words: SearchWords, _ tx: WriteTransaction) throws {
        guard words.count > 0 else { return try remove(kind: document.kind, id: document.id, owner: document.owner, tx) }
        // The statement returns no row when the stored document is the same already.
        guard let row = try tx.row(Self.upsert(document, words)) else { return }
        let number = try row.get("number", as: Int64.self)
        let partition = OwnerPartition.partition(of: try row.get("place"))
        try tx.send(Self.head(number, SearchRanking.head(of: words.tokensColumn)))
        let tokens = words.indexed(
            kind: document.kind, OwnerPartition(owner: document.owner, kind: document.kind), on: partition)
        for statement in tx.tokenSearch.replacement(in: Self.words, number: number, tokens: tokens) { try tx.send(statement) }
    }

    package func remove(kind: String, id: String, owner: String, _ tx: WriteTransaction) throws {
        for row in try tx.rows(Self.deletion(kind: kind, id: id, owner: owner)) {
            for statement in tx.tokenSearch.removal(from: Self.words, number: try row.get("number")) { try tx.send(statement) }
        }
    }

    /// Erases some of the owner's documents.
    /// - Returns: the number of erased documents. It is at most `limit`, at most 16, and within what `DeletionStep` allows.
    func erase(_ owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let documents: [(kind: String, id: String)] = try tx.deletionStep(
            limit: min(limit, 16), { Self.first(of: owner, limit: $0) }
        ) { row in (try row.next("kind"), try row.next("id")) }
        for (kind, id) in documents { try remove(kind: kind, id: id, owner: owner, tx) }
        return documents.count
    }

    // MARK: Statements

    static func first(of owner: String, limit: Int) -> SQL {
        // `row_bytes` estimates the time, not the size. Most of the time goes into removing the words from SQLite's index: milliseconds for
        // each of the longest documents. With 16 bytes for each character of the words, a step deletes two to eight of these documents.
        """
        SELECT kind, id, 16 * length(tokens) AS row_bytes FROM search_document
        WHERE owner = \(owner) ORDER BY kind, id LIMIT \(limit)
        """
    }

    /// Inserts or replaces a document. A new document takes the owner's next places (`SearchWords.placeCount`), and so does a long document
    /// that replaces a document with fewer words. The column `place` has the last of these places. Concurrent inserts may take the same
    /// places; then an `OwnerPartition` has a few documents more.
    static func upsert(_ document: SearchDocument, _ words: SearchWords) -> SQL {
        let place: SQL =
            words.placeCount > 1
            ? """
            CASE WHEN \(sql: separators("search_document.tokens")) < \(sql: separators("excluded.tokens"))
                THEN excluded.place ELSE search_document.place END
            """
            : "search_document.place"
        return """
            INSERT INTO search_document (owner, kind, id, at, place, texts, tokens)
            VALUES (\(document.owner), \(document.kind), \(document.id), \(document.at),
                COALESCE((SELECT MAX(place) FROM search_document WHERE owner = \(document.owner)), -1) + \(words.placeCount),
                \(words.textsColumn), \(words.tokensColumn))
            ON CONFLICT (owner, kind, id) DO UPDATE
                SET at = excluded.at, texts = excluded.texts, tokens = excluded.tokens, place = \(sql: place)
            WHERE search_document.at <> excluded.at OR search_document.texts <> excluded.texts OR search_document.tokens <> excluded.tokens
            RETURNING number, place
            """
    }

    /// The number of separators between a document's words.
    private static func separators(_ tokens: SQL) -> SQL {
        "length(\(sql: tokens)) - length(replace(replace(\(sql: tokens), ' ', ''), \("\n"), ''))"
    }

    static func head(_ number: Int64, _ head: String) -> SQL {
        """
        INSERT INTO search_head (number, head) VALUES (\(number), \(head)) ON CONFLICT (number) DO UPDATE SET head = excluded.head
        """
    }

    static func deletion(kind: String, id: String, owner: String) -> SQL {
        "DELETE FROM search_document WHERE owner = \(owner) AND kind = \(kind) AND id = \(id) RETURNING number"
    }

    /// Removes index entries of documents that an account's deletion removed by cascade, a few documents at a time.
    /// - Returns: the number of changed rows; 0 when no such entry remains.
    func sweep(_ tx: WriteTransaction) throws -> Int {
        try tx.tokenSearch.sweep(Self.words).reduce(0) { try $0 + tx.run($1) }
    }
}
