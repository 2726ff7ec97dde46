import Database

/// Append-only: never edit a migration that has run anywhere. The migrations of `ChatFiles` run before these.
enum ChatMigrations {
    static let all = [
        Migration(
            "chat/010-conversation",
            [
                // is_renamed: whether the user chose the title. last_position: the position of the latest message. deleted_at: when the
                // user deleted the conversation; its messages are being deleted, and nobody sees it any more.
                """
                CREATE TABLE chat_conversation (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    id TEXT COLLATE "C" NOT NULL,
                    title TEXT NOT NULL CONSTRAINT chat_conversation_title CHECK (length(title) BETWEEN 1 AND 200),
                    is_renamed SMALLINT NOT NULL,
                    endpoint TEXT COLLATE "C" NOT NULL,
                    last_position BIGINT NOT NULL,
                    created_at BIGINT NOT NULL,
                    updated_at BIGINT NOT NULL,
                    deleted_at BIGINT,
                    row_bytes BIGINT NOT NULL,
                    PRIMARY KEY (owner, id)
                )
                """,
                "CREATE INDEX chat_conversation_newest ON chat_conversation (owner, updated_at, id) WHERE deleted_at IS NULL",
                "CREATE INDEX chat_conversation_deleted ON chat_conversation (deleted_at) WHERE deleted_at IS NOT NULL",
                // position: 1, 2, 3 … in the conversation. question: for an answer, the message that it answers. state: the state of an
                // answer; 'done' for a message of the user. attempt: how often the answer was started. lease_until: the node that writes
                // the answer renews it; NULL unless the state is 'writing'. stopping: the user wants the answer to end. frame_count: how
                // many pieces of the answer's text are stored. ended_at: when the answer ended; NULL before that, and again once its pieces
                // are deleted.
                """
                CREATE TABLE chat_message (
                    owner TEXT COLLATE "C" NOT NULL,
                    id TEXT COLLATE "C" NOT NULL CONSTRAINT chat_message_id CHECK (length(id) BETWEEN 1 AND 128),
                    conversation TEXT COLLATE "C" NOT NULL,
                    position BIGINT NOT NULL,
                    parent TEXT COLLATE "C",
                    question TEXT COLLATE "C",
                    text TEXT NOT NULL,
                    endpoint TEXT COLLATE "C" NOT NULL,
                    provider TEXT COLLATE "C",
                    model TEXT,
                    state TEXT COLLATE "C" NOT NULL
                        CONSTRAINT chat_message_state CHECK (state IN ('done', 'writing', 'stopped', 'failed')),
                    is_unfinished SMALLINT NOT NULL,
                    error TEXT,
                    attempt BIGINT NOT NULL,
                    lease_until BIGINT,
                    stopping SMALLINT NOT NULL,
                    frame_count BIGINT NOT NULL,
                    ended_at BIGINT,
                    created_at BIGINT NOT NULL,
                    updated_at BIGINT NOT NULL,
                    row_bytes BIGINT NOT NULL,
                    PRIMARY KEY (owner, id),
                    UNIQUE (owner, conversation, position),
                    FOREIGN KEY (owner, conversation) REFERENCES chat_conversation(owner, id) ON DELETE CASCADE
                )
                """,
                "CREATE INDEX chat_message_question ON chat_message (owner, question) WHERE question IS NOT NULL",
                "CREATE INDEX chat_message_writing ON chat_message (owner, conversation) WHERE lease_until IS NOT NULL",
                "CREATE INDEX chat_message_lease ON chat_message (lease_until) WHERE lease_until IS NOT NULL",
                "CREATE INDEX chat_message_ended ON chat_message (ended_at) WHERE ended_at IS NOT NULL",
                // The pieces of an answer's text, so that a client resumes where its stream was cut off. Each write of the answer adds one
                // row. first, last: the numbers of the row's first and last piece; the answer's first piece is 1. texts: a JSON array of
                // the pieces.
                """
                CREATE TABLE chat_piece (
                    owner TEXT COLLATE "C" NOT NULL,
                    message TEXT COLLATE "C" NOT NULL,
                    first BIGINT NOT NULL,
                    last BIGINT NOT NULL,
                    texts TEXT NOT NULL,
                    PRIMARY KEY (owner, message, first),
                    FOREIGN KEY (owner, message) REFERENCES chat_message(owner, id) ON DELETE CASCADE
                )
                """,
                """
                CREATE TABLE chat_message_file (
                    owner TEXT COLLATE "C" NOT NULL,
                    message TEXT COLLATE "C" NOT NULL,
                    file TEXT COLLATE "C" NOT NULL REFERENCES chat_file(id) ON DELETE CASCADE,
                    position BIGINT NOT NULL,
                    PRIMARY KEY (owner, message, file),
                    FOREIGN KEY (owner, message) REFERENCES chat_message(owner, id) ON DELETE CASCADE
                )
                """,
                "CREATE INDEX chat_message_file_by_file ON chat_message_file (file)",
            ], release: 2),
        // These columns describe why an answer failed. is_away: the provider could not be reached, took too long or was busy. retry_at: a
        // retry before this time fails too; NULL when the time is unknown.
        Migration(
            "chat/011-failure",
            [
                """
                ALTER TABLE chat_message ADD COLUMN is_away SMALLINT NOT NULL DEFAULT 0
                    CONSTRAINT chat_message_away CHECK (is_away IN (0, 1))
                """,
                "ALTER TABLE chat_message ADD COLUMN retry_at BIGINT",
            ], release: 2),
        // The ids of the user's deleted messages, so that a client that sends one again after weeks does not bring it back.
        Migration(
            "chat/012-tombstone",
            [
                """
                CREATE TABLE chat_tombstone (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    message TEXT COLLATE "C" NOT NULL,
                    expires_at BIGINT NOT NULL,
                    PRIMARY KEY (owner, message)
                )
                """,
                "CREATE INDEX chat_tombstone_by_age ON chat_tombstone (expires_at)",
            ], release: 2),
    ]
}
