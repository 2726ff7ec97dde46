import Database

/// Append-only: a migration that has run anywhere is never edited.
enum CaptureMigrations {
    static let all = [
        Migration(
            "captures/001-capture",
            [
                // day, hour, hour_start: the hour in which the capture was made, in the time zone that the user had when it arrived. An
                // hour that occurs twice, when clocks are set back, has two starts. sent: SHA-256 of the transcription that the client
                // sent. photo_url, audio_url: as the client sent them. photo_media, audio_media: the library's files that these URLs name.
                // version: counts changes of the analysed data, so that a job applies its result only to the data that it has read.
                """
                CREATE TABLE capture (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    id TEXT COLLATE "C" NOT NULL CONSTRAINT capture_id CHECK (length(id) BETWEEN 1 AND 128),
                    at BIGINT NOT NULL,
                    zone TEXT COLLATE "C" NOT NULL,
                    day TEXT COLLATE "C" NOT NULL,
                    hour BIGINT NOT NULL,
                    hour_start BIGINT NOT NULL,
                    status TEXT COLLATE "C" NOT NULL
                        CONSTRAINT capture_status CHECK (status IN ('received', 'processing', 'processed', 'failed')),
                    photo_media TEXT COLLATE "C" REFERENCES media(id) ON DELETE SET NULL,
                    photo_url TEXT,
                    audio_media TEXT COLLATE "C" REFERENCES media(id) ON DELETE SET NULL,
                    audio_url TEXT,
                    sent TEXT COLLATE "C",
                    transcription TEXT,
                    transcription_engine TEXT COLLATE "C",
                    analysis TEXT,
                    error TEXT,
                    version BIGINT NOT NULL,
                    created_at BIGINT NOT NULL,
                    row_bytes BIGINT NOT NULL,
                    PRIMARY KEY (owner, id)
                )
                """,
                "CREATE INDEX capture_by_time ON capture (owner, at, id)",
                "CREATE INDEX capture_by_photo ON capture (photo_media) WHERE photo_media IS NOT NULL",
                "CREATE INDEX capture_by_audio ON capture (audio_media) WHERE audio_media IS NOT NULL",
                // The files that were uploaded for a capture. The capture itself may come later.
                """
                CREATE TABLE capture_file (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    capture TEXT COLLATE "C" NOT NULL,
                    kind TEXT COLLATE "C" NOT NULL CONSTRAINT capture_file_kind CHECK (kind IN ('photo', 'audio')),
                    media TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES media(id) ON DELETE CASCADE,
                    type TEXT COLLATE "C" NOT NULL,
                    PRIMARY KEY (owner, capture, kind)
                )
                """,
                // The ids of deleted captures, hashed, so that a client that repeats one after weeks does not bring it back.
                """
                CREATE TABLE capture_tombstone (
                    hash TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    expires_at BIGINT NOT NULL
                )
                """,
                "CREATE INDEX capture_tombstone_by_age ON capture_tombstone (expires_at)",
                "CREATE INDEX capture_tombstone_by_owner ON capture_tombstone (owner, hash)",
            ]),
        Migration(
            "captures/002-contact",
            [
                // by_user: whether the user has edited it; then it stays when no capture mentions it any more. merged_into: the contact that
                // stands for it since a merge.
                """
                CREATE TABLE contact (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    name TEXT NOT NULL,
                    relationship TEXT,
                    notes TEXT,
                    face_capture TEXT COLLATE "C",
                    first_seen BIGINT NOT NULL,
                    last_seen BIGINT NOT NULL,
                    mention_count BIGINT NOT NULL CONSTRAINT contact_mention_count CHECK (mention_count >= 0),
                    by_user SMALLINT NOT NULL,
                    merged_into TEXT COLLATE "C",
                    row_bytes BIGINT NOT NULL
                )
                """,
                "CREATE INDEX contact_by_time ON contact (owner, last_seen, id) WHERE merged_into IS NULL",
                "CREATE INDEX contact_by_owner ON contact (owner, id)",
                "CREATE INDEX contact_by_merge ON contact (merged_into) WHERE merged_into IS NOT NULL",
                // name: a hash, because the name of a deleted contact is stored for a long time. contact: NULL for the name of a deleted
                // contact.
                """
                CREATE TABLE contact_name (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    name TEXT COLLATE "C" NOT NULL,
                    contact TEXT COLLATE "C" REFERENCES contact(id) ON DELETE CASCADE,
                    PRIMARY KEY (owner, name)
                )
                """,
                "CREATE INDEX contact_name_by_contact ON contact_name (contact) WHERE contact IS NOT NULL",
                // For one capture, a name means another contact than usual: the user has split the contact.
                """
                CREATE TABLE contact_pin (
                    owner TEXT COLLATE "C" NOT NULL,
                    capture TEXT COLLATE "C" NOT NULL,
                    name TEXT COLLATE "C" NOT NULL,
                    contact TEXT COLLATE "C" NOT NULL REFERENCES contact(id) ON DELETE CASCADE,
                    PRIMARY KEY (owner, capture, name),
                    FOREIGN KEY (owner, capture) REFERENCES capture (owner, id) ON DELETE CASCADE
                )
                """,
                "CREATE INDEX contact_pin_by_contact ON contact_pin (contact)",
                """
                CREATE TABLE contact_mention (
                    owner TEXT COLLATE "C" NOT NULL,
                    capture TEXT COLLATE "C" NOT NULL,
                    contact TEXT COLLATE "C" NOT NULL REFERENCES contact(id) ON DELETE CASCADE,
                    at BIGINT NOT NULL,
                    PRIMARY KEY (owner, capture, contact),
                    FOREIGN KEY (owner, capture) REFERENCES capture (owner, id) ON DELETE CASCADE
                )
                """,
                "CREATE INDEX contact_mention_by_time ON contact_mention (contact, at, capture)",
            ]),
        Migration(
            "captures/003-summary",
            [
                // changed: counts the changes of the hour's captures. condensed: the count that `content` covers. is_scheduled: whether a job
                // will condense it. content: NULL until it is condensed.
                """
                CREATE TABLE capture_hour (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    day TEXT COLLATE "C" NOT NULL,
                    start BIGINT NOT NULL,
                    hour BIGINT NOT NULL,
                    zone TEXT COLLATE "C" NOT NULL,
                    changed BIGINT NOT NULL,
                    condensed BIGINT NOT NULL,
                    is_scheduled SMALLINT NOT NULL,
                    condensed_at BIGINT,
                    content TEXT,
                    row_bytes BIGINT NOT NULL,
                    PRIMARY KEY (owner, day, start, hour)
                )
                """,
                """
                CREATE TABLE capture_day (
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    day TEXT COLLATE "C" NOT NULL,
                    zone TEXT COLLATE "C" NOT NULL,
                    changed BIGINT NOT NULL,
                    condensed BIGINT NOT NULL,
                    is_scheduled SMALLINT NOT NULL,
                    condensed_at BIGINT,
                    content TEXT,
                    row_bytes BIGINT NOT NULL,
                    PRIMARY KEY (owner, day)
                )
                """,
            ]),
        Migration(
            "captures/004-faces",
            ["CREATE INDEX contact_face ON contact (owner, face_capture) WHERE face_capture IS NOT NULL"], release: 2),
        Migration("captures/005-days", ["CREATE INDEX capture_by_day ON capture (owner, day, at, id)"], release: 2),
        Migration(
            "captures/006-given-names",
            [
                // given_at: when the user gave the contact this name. NULL for a name that captures mention, and for a name from a merge
                // or a split.
                "ALTER TABLE contact_name ADD COLUMN given_at BIGINT",
                "CREATE INDEX contact_name_given ON contact_name (contact, given_at, name) WHERE given_at IS NOT NULL",
            ], release: 2),
        Migration(
            "captures/007-unprocessed",
            [
                """
                CREATE INDEX capture_unprocessed ON capture (owner, hour_start, day, hour) WHERE status IN ('received', 'processing')
                """
            ], release: 2),
        // An account can change its captures again and again, and each change leaves the old version in the table. By default, PostgreSQL
        // removes old versions only when they are a fifth of the table.
        Migration(
            "captures/008-vacuum", sqlite: [],
            postgres: [
                "ALTER TABLE capture SET (autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_scale_factor = 0.01)"
            ], release: 2),
    ]
}
