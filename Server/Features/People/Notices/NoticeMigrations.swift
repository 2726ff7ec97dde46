import Database

/// Append-only: never edit a migration that has run anywhere.
enum NoticeMigrations {
    static let all = [
        Migration(
            "people/008-notices",
            [
                // The people whom an account notified of a request or an invitation, on the last day on which it notified anybody. day:
                // days since 1970, in UTC. told: hashes of 8 bytes. The table has one row for each account, so it does not grow with time.
                """
                CREATE TABLE sent_notice (
                    account TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    day BIGINT NOT NULL,
                    told BYTEA NOT NULL
                )
                """,
                "CREATE INDEX sent_notice_by_day ON sent_notice (day, account)",
            ], release: 2)
    ]
}
