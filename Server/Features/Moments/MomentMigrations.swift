import Database

/// Append-only: a migration that has run anywhere is never edited.
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
                // The files of a page are adjacent in this index, in the order of the page's moments, so one descent of the tree reads them
                // all.
                "CREATE INDEX moment_file_by_kind ON moment_file (owner, kind, created_at, moment, position)",
            ]),
        Migration(
            "moments/002-files",
            sqlite: [
                picturesColumn, voiceColumn,
                // This SQLite's aggregate functions guarantee no order, but as window functions they keep the window's order.
                """
                UPDATE moment SET
                    pictures = COALESCE((
                        SELECT '["' || group_concat(media, '","')
                            OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) || '"]'
                        FROM moment_file WHERE moment_file.moment = moment.id AND role = 'picture' LIMIT 1), '[]'),
                    voice = (SELECT media FROM moment_file WHERE moment_file.moment = moment.id AND role = 'voice')
                WHERE id IN (SELECT moment FROM moment_file)
                """,
            ] + onlyTheWayBack,
            postgres: [
                // With the lock, a concurrent deletion of a file either commits before this statement reads the table, or waits and then
                // updates the moment's row.
                "LOCK TABLE moment_file IN ACCESS EXCLUSIVE MODE",
                picturesColumn, voiceColumn,
                // Writes JSON as `TextList` does, without the spaces of json_agg. Ids need no escaping.
                """
                UPDATE moment SET pictures = files.pictures, voice = files.voice
                FROM (
                    SELECT moment, max(media) FILTER (WHERE role = 'voice') AS voice,
                        COALESCE('["' || string_agg(media, '","' ORDER BY position) FILTER (WHERE role = 'picture') || '"]', '[]')
                            AS pictures
                    FROM moment_file GROUP BY moment) AS files
                WHERE moment.id = files.moment
                """,
            ] + onlyTheWayBack),
        Migration(
            "moments/003-row-bytes",
            [
                // row_bytes: how many bytes the row and its tags count against the owner's quota. NULL: the row is older than this column
                // and has not been counted yet.
                "ALTER TABLE moment ADD COLUMN row_bytes BIGINT",
                "INSERT INTO row_pass (kind, after, is_done) VALUES ('moment', '', 0)",
            ]),
        Migration(
            "moments/004-label-pairs",
            [
                // Each row of a tag repeats its moment's category and group, so that an index can combine them with the tag.
                #"ALTER TABLE moment_tag ADD COLUMN category TEXT COLLATE "C" NOT NULL DEFAULT ''"#,
                #"ALTER TABLE moment_tag ADD COLUMN group_id TEXT COLLATE "C""#,
                """
                UPDATE moment_tag SET category = (SELECT category FROM moment WHERE moment.id = moment_tag.moment),
                    group_id = (SELECT group_id FROM moment WHERE moment.id = moment_tag.moment)
                """,
                "DROP INDEX moment_by_category",
                "DROP INDEX moment_by_group",
                // `EntryFilter` explains the expressions. The indexes are not partial, because PostgreSQL ignores statistics of expressions
                // in a partial index.
                "CREATE INDEX moment_by_category ON moment ((owner || ''), kind, category, created_at, id)",
                "CREATE INDEX moment_by_group ON moment ((owner || ''), kind, group_id, created_at, id)",
                """
                CREATE INDEX moment_by_category_and_group ON moment
                    ((owner || ''), kind, (CAST(length(category) AS TEXT) || ' ' || category || group_id), created_at, id)
                """,
                """
                CREATE INDEX moment_tag_by_category ON moment_tag
                    (owner, kind, (CAST(length(category) AS TEXT) || ' ' || category || tag), created_at, moment)
                """,
                """
                CREATE INDEX moment_tag_by_group ON moment_tag
                    (owner, kind, (CAST(length(group_id) AS TEXT) || ' ' || group_id || tag), created_at, moment)
                """,
                """
                CREATE INDEX moment_tag_by_category_and_group ON moment_tag
                    (owner, kind, (CAST(length(category) AS TEXT) || ' ' || category || CAST(length(group_id) AS TEXT) || ' '
                        || group_id || tag), created_at, moment)
                """,
            ]),
        Migration(
            "moments/005-files",
            sqlite: [
                filesColumn,
                // This is the same window as in moments/002-files, so that the order is the same.
                """
                UPDATE moment SET files = (
                    SELECT '["' || group_concat(media || ' ' || type, '","')
                        OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) || '"]'
                    FROM moment_file JOIN media ON media.id = moment_file.media WHERE moment_file.moment = moment.id LIMIT 1)
                WHERE id IN (SELECT moment FROM moment_file)
                """,
            ],
            postgres: [
                filesColumn,
                """
                UPDATE moment SET files = listed.files
                FROM (
                    SELECT moment, '["' || string_agg(media || ' ' || type, '","' ORDER BY position) || '"]' AS files
                    FROM moment_file JOIN media ON media.id = moment_file.media GROUP BY moment) AS listed
                WHERE moment.id = listed.moment
                """,
            ], release: 2),
        Migration(
            "moments/006-events-by-date",
            [
                // These indexes serve timelines of events only. Moods and memories are sorted by their creation time, so the timeline uses
                // the indexes of their lists.
                "CREATE INDEX moment_event_by_date ON moment (owner, happened_at, id) WHERE kind = 'event'",
                "CREATE INDEX moment_tag_event_by_date ON moment_tag (owner, tag, happened_at, moment) WHERE kind = 'event'",
            ], release: 2),
    ]

    // MARK: Parts of moments/005-files

    /// `Moment.files` explains this column.
    private static let filesColumn = "ALTER TABLE moment ADD COLUMN files TEXT"

    // MARK: Parts of moments/002-files

    private static let picturesColumn = "ALTER TABLE moment ADD COLUMN pictures TEXT NOT NULL DEFAULT '[]'"
    private static let voiceColumn = #"ALTER TABLE moment ADD COLUMN voice TEXT COLLATE "C""#

    /// Since this migration, lists read `moment` alone. `moment_file` serves only to find the moment of a file, and an owner's export.
    private static let onlyTheWayBack = [
        "DROP INDEX moment_file_by_kind",
        "ALTER TABLE moment_file DROP COLUMN kind",
        "ALTER TABLE moment_file DROP COLUMN created_at",
        "CREATE INDEX moment_file_by_owner ON moment_file (owner, moment, position)",
    ]
}
