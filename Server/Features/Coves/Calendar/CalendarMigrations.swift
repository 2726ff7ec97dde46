import Database

/// Append-only: never edit a migration that has run anywhere.
enum CalendarMigrations {
    static let all = [
        Migration(
            "coves/004-calendar-link",
            [
                // The link of an account's calendar feed. Only the hash of its token is stored.
                """
                CREATE TABLE cove_calendar_link (
                    account TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
                    created_at BIGINT NOT NULL
                )
                """
            ])
    ]
}
