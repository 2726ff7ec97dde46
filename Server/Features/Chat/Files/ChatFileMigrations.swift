import Database

/// Append-only: a migration that has run anywhere is never edited.
enum ChatFileMigrations {
    static let all = [
        Migration(
            "chat/001-file",
            [
                // text: the text that was read from the file, in `text_state` 2; it is the last column, because lists do not read it.
                // row_bytes: how many bytes the row in `media` counts for this row.
                """
                CREATE TABLE chat_file (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES media(id) ON DELETE CASCADE,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    name TEXT NOT NULL,
                    type TEXT COLLATE "C" NOT NULL,
                    byte_count BIGINT NOT NULL,
                    width BIGINT,
                    height BIGINT,
                    text_state SMALLINT NOT NULL CONSTRAINT chat_file_text_state CHECK (text_state IN (0, 1, 2)),
                    endpoint TEXT,
                    tool_resource TEXT,
                    created_at BIGINT NOT NULL,
                    sent_at BIGINT,
                    row_bytes BIGINT NOT NULL,
                    text TEXT
                )
                """,
                "CREATE INDEX chat_file_by_owner ON chat_file (owner, created_at, id)",
                // The index holds only files that no message has sent yet. They are few, because they are deleted after a week.
                "CREATE INDEX chat_file_unsent ON chat_file (created_at, id) WHERE sent_at IS NULL",
            ], release: 2),
        Migration(
            "chat/002-pending-text",
            [
                // The index holds few rows: a row leaves `text_state` 1 when the job has read the file.
                "CREATE INDEX chat_file_pending ON chat_file (owner, created_at, id) WHERE text_state = 1"
            ], release: 2),
    ]
}
