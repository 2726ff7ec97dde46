import Database

/// Append-only: never edit a migration that has run anywhere.
enum ReportMigrations {
    static let all = [
        Migration(
            "people/006-report",
            [
                // subject: the reported id. It has no foreign key, because it may be the id of nothing. resolved_by: the administrator who
                // resolved the report; NULL while the report is open, when a command resolved it, and once that account is deleted.
                """
                CREATE TABLE report (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    reporter TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    kind TEXT COLLATE "C" NOT NULL CONSTRAINT report_kind CHECK (kind IN ('user', 'cove', 'event', 'photo')),
                    subject TEXT COLLATE "C" NOT NULL CONSTRAINT report_subject CHECK (length(subject) BETWEEN 1 AND 128),
                    reason TEXT NOT NULL CONSTRAINT report_reason CHECK (length(reason) BETWEEN 1 AND 1000),
                    created_at BIGINT NOT NULL,
                    resolved_at BIGINT,
                    resolved_by TEXT COLLATE "C" REFERENCES account (id) ON DELETE SET NULL,
                    note TEXT CONSTRAINT report_note CHECK (length(note) BETWEEN 1 AND 1000)
                )
                """,
                "CREATE INDEX report_by_reporter ON report (reporter, created_at, id)",
                "CREATE INDEX report_open ON report (created_at, id) WHERE resolved_at IS NULL",
                "CREATE INDEX report_resolved ON report (created_at, id) WHERE resolved_at IS NOT NULL",
                "CREATE INDEX report_resolved_by ON report (resolved_by) WHERE resolved_by IS NOT NULL",
                // A report names a photo by its id alone, without the owner.
                "CREATE INDEX profile_photo_by_id ON profile_photo (id)",
            ])
    ]
}
