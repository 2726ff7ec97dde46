import Database

/// Append-only: never edit a migration that has run anywhere.
enum EventMigrations {
    static let all = [
        Migration(
            "coves/002-events",
            [
                // cover: a picture of the media library, which belongs to cover_owner. going_count: accounts with the RSVP GOING, without
                // hidden accounts. revision: how often the event was changed. row_bytes: what the row counts against the host's quota.
                // ended_at: when a member deleted the event; NULL while lists show it. When the host's account is closed, it becomes 0. If
                // the event had ended before, it becomes negative (1 in earlier versions): then calendars do not show it as cancelled.
                """
                CREATE TABLE cove_event (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    cove TEXT COLLATE "C" NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    host TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    name TEXT NOT NULL,
                    description TEXT,
                    date BIGINT NOT NULL,
                    location TEXT NOT NULL,
                    cover TEXT COLLATE "C",
                    cover_owner TEXT COLLATE "C",
                    going_count BIGINT NOT NULL DEFAULT 0 CONSTRAINT cove_event_going CHECK (going_count >= 0),
                    revision BIGINT NOT NULL DEFAULT 0,
                    row_bytes BIGINT NOT NULL,
                    created_at BIGINT NOT NULL,
                    changed_at BIGINT NOT NULL,
                    ended_at BIGINT,
                    CONSTRAINT cove_event_cover CHECK ((cover IS NULL) = (cover_owner IS NULL))
                )
                """,
                // The index contains ended_at: otherwise SQLite reads each row to see that it is NULL.
                "CREATE INDEX cove_event_by_date ON cove_event (cove, date, id, ended_at) WHERE ended_at IS NULL",
                "CREATE INDEX cove_event_cancelled ON cove_event (cove, ended_at, id) WHERE ended_at IS NOT NULL",
                "CREATE INDEX cove_event_ended ON cove_event (ended_at, id) WHERE ended_at IS NOT NULL",
                "CREATE INDEX cove_event_host ON cove_event (host, id)",
                "CREATE INDEX cove_event_host_cove ON cove_event (host, cove, ended_at)",
                "CREATE INDEX cove_event_cover_file ON cove_event (cover) WHERE cover IS NOT NULL",
                "CREATE INDEX cove_event_cover_owner ON cove_event (cover_owner, id) WHERE cover_owner IS NOT NULL",
                // cove: a copy of the event's. hidden: 1 while the account is suspended.
                """
                CREATE TABLE cove_rsvp (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    event TEXT COLLATE "C" NOT NULL REFERENCES cove_event (id) ON DELETE CASCADE,
                    cove TEXT COLLATE "C" NOT NULL,
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    status TEXT COLLATE "C" NOT NULL CONSTRAINT cove_rsvp_status CHECK (status IN ('GOING', 'MAYBE', 'NOT_GOING')),
                    created_at BIGINT NOT NULL,
                    hidden SMALLINT NOT NULL DEFAULT 0 CONSTRAINT cove_rsvp_hidden CHECK (hidden IN (0, 1)),
                    UNIQUE (event, account)
                )
                """,
                "CREATE INDEX cove_rsvp_by_time ON cove_rsvp (event, hidden, created_at, id)",
                "CREATE INDEX cove_rsvp_by_status ON cove_rsvp (event, hidden, status, created_at, id)",
                "CREATE INDEX cove_rsvp_of ON cove_rsvp (account, cove, event)",
                "CREATE INDEX cove_rsvp_going ON cove_rsvp (account, hidden, status, event)",
                // How often the cove's events were changed, so that calendar feeds know whether they changed. No row: never.
                """
                CREATE TABLE cove_calendar (
                    cove TEXT COLLATE "C" PRIMARY KEY NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    version BIGINT NOT NULL
                )
                """,
            ]),
        Migration(
            "coves/006-cancelled-dates",
            [
                // The index contains the date: a calendar shows only cancelled events of the last year, and would otherwise read the row of
                // each older one, whose description may be long. A cove may have very many of them.
                """
                CREATE INDEX cove_event_cancelled_dates ON cove_event (cove, ended_at, id, date) WHERE ended_at IS NOT NULL
                """,
                // The new index begins with the same columns, so it replaces this one.
                "DROP INDEX cove_event_cancelled",
            ], release: 2),
    ]
}
