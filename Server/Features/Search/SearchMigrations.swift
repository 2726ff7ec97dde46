import Database

/// Append-only: a migration that has run anywhere is never edited.
enum SearchMigrations {
    static let all = [
        Migration(
            "search/001-document",
            sqlite: [
                // AUTOINCREMENT never reuses a number. A reused number could match a deleted document that the index still holds.
                document(number: "INTEGER PRIMARY KEY AUTOINCREMENT"),
                placeIndex,
                "CREATE VIRTUAL TABLE search_word USING fts5(tokens, tokenize = 'ascii', columnsize = 0)",
                "CREATE TABLE search_forgotten (number INTEGER PRIMARY KEY)",
                """
                CREATE TRIGGER search_document_forget AFTER DELETE ON search_document BEGIN
                    INSERT INTO search_forgotten (number) VALUES (OLD.number);
                END
                """,
            ],
            postgres: [
                document(number: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
                placeIndex,
                "ALTER TABLE search_document ADD COLUMN lexemes tsvector",
                // With `fastupdate`, every search would scan the index's list of pending entries. A row is inserted before its place is
                // known, and its lexemes depend on the place. Until they are set they are NULL, and the index does not contain the row.
                """
                CREATE INDEX search_document_by_lexeme ON search_document USING gin (lexemes) WITH (fastupdate = off)
                WHERE lexemes IS NOT NULL
                """,
            ]),
        // The first part of each document's tokens, for ranking. It has a table of its own: in the table of the whole texts, an engine
        // would read those texts for every candidate.
        Migration(
            "search/002-head", sqlite: [head(number: "INTEGER"), headsOfOldRows], postgres: [head(number: "BIGINT"), headsOfOldRows]),
        // As for captures (`captures/008-vacuum`): each change of a text leaves two old versions of its document.
        Migration(
            "search/003-vacuum", sqlite: [],
            postgres: [
                "ALTER TABLE search_document SET (autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_scale_factor = 0.01)"
            ], release: 2),
    ]

    private static func head(number type: String) -> String {
        """
        CREATE TABLE search_head (
            number \(type) PRIMARY KEY NOT NULL REFERENCES search_document(number) ON DELETE CASCADE,
            head TEXT NOT NULL
        )
        """
    }

    private static let headsOfOldRows = "INSERT INTO search_head (number, head) SELECT number, substr(tokens, 1, 2000) FROM search_document"

    private static func document(number: String) -> String {
        """
        CREATE TABLE search_document (
            number \(number),
            owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            kind TEXT COLLATE "C" NOT NULL,
            id TEXT COLLATE "C" NOT NULL,
            at BIGINT NOT NULL,
            place BIGINT NOT NULL CONSTRAINT search_document_place CHECK (place >= 0),
            texts TEXT NOT NULL,
            tokens TEXT NOT NULL,
            UNIQUE (owner, kind, id)
        )
        """
    }

    private static let placeIndex = "CREATE INDEX search_document_by_place ON search_document (owner, place)"
}
