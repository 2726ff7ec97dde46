import Database

/// Append-only: a migration that has run anywhere is never edited.
enum ChatFileMigrations {
    static let all = [
        Migration(
            "chat/001-file",
            [
                // text: what was read in the file, in `text_state` 2; it comes last, because lists do not read it. row_bytes: what the row in
                // `media` counts for this one.
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
                // Few rows: text_state 1 ends when the job has read the file.
                "CREATE INDEX chat_file_pending ON chat_file (owner, created_at, id) WHERE text_state = 1"
            ], release: 2),
    ]
}
