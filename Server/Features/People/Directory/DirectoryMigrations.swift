import Database

/// Append-only: never edit a migration that has run anywhere.
enum DirectoryMigrations {
    static let all = [
        Migration(
            "people/001-directory",
            [
                // name: empty until the person has onboarded. hidden: 1 while the account is closed or suspended; then others see nothing
                // of it. Hiding an account that has no profile yet adds a row as well.
                """
                CREATE TABLE profile (
                    account TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    name TEXT NOT NULL DEFAULT '' CHECK (length(name) <= 100),
                    hidden SMALLINT NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
                    created_at BIGINT NOT NULL
                )
                """,
                // A block hides the two accounts from each other, no matter which of the two made it.
                """
                CREATE TABLE block (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    blocker TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    blocked TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    UNIQUE (blocker, blocked)
                )
                """,
                "CREATE INDEX block_by_time ON block (blocker, created_at, id)",
                "CREATE INDEX block_blocked ON block (blocked, blocker)",
            ])
    ]
}
