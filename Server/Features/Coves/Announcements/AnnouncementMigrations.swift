import Database

/// Append-only: never edit a migration that has run anywhere.
enum AnnouncementMigrations {
    static let all = [
        Migration(
            "coves/003-announcement",
            [
                // A live event that a job is sending to a cove of many members. told: the last account that the job has considered, in the
                // order of ids. subject: the id of what the event is about; until the job ends, a later event about the same subject
                // replaces next_payload. actor: the account that caused the event; NULL when several accounts or the server did.
                """
                CREATE TABLE cove_announcement (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    cove TEXT COLLATE "C" NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    kind TEXT COLLATE "C" NOT NULL,
                    subject TEXT COLLATE "C",
                    payload TEXT NOT NULL,
                    next_payload TEXT,
                    actor TEXT COLLATE "C" REFERENCES account (id) ON DELETE CASCADE,
                    told TEXT COLLATE "C" NOT NULL DEFAULT '',
                    created_at BIGINT NOT NULL
                )
                """,
                "CREATE UNIQUE INDEX cove_announcement_subject ON cove_announcement (cove, kind, subject) WHERE subject IS NOT NULL",
                "CREATE INDEX cove_announcement_cove ON cove_announcement (cove)",
                "CREATE INDEX cove_announcement_actor ON cove_announcement (actor, id)",
            ])
    ]
}
