import Database

/// Append-only: never edit a migration that has run anywhere.
enum ContactMigrations {
    static let all = [
        Migration(
            "people/005-contacts",
            [
                // The numbers that an account looked up on one day: the last day on which it looked up any. day: days since 1970, in UTC.
                // numbers: keyed hashes of 8 bytes. The table has one row for each account, so it does not grow with time.
                """
                CREATE TABLE contact_lookup (
                    account TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    day BIGINT NOT NULL,
                    numbers BYTEA NOT NULL
                )
                """,
                "CREATE INDEX contact_lookup_by_day ON contact_lookup (day, account)",
            ])
    ]
}
