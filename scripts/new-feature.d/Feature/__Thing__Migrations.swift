import Database

/// Append-only: never edit a migration that has run anywhere.
enum __Thing__Migrations {
    static let all = [
        Migration(
            "__things__/001-__thing__",
            [
                """
                CREATE TABLE __thing__ (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    title TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    file TEXT COLLATE "C",
                    word_count BIGINT,
                    row_bytes BIGINT NOT NULL
                )
                """,
                "CREATE INDEX __thing___by_time ON __thing__ (owner, created_at, id)",
                "CREATE INDEX __thing___by_file ON __thing__ (file)",
            ])
    ]
}
