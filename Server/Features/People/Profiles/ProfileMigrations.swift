import Database

/// Append-only: never edit a migration that has run anywhere.
enum ProfileMigrations {
    static let all = [
        Migration(
            "people/002-profile",
            [
                // birthdate: in microseconds. interests: a list of texts as JSON. onboarded_at: NULL until the person has onboarded; the
                // row may exist before that. row_bytes: how many bytes the row counts against the quota.
                "ALTER TABLE profile ADD COLUMN birthdate BIGINT",
                "ALTER TABLE profile ADD COLUMN interests TEXT NOT NULL DEFAULT '[]'",
                """
                ALTER TABLE profile ADD COLUMN latitude DOUBLE PRECISION
                    CONSTRAINT profile_latitude CHECK (latitude BETWEEN -90 AND 90)
                """,
                """
                ALTER TABLE profile ADD COLUMN longitude DOUBLE PRECISION
                    CONSTRAINT profile_longitude CHECK (longitude BETWEEN -180 AND 180)
                """,
                "ALTER TABLE profile ADD COLUMN bio TEXT",
                "ALTER TABLE profile ADD COLUMN alma_mater TEXT",
                "ALTER TABLE profile ADD COLUMN job TEXT",
                "ALTER TABLE profile ADD COLUMN work_location TEXT",
                "ALTER TABLE profile ADD COLUMN relation_status TEXT",
                "ALTER TABLE profile ADD COLUMN sexuality TEXT",
                "ALTER TABLE profile ADD COLUMN gender TEXT",
                "ALTER TABLE profile ADD COLUMN city TEXT",
                "ALTER TABLE profile ADD COLUMN grad_year TEXT",
                "ALTER TABLE profile ADD COLUMN onboarded_at BIGINT",
                "ALTER TABLE profile ADD COLUMN row_bytes BIGINT NOT NULL DEFAULT 0",
            ])
    ]
}
