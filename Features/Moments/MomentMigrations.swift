import Database

/// Append-only: what has run anywhere is never edited.
enum MomentMigrations {
    static let all = [
        Migration(
            "moments/001-moment",
            [
                """
                CREATE TABLE moment (
                    id TEXT COLLATE "C" PRIMARY KEY,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    kind TEXT COLLATE "C" NOT NULL CONSTRAINT moment_kind CHECK (kind IN ('mood', 'memory', 'event')),
                    created_at BIGINT NOT NULL,
                    happened_at BIGINT NOT NULL,
                    category TEXT COLLATE "C" NOT NULL,
                    group_id TEXT COLLATE "C",
                    tags TEXT NOT NULL,
                    mood TEXT CONSTRAINT moment_mood CHECK ((mood IS NULL) = (kind <> 'mood')),
                    title TEXT CONSTRAINT moment_title CHECK ((title IS NULL) = (kind = 'mood')),
                    note TEXT,
                    reason TEXT,
                    interests TEXT NOT NULL,
                    intensity SMALLINT CONSTRAINT moment_intensity CHECK (intensity BETWEEN 1 AND 10),
                    location TEXT,
                    voice_ms BIGINT
                )
                """,
                "CREATE INDEX moment_by_kind ON moment (owner, kind, created_at, id)",
                "CREATE INDEX moment_by_category ON moment (owner, kind, category, created_at, id)",
                "CREATE INDEX moment_by_group ON moment (owner, kind, group_id, created_at, id)",
                "CREATE INDEX moment_by_mood ON moment (owner, kind, created_at, mood, intensity)",
                "CREATE INDEX moment_by_time ON moment (owner, happened_at, id)",
                """
                CREATE TABLE moment_tag (
                    moment TEXT COLLATE "C" NOT NULL REFERENCES moment(id) ON DELETE CASCADE,
                    owner TEXT COLLATE "C" NOT NULL,
                    kind TEXT COLLATE "C" NOT NULL,
                    tag TEXT COLLATE "C" NOT NULL,
                    created_at BIGINT NOT NULL,
                    happened_at BIGINT NOT NULL,
                    PRIMARY KEY (moment, tag)
                )
                """,
                "CREATE INDEX moment_tag_by_kind ON moment_tag (owner, kind, tag, created_at, moment)",
                "CREATE INDEX moment_tag_by_time ON moment_tag (owner, tag, happened_at, moment)",
                """
                CREATE TABLE moment_file (
                    moment TEXT COLLATE "C" NOT NULL REFERENCES moment(id) ON DELETE CASCADE,
                    position SMALLINT NOT NULL,
                    role TEXT COLLATE "C" NOT NULL CONSTRAINT moment_file_role CHECK (role IN ('picture', 'voice')),
                    media TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES media(id) ON DELETE CASCADE,
                    owner TEXT COLLATE "C" NOT NULL,
                    kind TEXT COLLATE "C" NOT NULL,
                    created_at BIGINT NOT NULL,
                    PRIMARY KEY (moment, position)
                )
                """,
                // The files of a page lie together as its moments do: one way down the tree for all, however deep it has grown.
                "CREATE INDEX moment_file_by_kind ON moment_file (owner, kind, created_at, moment, position)",
            ])
    ]
}
