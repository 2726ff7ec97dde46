import Database

/// Append-only: a migration that has run anywhere is never edited.
enum CapsuleMigrations {
    static let all = [
        Migration(
            "capsules/001-capsule",
            [
                // sha256: the hash of the recording, once it is uploaded; it stays if the recording's row in the library is deleted before
                // the capsule's. transcript_size: how many bytes the transcript adds to a response.
                """
                CREATE TABLE capsule (
                    id TEXT COLLATE "C" PRIMARY KEY,
                    owner TEXT COLLATE "C" NOT NULL REFERENCES account(id) ON DELETE CASCADE,
                    status TEXT COLLATE "C" NOT NULL
                        CONSTRAINT capsule_status CHECK (status IN ('uploading', 'processing', 'transcribing', 'completed', 'failed')),
                    duration_us BIGINT NOT NULL CONSTRAINT capsule_duration CHECK (duration_us > 0),
                    byte_count BIGINT NOT NULL CONSTRAINT capsule_byte_count CHECK (byte_count > 0),
                    created_at BIGINT NOT NULL,
                    updated_at BIGINT NOT NULL,
                    media TEXT COLLATE "C" UNIQUE REFERENCES media(id) ON DELETE SET NULL,
                    sha256 TEXT COLLATE "C",
                    waveform BYTEA,
                    language TEXT COLLATE "C",
                    engine TEXT COLLATE "C",
                    summary TEXT,
                    topics TEXT NOT NULL,
                    transcript_size BIGINT NOT NULL,
                    failure TEXT,
                    CONSTRAINT capsule_sound CHECK (sha256 IS NOT NULL OR status = 'uploading'),
                    CONSTRAINT capsule_engine CHECK ((engine IS NOT NULL) = (status = 'completed'))
                )
                """,
                "CREATE INDEX capsule_by_time ON capsule (owner, created_at, id)",
                "CREATE INDEX capsule_on_timeline ON capsule (owner, created_at, id) WHERE status <> 'uploading'",
                """
                CREATE TABLE capsule_transcript (
                    capsule TEXT COLLATE "C" PRIMARY KEY REFERENCES capsule(id) ON DELETE CASCADE,
                    owner TEXT COLLATE "C" NOT NULL,
                    text TEXT NOT NULL,
                    words TEXT NOT NULL
                )
                """,
                "CREATE INDEX capsule_transcript_by_owner ON capsule_transcript (owner)",
                // The transcripts of a recording's segments that are done, until all are. After a crash, transcription resumes where the
                // last row's segment ends.
                """
                CREATE TABLE capsule_segment (
                    capsule TEXT COLLATE "C" NOT NULL REFERENCES capsule(id) ON DELETE CASCADE,
                    starts_ms BIGINT NOT NULL,
                    ends_ms BIGINT NOT NULL,
                    owner TEXT COLLATE "C" NOT NULL,
                    engine TEXT COLLATE "C" NOT NULL,
                    language TEXT COLLATE "C",
                    text TEXT NOT NULL,
                    words TEXT NOT NULL,
                    PRIMARY KEY (capsule, starts_ms),
                    CONSTRAINT capsule_segment_order CHECK (starts_ms >= 0 AND ends_ms > starts_ms)
                )
                """,
                "CREATE INDEX capsule_segment_by_owner ON capsule_segment (owner)",
            ]),
        Migration(
            "capsules/002-row-bytes",
            [
                // row_bytes: how many bytes the row and its transcript count against the owner's quota. NULL: the row is older than this
                // column and has not been counted yet.
                "ALTER TABLE capsule ADD COLUMN row_bytes BIGINT",
                "INSERT INTO row_pass (kind, after, is_done) VALUES ('capsule', '', 0)",
            ]),
    ]
}
