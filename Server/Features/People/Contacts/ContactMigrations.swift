import Database

/// Append-only: never edit a migration that has run anywhere.
enum ContactMigrations {
    static let all = [
        Migration(
            "people/005-contacts",
            [
                // The numbers that an account looked up on its last day with look-ups. day: since 1970, in UTC. numbers: keyed hashes of 8 bytes.
                // One row an account, so the table does not grow with time.
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
