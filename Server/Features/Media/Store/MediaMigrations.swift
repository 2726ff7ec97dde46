import Database

/// Append-only: a migration that has run anywhere is never edited.
enum MediaMigrations {
    static let all = [
        Migration(
            "media/001-media",
            [
                """
                CREATE TABLE media (
                    id TEXT COLLATE "C" PRIMARY KEY,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    blob TEXT COLLATE "C" NOT NULL REFERENCES blob(key),
                    name TEXT NOT NULL,
                    type TEXT COLLATE "C" NOT NULL,
                    sha256 TEXT COLLATE "C" NOT NULL,
                    byte_count BIGINT NOT NULL CHECK (byte_count >= 0),
                    category TEXT COLLATE "C" NOT NULL,
                    title TEXT,
                    description TEXT,
                    tags TEXT NOT NULL,
                    group_id TEXT COLLATE "C",
                    created_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX media_by_owner ON media (owner, created_at, id)",
                "CREATE INDEX media_by_category ON media (owner, category, created_at, id)",
                "CREATE INDEX media_by_group ON media (owner, group_id, created_at, id)",
                "CREATE INDEX media_by_blob ON media (blob)",
                """
                CREATE TABLE media_tag (
                    media TEXT COLLATE "C" NOT NULL REFERENCES media(id) ON DELETE CASCADE,
                    owner TEXT COLLATE "C" NOT NULL,
                    tag TEXT COLLATE "C" NOT NULL,
                    created_at BIGINT NOT NULL,
                    PRIMARY KEY (media, tag)
                )
                """,
                "CREATE INDEX media_tag_by_owner ON media_tag (owner, tag, created_at, media)",
                """
                CREATE TABLE profile_picture (
                    account TEXT COLLATE "C" PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE,
                    media TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES media(id) ON DELETE CASCADE
                )
                """,
                """
                CREATE TABLE media_usage (
                    account TEXT COLLATE "C" PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE,
                    byte_count BIGINT NOT NULL CHECK (byte_count >= 0),
                    file_count BIGINT NOT NULL CHECK (file_count >= 0)
                )
                """,
            ]),
        Migration(
            "media/002-facts",
            [
                "ALTER TABLE media ADD COLUMN width BIGINT",
                "ALTER TABLE media ADD COLUMN height BIGINT",
                "ALTER TABLE media ADD COLUMN duration_ms BIGINT",
                "ALTER TABLE media ADD COLUMN taken_at BIGINT",
            ]),
        Migration(
            "media/003-variant",
            [
                """
                CREATE TABLE media_variant (
                    parent TEXT COLLATE "C" NOT NULL REFERENCES blob(key),
                    spec TEXT COLLATE "C" NOT NULL,
                    blob TEXT COLLATE "C" NOT NULL REFERENCES blob(key),
                    type TEXT COLLATE "C" NOT NULL,
                    sha256 TEXT COLLATE "C" NOT NULL,
                    byte_count BIGINT NOT NULL CHECK (byte_count > 0),
                    created_at BIGINT NOT NULL,
                    PRIMARY KEY (parent, spec)
                )
                """,
                "CREATE INDEX media_variant_by_blob ON media_variant (blob)",
            ]),
        Migration("media/004-peaks", ["ALTER TABLE media ADD COLUMN peaks BYTEA"]),
        Migration(
            "media/005-index-pass",
            [
                // One row: of the assets that are older than the search index, the last one that was copied into it.
                """
                CREATE TABLE media_index_pass (
                    one SMALLINT PRIMARY KEY CONSTRAINT media_index_pass_one CHECK (one = 1),
                    after TEXT COLLATE "C" NOT NULL,
                    is_done SMALLINT NOT NULL
                )
                """,
                "INSERT INTO media_index_pass (one, after, is_done) VALUES (1, '', 0)",
            ]),
        Migration(
            "media/006-row-bytes",
            [
                "ALTER TABLE media_usage ADD COLUMN row_bytes BIGINT NOT NULL DEFAULT 0 CONSTRAINT media_usage_rows CHECK (row_bytes >= 0)",
                """
                ALTER TABLE media_usage ADD COLUMN reserved_bytes BIGINT NOT NULL DEFAULT 0
                    CONSTRAINT media_usage_reserved CHECK (reserved_bytes >= 0)
                """,
                // row_bytes: what the row counts in media_usage.row_bytes. NULL: the row is older than this column and not counted yet.
                "ALTER TABLE media ADD COLUMN row_bytes BIGINT",
                // One row for each table: the id up to which its older rows were counted.
                """
                CREATE TABLE row_pass (
                    kind TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    after TEXT COLLATE "C" NOT NULL,
                    is_done SMALLINT NOT NULL
                )
                """,
                "INSERT INTO row_pass (kind, after, is_done) VALUES ('media', '', 0)",
                // Bytes that running uploads may still stage. After expires_at the upload's node is considered dead.
                """
                CREATE TABLE upload_reservation (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    byte_count BIGINT NOT NULL CONSTRAINT upload_reservation_bytes CHECK (byte_count >= 0),
                    expires_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX upload_reservation_by_owner ON upload_reservation (owner, id)",
                "CREATE INDEX upload_reservation_by_expiry ON upload_reservation (expires_at, id)",
            ]),
        Migration(
            "media/007-position",
            [
                // has_position: 1 if the metadata holds a position, or something that cannot be read. NULL: no picture, or not examined.
                "ALTER TABLE media ADD COLUMN has_position SMALLINT CONSTRAINT media_position CHECK (has_position IN (0, 1))"
            ]),
        Migration(
            "media/008-label-pairs",
            [
                // A tag's row repeats its asset's category and group, so that indexes can hold a tag together with them.
                #"ALTER TABLE media_tag ADD COLUMN category TEXT COLLATE "C" NOT NULL DEFAULT ''"#,
                #"ALTER TABLE media_tag ADD COLUMN group_id TEXT COLLATE "C""#,
                """
                UPDATE media_tag SET category = (SELECT category FROM media WHERE media.id = media_tag.media),
                    group_id = (SELECT group_id FROM media WHERE media.id = media_tag.media)
                """,
                "DROP INDEX media_by_category",
                "DROP INDEX media_by_group",
                // See `EntryFilter` for the expressions. The indexes are not partial: PostgreSQL ignores the statistics of a partial
                // index's expressions.
                "CREATE INDEX media_by_category ON media ((owner || ''), category, created_at, id)",
                "CREATE INDEX media_by_group ON media ((owner || ''), group_id, created_at, id)",
                """
                CREATE INDEX media_by_category_and_group ON media
                    ((owner || ''), (CAST(length(category) AS TEXT) || ' ' || category || group_id), created_at, id)
                """,
                """
                CREATE INDEX media_tag_by_category ON media_tag
                    (owner, (CAST(length(category) AS TEXT) || ' ' || category || tag), created_at, media)
                """,
                """
                CREATE INDEX media_tag_by_group ON media_tag
                    (owner, (CAST(length(group_id) AS TEXT) || ' ' || group_id || tag), created_at, media)
                """,
                """
                CREATE INDEX media_tag_by_category_and_group ON media_tag
                    (owner, (CAST(length(category) AS TEXT) || ' ' || category || CAST(length(group_id) AS TEXT) || ' '
                        || group_id || tag), created_at, media)
                """,
            ]),
        Migration(
            "media/009-unlisted",
            [
                // See `MediaStore.listStatement`. A file without a category is in no list of the library.
                "CREATE INDEX media_listed ON media ((CASE WHEN category <> '' THEN owner END), created_at, id)"
            ], release: 2),
        Migration(
            "media/010-timeline",
            [
                // timeline_at: when a file that was uploaded by itself was taken or, if that is not known, stored. NULL: the file is part
                // of another entry.
                "ALTER TABLE media ADD COLUMN timeline_at BIGINT",
                "ALTER TABLE media_tag ADD COLUMN timeline_at BIGINT",
                // Older rows do not say how they were uploaded. Features give these categories to files of their own, such as those of a
                // mood or a profile. All other files count as uploaded by themselves; see decision 061.
                """
                UPDATE media SET timeline_at = COALESCE(taken_at, created_at) WHERE category NOT IN
                    ('', 'mood', 'memory', 'event', 'voice', 'capsule', 'capture', 'cover', 'photo', 'profile')
                """,
                "UPDATE media_tag SET timeline_at = (SELECT timeline_at FROM media WHERE media.id = media_tag.media)",
                "CREATE INDEX media_by_timeline ON media (owner, timeline_at, id)",
                "CREATE INDEX media_tag_by_timeline ON media_tag (owner, tag, timeline_at, media)",
                // See `MediaStore.listStatement`.
                """
                CREATE INDEX media_listed_by_taken ON media
                    ((CASE WHEN category <> '' THEN owner END), (COALESCE(taken_at, created_at)), id)
                """,
                """
                CREATE INDEX media_listed_by_type ON media
                    ((CASE WHEN category <> '' THEN owner || ' ' || substr(type, 1, 5) END), created_at, id)
                """,
                """
                CREATE INDEX media_listed_by_type_and_taken ON media
                    ((CASE WHEN category <> '' THEN owner || ' ' || substr(type, 1, 5) END), (COALESCE(taken_at, created_at)), id)
                """,
            ], release: 2),
        Migration(
            "media/011-playback",
            [
                // playback: see `Playback`. NULL: no film, a film that names no codec, or one that is not examined yet.
                """
                ALTER TABLE media ADD COLUMN playback TEXT COLLATE "C" CONSTRAINT media_playback
                    CHECK (playback IN ('original', 'waiting', 'converting', 'copy', 'damaged', 'beyond-limits', 'failed'))
                """,
                "CREATE INDEX media_by_playback ON media (playback, owner, created_at, id) WHERE playback IS NOT NULL",
            ], release: 2),
        Migration(
            "media/012-own-quota",
            [
                // quota_bytes: the bytes that the account may store. NULL: the server's setting applies.
                "ALTER TABLE media_usage ADD COLUMN quota_bytes BIGINT CONSTRAINT media_usage_quota CHECK (quota_bytes >= 0)"
            ], release: 2),
        Migration(
            "media/013-archives",
            [
                // The selections of files to which links to archives refer, until the links expire. `files` is a JSON list of ids.
                """
                CREATE TABLE media_archive (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    files TEXT NOT NULL,
                    expires_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX media_archive_by_owner ON media_archive (owner, id)",
                "CREATE INDEX media_archive_by_expiry ON media_archive (expires_at, id)",
            ], release: 2),
        Migration(
            "media/014-by-hash",
            [
                // See `MediaStore.listStatement`.
                "CREATE INDEX media_listed_by_hash ON media ((CASE WHEN category <> '' THEN owner || ' ' || sha256 END), created_at, id)"
            ], release: 2),
        Migration(
            "media/015-labels-and-types",
            [
                // A tag's row repeats its asset's type and time, too. `type` is NULL in a row that a node of the last release wrote, see
                // `MediaStore.completeTags`.
                #"ALTER TABLE media_tag ADD COLUMN type TEXT COLLATE "C""#,
                "ALTER TABLE media_tag ADD COLUMN taken_at BIGINT",
                """
                UPDATE media_tag SET type = (SELECT media.type FROM media WHERE media.id = media_tag.media),
                    taken_at = (SELECT media.taken_at FROM media WHERE media.id = media_tag.media)
                """,
                // See `MediaStore.listStatement`.
                "CREATE INDEX media_by_category_and_type ON media ((owner || ''), (substr(type, 1, 5) || category), created_at, id)",
                """
                CREATE INDEX media_by_category_and_taken ON media
                    ((owner || ''), (substr(type, 1, 5) || category), (COALESCE(taken_at, created_at)), id)
                """,
                "CREATE INDEX media_by_group_and_type ON media ((owner || ''), (substr(type, 1, 5) || group_id), created_at, id)",
                """
                CREATE INDEX media_by_group_and_taken ON media
                    ((owner || ''), (substr(type, 1, 5) || group_id), (COALESCE(taken_at, created_at)), id)
                """,
                "CREATE INDEX media_tag_by_type ON media_tag (owner, (substr(type, 1, 5) || tag), created_at, media)",
                """
                CREATE INDEX media_tag_by_taken ON media_tag
                    (owner, (substr(type, 1, 5) || tag), (COALESCE(taken_at, created_at)), media)
                """,
                // This index holds only rows without a type, so it is empty except during an upgrade.
                "CREATE INDEX media_tag_incomplete ON media_tag (media) WHERE type IS NULL",
            ], release: 2),
        Migration(
            "media/016-archive-makers",
            [
                // Whose session or identity made the link. Both are NULL in a row that a node of the last release wrote, and on a server
                // that asks for no credential.
                #"ALTER TABLE media_archive ADD COLUMN session TEXT COLLATE "C""#,
                #"ALTER TABLE media_archive ADD COLUMN identity TEXT COLLATE "C""#,
            ], release: 2),
        Migration(
            "media/017-dead-blobs",
            [
                // Removes files whose bytes were deleted while their rows stayed: two accounts had got covers with the same bytes from a
                // deleted account, and one of the two was deleted as well. The rows kept the garbage collector from deleting the blobs'
                // rows.
                """
                UPDATE media_usage SET
                    byte_count = CASE WHEN media_usage.byte_count > gone.bytes THEN media_usage.byte_count - gone.bytes ELSE 0 END,
                    file_count = CASE WHEN media_usage.file_count > gone.files THEN media_usage.file_count - gone.files ELSE 0 END,
                    row_bytes = CASE WHEN media_usage.row_bytes > gone.row_sum THEN media_usage.row_bytes - gone.row_sum ELSE 0 END
                FROM (
                    SELECT media.owner, SUM(media.byte_count) AS bytes, COUNT(*) AS files,
                        SUM(COALESCE(media.row_bytes, 0)) AS row_sum
                    FROM blob JOIN media ON media.blob = blob.key WHERE blob.state = 'dead' GROUP BY media.owner
                ) AS gone
                WHERE media_usage.account = gone.owner
                """,
                "DELETE FROM media WHERE blob IN (SELECT key FROM blob WHERE state = 'dead')",
                "DELETE FROM media_variant WHERE parent IN (SELECT key FROM blob WHERE state = 'dead')",
                "DELETE FROM media_variant WHERE blob IN (SELECT key FROM blob WHERE state = 'dead')",
            ], release: 2),
        Migration(
            "media/018-left-copies",
            [
                // Removes copies of bytes that no file has any more. They stayed when their file was deleted, because its bytes were also a
                // copy of another picture.
                """
                UPDATE blob SET
                    refs = CASE WHEN blob.refs > gone.copies THEN blob.refs - gone.copies ELSE 0 END,
                    state = CASE WHEN blob.refs > gone.copies THEN 'live' ELSE 'dead' END,
                    dead_at = CASE WHEN blob.refs > gone.copies THEN blob.dead_at ELSE 0 END
                FROM (
                    SELECT media_variant.blob AS copy, COUNT(*) AS copies FROM media_variant
                    WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = media_variant.parent) GROUP BY media_variant.blob
                ) AS gone
                WHERE blob.key = gone.copy AND blob.state = 'live'
                """,
                "DELETE FROM media_variant WHERE NOT EXISTS (SELECT 1 FROM media WHERE media.blob = media_variant.parent)",
            ], release: 2),
    ]
}
